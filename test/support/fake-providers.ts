/**
 * Fake OpenAI, Anthropic, Ollama and Bedrock over real HTTP, with scripted replies and faults. Delays wait for
 * promises, never for time to pass.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { bedrockForm } from './fake-providers-bedrock.ts';
import {
  anthropicForm,
  type Form,
  ollamaForm,
  openaiForm,
  type Piece,
  type Said,
  type Written,
} from './fake-providers-forms.ts';
import type { Loose } from './loose.ts';

export type FakeKind = 'openai' | 'anthropic' | 'ollama' | 'bedrock';

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Loose;
  /** Whether the caller requested a stream, in whatever form this kind uses. */
  readonly stream: boolean;
  /** Resolves when the connection is closed before the reply was complete. */
  readonly closed: Promise<void>;
}

/** Behaviour after the last piece: the stream ends, breaks, or stays open. */
export type Ending = 'end' | 'break' | 'open';

export type FakeReply =
  | { readonly type: 'say'; readonly said: Said; readonly headers?: Record<string, string> }
  | {
      readonly type: 'body';
      readonly status: number;
      readonly headers: Record<string, string>;
      readonly pieces: readonly Piece[];
      readonly ending: Ending;
    }
  | { readonly type: 'endless'; readonly piece: Written; readonly before: readonly Piece[] }
  /** Accepts the request and never responds. */
  | { readonly type: 'silent' }
  /** Closes the connection without a response. */
  | { readonly type: 'reset' };

export type Script = FakeReply | readonly FakeReply[] | ((request: RecordedRequest, index: number) => FakeReply);

export interface FakeProvider {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Value of `base_url` in a configuration. */
  readonly baseUrl: string;
  /** Requests in the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Connections accepted so far. */
  readonly connections: () => number;
  /**
   * Replaces the script and forgets the requests. A list is used in order, and its last reply repeats for all later
   * requests.
   */
  answers(script: Script): void;
  /** Resolves with the request at that index once it has arrived. */
  request(index?: number): Promise<RecordedRequest>;
  stop(): Promise<void>;
}

const forms = { openai: openaiForm, anthropic: anthropicForm, ollama: ollamaForm, bedrock: bedrockForm };

const json = { 'content-type': 'application/json' };

export const say = (text: Said['text'] = 'Hello', more: Omit<Said, 'text'> = {}): FakeReply => ({
  type: 'say',
  said: { text, ...more },
});
export const body = (
  pieces: readonly Piece[],
  { status = 200, headers = json as Record<string, string>, ending = 'end' as Ending } = {},
): FakeReply => ({ type: 'body', status, headers, pieces, ending });
export const jsonReply = (value: unknown, status = 200, headers: Record<string, string> = {}): FakeReply =>
  body([JSON.stringify(value)], { status, headers: { ...json, ...headers } });
/**
 * Builds a stream from the kind's events and from promises to wait for; a stream that breaks or stays open is
 * incomplete.
 */
export const stream = (pieces: readonly Piece[], ending: Ending = 'end'): FakeReply =>
  body(pieces, { headers: {}, ending });
export const html = (status = 200): FakeReply =>
  body(['<!doctype html><html><body>Bad gateway</body></html>'], { status, headers: { 'content-type': 'text/html' } });
export const truncatedJson = (): FakeReply => body(['{"id":"c1","choices":[{"index":0,"mess']);
/** Returns a reply with fewer bytes than its declared length. */
export const cutJson = (): FakeReply =>
  body(['{"id":"c1",'], { headers: { ...json, 'content-length': '400' }, ending: 'break' });
/** Repeats the same piece without end, after the pieces `before`. */
export const endless = (piece: Written, before: readonly Piece[] = []): FakeReply => ({
  type: 'endless',
  piece,
  before,
});
export const silent: FakeReply = { type: 'silent' };
export const reset: FakeReply = { type: 'reset' };

/** Returns an error in the kind's format. */
export const refuse = (kind: FakeKind, status: number, message = 'refused', headers: Record<string, string> = {}) =>
  jsonReply(forms[kind].error(status, message), status, headers);
