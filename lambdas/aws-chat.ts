/** The ports of chat functions on AWS, and their Lambda form: a streamed response whose status line comes first. */
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { bedrockRuntime } from '#adapters/aws/bedrock.ts';
import type { StoreOptions } from '#adapters/aws/evidence-table.ts';
import { lazyStepFunctionsClock } from '#adapters/aws/step-functions-clock.ts';
import { httpCall } from '#adapters/http/provider-http.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import { wasmRunner } from '#adapters/wasm/pool.ts';
import { responseCache } from '#core/cache/response-cache.ts';
import { configuredEmbedder } from '#core/chat/embedder.ts';
import { wasmModules } from '#core/configuration/wasm-filters.ts';
import type { HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import { providersFrom } from '#core/providers/providers.ts';
import { buffered, compose } from './aws.ts';
import type { ChatDoorPorts } from './middleware/chat-door.ts';

export function composeChat(environment: NodeJS.ProcessEnv): ChatDoorPorts & { readonly store: StoreOptions } {
  const gateway = compose(environment, { approvalClock: lazyStepFunctionsClock });
  const { clock, secrets, objects, snapshots } = gateway;
  const timeouts = systemTimeouts;
  const providers = providersFrom({ http: httpCall, secrets, clock, timeouts, bedrock: bedrockRuntime });
  return {
    ...gateway,
    providers,
    wasm: wasmRunner({ modules: wasmModules(objects) }),
    cache: responseCache({ clock, embedder: configuredEmbedder({ snapshots, providers }) }),
    timeouts,
    random: Math.random,
  };
}

/** What the Node runtime of Lambda offers functions that stream (facts: wire format from the function). */
interface StreamingRuntime {
  streamifyResponse(
    handler: (event: HttpEvent, stream: Writable, context: LambdaContext) => Promise<void>,
  ): (event: HttpEvent, context: LambdaContext) => Promise<unknown>;
  readonly HttpResponseStream: { from(stream: Writable, head: { statusCode: number; headers: object }): Writable };
}

interface LambdaContext {
  readonly awsRequestId: string;
  getRemainingTimeInMillis?(): number;
}

/** Left for settling the call when the function's time runs out. */
const settlingMs = 10_000;

/** A chat door as a Lambda handler: streamed where the runtime can, else collected. */
export function chatHandler(door: (ports: ChatDoorPorts) => HttpHandler) {
  const runtime = (globalThis as unknown as { awslambda?: StreamingRuntime }).awslambda;
  let made: { ports: ChatDoorPorts; handler: HttpHandler } | undefined;
  const ready = () => {
    if (!made) {
      const ports = composeChat(process.env);
      made = { ports, handler: door(ports) };
    }
    return made;
  };

  // Elsewhere the name may stand for something else: only what can stream is the runtime.
  if (!runtime?.streamifyResponse) {
    return async (event: HttpEvent, context: LambdaContext) => {
      const { ports, handler } = ready();
      const reply = await handler(event, context);
      const { finished, ...whole } = await buffered(reply);
      await finished;
      await ports.telemetry.flush();
      return whole;
    };
  }
  return runtime.streamifyResponse(async (event, stream, context) => {
    const { ports, handler } = ready();
    const gone = goneSignal(stream, context);
    const { finished, ...reply } = await handler(event, { awsRequestId: context.awsRequestId, signal: gone.signal });
    const { statusCode, headers } = reply;
    await writeBody(reply, runtime.HttpResponseStream.from(stream, { statusCode, headers }), gone.signal);
    await finished;
    gone.done();
    await ports.telemetry.flush();
  });
}

/** The caller went away, or the function's time is nearly over: either way the provider is let go and the call settled. */
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

async function writeBody({ body }: Pick<HttpReply, 'body'>, out: Writable, gone: AbortSignal): Promise<void> {
  if (typeof body === 'string') {
    out.end(body);
    return;
  }
  const padding = Number(process.env.STREAM_PADDING_BYTES ?? 0);
  // A comment: runtimes that hold small writes back let the first event through behind it.
  if (padding > 0) out.write(`:${' '.repeat(padding)}\n\n`);
  for await (const chunk of body) {
    if (gone.aborted || out.destroyed) break;
    if (!out.write(chunk)) await Promise.race([once(out, 'drain'), once(gone, 'abort')]).catch(() => {});
  }
  out.end();
}
