/**
 * Streamed functions with the write behaviour of the AWS runtime: metadata is sent with the first `write`, never with
 * `end`.
 */
import { PassThrough, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { HttpEvent, HttpReply } from '#core/contracts/http.ts';
import { streamingHandler } from '#lambdas/aws-stream.ts';

type Streaming = (event: unknown, stream: Writable, context: { awsRequestId: string }) => Promise<void>;

/** Builds a stream like the runtime's, whose `end` writes its chunk itself, bypassing the hook on `write`. */
function responseStream() {
  const out = new PassThrough();
  const write = out.write.bind(out);
  const finish = out.end.bind(out);
  let prelude: string | undefined;
  const stream = Object.assign(out, {
    prelude(text: string) {
      prelude = text;
      return stream;
    },
    write(chunk: string) {
      if (prelude !== undefined) write(`${prelude}\0\0\0\0\0\0\0\0`);
      prelude = undefined;
      return write(chunk);
    },
    end(chunk?: string) {
      if (chunk !== undefined) write(chunk);
      return finish();
    },
  });
  return stream;
}

const runtime = {
  streamifyResponse: (handler: Streaming) => handler,
  HttpResponseStream: {
    from: (stream: ReturnType<typeof responseStream>, head: object) => stream.prelude(JSON.stringify(head)),
  },
};

const nothingStored = { refresh: () => Promise.reject(new Error('no configuration is stored')) };

const posted = async (reply: HttpReply): Promise<string> => {
  Object.assign(globalThis, { awslambda: runtime });
  try {
    const handler = (await streamingHandler(() => ({
      ports: { telemetry: { flush: () => Promise.resolve() }, snapshots: nothingStored },
      handler: () => Promise.resolve(reply),
    }))) as unknown as Streaming;
    const stream = responseStream();
    const all = text(stream);
    await handler({}, stream, { awsRequestId: 'r' });
    return await all;
  } finally {
    Reflect.deleteProperty(globalThis, 'awslambda');
  }
};

test("[cloud.edge] the handler sees CloudFront's caller", async () => {
  Object.assign(globalThis, { awslambda: runtime });
  process.env.BEHIND_EDGE = 'on';
  try {
    const seen: HttpEvent[] = [];
    const handler = (await streamingHandler(() => ({
      ports: { telemetry: { flush: () => Promise.resolve() }, snapshots: nothingStored },
      handler: (event) => {
        seen.push(event);
        return Promise.resolve({ statusCode: 204, headers: {}, body: '' });
      },
    }))) as unknown as Streaming;
    const called = { 'x-gateway-client': '198.51.100.7', 'x-gateway-host': 'mcp.gateway.example.com' };
    const stream = responseStream();
    const all = text(stream);
    await handler({ headers: called, requestContext: { identity: { sourceIp: '130.176.0.1' } } }, stream, {
      awsRequestId: 'r',
    });
    await all;
    expect(seen[0]?.requestContext.identity.sourceIp).toBe('198.51.100.7');
  } finally {
    delete process.env.BEHIND_EDGE;
    Reflect.deleteProperty(globalThis, 'awslambda');
  }
});

async function* events(...texts: string[]) {
  yield* texts;
}

const headers = { 'content-type': 'text/plain' };
const line = (statusCode: number) => `${JSON.stringify({ statusCode, headers })}\0\0\0\0\0\0\0\0`;

test.each([
  ['a whole answer', 401, 'no', 'no'],
  ['an answer without a body', 202, '', ''],
  ['a stream', 200, events('a', 'b'), 'ab'],
  ['a stream without events', 200, events(), ''],
])('[cloud.own-answers] %s begins with its status and headers', async (_, statusCode, body, arrives) => {
  expect(await posted({ statusCode, headers, body })).toBe(line(statusCode) + arrives);
});

test('[evidence.large-sessions] padding is sent as an event stream comment, and a document sent in pieces gets none', async () => {
  process.env.STREAM_PADDING_BYTES = '8';
  try {
    const document = { statusCode: 200, headers: { 'content-type': 'application/json' }, body: events('{"a":', '1}') };
    expect(await posted(document)).toMatch(/\0\{"a":1\}$/);
    const stream = { statusCode: 200, headers: { 'content-type': 'text/event-stream' }, body: events('data: a\n\n') };
    expect(await posted(stream)).toContain(`\0:${' '.repeat(8)}\n\ndata: a`);
  } finally {
    delete process.env.STREAM_PADDING_BYTES;
  }
});