/** Returns a complete stream of the kind as pieces, which a test can truncate, break or delay with promises. */
export const piecesOf = (kind: FakeKind, said: Said): Piece[] => forms[kind].streamed(said);

const jsonOf = (bytes: Buffer): Loose => (bytes.length === 0 ? undefined : JSON.parse(bytes.toString('utf8')));

/** Parses form fields: strings, and files with their bytes. */
async function fieldsOf(type: string, bytes: Buffer): Promise<Loose> {
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
  const fields: Record<string, unknown> = {};
  for (const [name, value] of form) {
    fields[name] =
      typeof value === 'string'
        ? value
        : { name: value.name, type: value.type, base64: Buffer.from(await value.arrayBuffer()).toString('base64') };
  }
  return fields as Loose;
}

export async function startFakeProvider({
  kind,
  script: initial = say(),
}: {
  readonly kind: FakeKind;
  readonly script?: Script;
}): Promise<FakeProvider> {
  const form = forms[kind];
  const requests: RecordedRequest[] = [];
  const waiting: (() => void)[] = [];
  let script = initial;
  let connections = 0;

  const replyTo = (request: RecordedRequest, index: number): FakeReply => {
    if (typeof script === 'function') return script(request, index);
    if ('type' in script) return script;
    return script[Math.min(index, script.length - 1)] ?? say();
  };

  const server = createServer({ keepAliveTimeout: 0 }, async (incoming, response) => {
    const gone = Promise.withResolvers<void>();
    response.on('close', () => {
      if (!response.writableFinished) gone.resolve();
    });
    const bytes = await buffer(incoming);
    const { method = '', url: path = '', headers } = incoming;
    const type = headers['content-type'] ?? '';
    const parsed = type.startsWith('multipart/') ? await fieldsOf(type, bytes) : jsonOf(bytes);
    const isStream = form.isStream(path, parsed ?? {});
    const request = { method, path, headers, body: parsed, stream: isStream, closed: gone.promise };
    requests.push(request);
    for (const wake of waiting.splice(0)) wake();
    await send(response, replyTo(request, requests.length - 1), form, isStream);
  });
  server.on('connection', () => connections++);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    baseUrl: url + form.basePath,
    requests,
    connections: () => connections,
    answers(next) {
      script = next;
      requests.length = 0;
    },
    async request(index = 0) {
      while (requests.length <= index) await new Promise<void>((resolve) => waiting.push(resolve));
      return requests[index]!;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function send(response: ServerResponse, reply: FakeReply, form: Form, isStream: boolean): Promise<void> {
  const streamed = { 'content-type': form.streamType };
  switch (reply.type) {
    case 'silent':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'say': {
      response.writeHead(200, { ...(isStream ? streamed : json), ...reply.headers });
      if (!isStream) response.end(JSON.stringify(form.whole(reply.said)));
      else await write(response, form.streamed(reply.said), form, 'end');
      return;
    }
    case 'body':
      response.writeHead(reply.status, { ...streamed, ...reply.headers });
      await write(response, reply.pieces, form, reply.ending);
      return;
    case 'endless': {
      response.writeHead(200, streamed);
      await write(response, reply.before, form, 'open');
      const bytes = encoded(reply.piece, form);
      const more = (): void => {
        while (!response.destroyed && response.write(bytes));
      };
      response.on('drain', more);
      more();
    }
  }
}

async function write(response: ServerResponse, pieces: readonly Piece[], form: Form, ending: Ending): Promise<void> {
  response.flushHeaders();
  for (const piece of pieces) {
    if (piece instanceof Promise) await piece;
    else if (response.destroyed) return;
    else {
      const bytes = encoded(piece, form);
      await new Promise<void>((written) => response.write(bytes, () => written()));
    }
  }
  if (ending === 'end') response.end();
  else if (ending === 'break') response.destroy();
}

const encoded = (piece: Written, form: Form): string | Uint8Array =>
  typeof piece === 'string' || piece instanceof Uint8Array ? piece : form.encode(piece.event);
