/** Streaming HTTP handlers on Lambda, which send the status line first. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import type { HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import { bufferReply, composedEarly, composeFunction, contextOf, type HostCapabilities } from './aws.ts';
import { originalRequest } from './behind-edge.ts';
import type { GatewayPorts } from './ports.ts';
import type { LambdaContext } from './with-flush.ts';

/** The streaming interface of Lambda's Node runtime. */
interface StreamingRuntime {
  streamifyResponse(
    handler: (event: HttpEvent, stream: Writable, context: LambdaContext) => Promise<void>,
  ): (event: HttpEvent, context: LambdaContext) => Promise<unknown>;
  readonly HttpResponseStream: { from(stream: Writable, head: { statusCode: number; headers: object }): Writable };
}

/** Time reserved for settling the call when the function is about to time out. */
const settlingMs = 10_000;

interface StreamingEndpoint {
  readonly ports: {
    readonly telemetry: Pick<GatewayPorts['telemetry'], 'flush'>;
    readonly snapshots: Pick<GatewayPorts['snapshots'], 'refresh'>;
  };
  readonly handler: HttpHandler;
}

/**
 * Returns an HTTP handler as a Lambda handler, composed during loading. Streams the body if the runtime supports it,
 * otherwise collects it.
 */
export async function streamingHandler(compose: () => StreamingEndpoint) {
  const runtime = (globalThis as unknown as { awslambda?: StreamingRuntime }).awslambda;
  const ready = await composedEarly(compose);

  // Other environments may define the same global, so only a global that can stream is treated as the runtime.
  if (!runtime?.streamifyResponse) {
    return async (event: HttpEvent, context: LambdaContext) => {
      const { ports, handler } = ready();
      const reply = await handler(originalRequest(event), contextOf(context));
      const { finished, ...whole } = await bufferReply(reply);
      await finished;
      await ports.telemetry.flush();
      return whole;
    };
  }
  return runtime.streamifyResponse(async (event, stream, context) => {
    const { ports, handler } = ready();
    const gone = goneSignal(stream, context);
    const { finished, ...reply } = await handler(originalRequest(event), {
      ...contextOf(context),
      signal: gone.signal,
    });
    const { statusCode, headers } = reply;
    await writeBody(reply, runtime.HttpResponseStream.from(stream, { statusCode, headers }), gone.signal);
    await finished;
    gone.done();
    await ports.telemetry.flush();
  });
}

/** Returns a streaming handler over the ports shared by all functions. */
export const streamingHttpHandler = (
  createHandler: (ports: GatewayPorts) => HttpHandler,
  host: HostCapabilities = {},
) => streamingHandler(() => composeFunction(host, createHandler));

/**
 * Returns a signal that aborts when the caller disconnects or the function is about to time out. The provider call is
 * then ended and settled.
 */
function goneSignal(stream: Writable, context: LambdaContext): { signal: AbortSignal; done(): void } {
  const controller = new AbortController();
  const abort = () => controller.abort();
  stream.once('error', abort);
  stream.once('close', () => {
    if (!stream.writableFinished) abort();
  });
  const left = (context.getRemainingTimeInMillis?.() ?? 900_000) - settlingMs;
  const cancel = systemTimeouts.after(Math.max(0, left), abort);
  return { signal: controller.signal, done: cancel };
}

/**
 * Writes the body. The runtime sends status and headers only before the first `write`: without a write there is no
 * status line, and API Gateway returns 502 [cloud.own-answers].
 */
async function writeBody(
  { body, headers, isBase64Encoded }: Omit<HttpReply, 'finished'>,
  out: Writable,
  gone: AbortSignal,
): Promise<void> {
  if (typeof body === 'string') {
    out.write(body, isBase64Encoded ? 'base64' : 'utf8');
    out.end();
    return;
  }
  out.write('');
  const padding = Number(process.env.STREAM_PADDING_BYTES ?? 0);
  // An SSE comment as padding, so that runtimes that buffer small writes send the first event immediately. Other bodies
  // have no comments.
  if (padding > 0 && headers?.['content-type']?.startsWith('text/event-stream'))
    out.write(`:${' '.repeat(padding)}\n\n`);
  for await (const chunk of body) {
    if (gone.aborted || out.destroyed) break;
    if (!out.write(chunk)) await Promise.race([once(out, 'drain'), once(gone, 'abort')]).catch(() => {});
  }
  out.end();
}
