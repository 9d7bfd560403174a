/** A listener with custom routes, and raw client bytes. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { systemIds } from '#adapters/system/ids.ts';
import type { HttpEvent, HttpReply } from '#core/contracts/http.ts';
import type { Route } from '#core/contracts/route.ts';
import { rawBody } from '#lambdas/middleware/body.ts';
import { type HttpServer, listen } from '../../bin/local/http-server.ts';
import type { Loose } from './loose.ts';

const route = (method: Route['method'], path: string): Route => ({
  method,
  path,
  surface: 'admin',
  access: 'open',
  agents: 'yes',
  handledBy: 'observatory',
  operation: 'health',
  summary: '',
});
const routes = [
  route('GET', '/things'),
  route('POST', '/things'),
  route('GET', '/things/{id}'),
  route('GET', '/things/special'),
  route('GET', '/stream'),
  route('GET', '/fault'),
  route('GET', '/broken-header'),
  route('GET', '/slow'),
];

export const maxBodyBytes = 1000;
export let server: HttpServer;
export const logged: string[] = [];
export const streams: { opened: number; closed: number; release: () => void }[] = [];
export const slow = { arrived: Promise.withResolvers<void>(), go: Promise.withResolvers<void>() };

async function handler(event: HttpEvent): Promise<HttpReply> {
  const json = (body: unknown): HttpReply => ({
    statusCode: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (event.resource === '/fault') throw new Error('secret detail');
  if (event.resource === '/broken-header') return { statusCode: 200, headers: { 'x-bad': 'a\r\nb: c' }, body: '' };
  if (event.resource === '/stream')
    return { statusCode: 200, headers: { 'content-type': 'text/plain' }, body: endless() };
  if (event.resource === '/slow') {
    slow.arrived.resolve();
    await slow.go.promise;
  }
  const bytes = rawBody(event);
  return json({
    ...event,
    bytes: undefined,
    body: bytes.length === 0 ? null : bytes.toString(event.isBase64Encoded ? 'base64' : 'utf8'),
    requestContext: undefined,
    sourceIp: event.requestContext.identity.sourceIp,
  });
}

async function* endless(): AsyncGenerator<string> {
  const stream = { opened: 0, closed: 0, release: () => {} };
  streams.push(stream);
  try {
    for (;;) {
      stream.opened++;
      yield 'x'.repeat(65_536);
    }
  } finally {
    stream.closed++;
    stream.release();
  }
}

export const serverOf = (more: object = {}) =>
  listen({
    routes,
    handlers: Promise.resolve({ observatory: handler }),
    ids: systemIds,
    telemetry: { log: (...line: unknown[]) => void logged.push(JSON.stringify(line)) } as never,
    maxBodyBytes: async () => maxBodyBytes,
    host: '127.0.0.1',
    port: 0,
    ...more,
  });

beforeAll(async () => {
  server = await serverOf();
});
afterAll(() => server.drain(0));

export interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
  body: Loose;
}

/** Sends bytes unchanged, and reads until the server closes or `whole` reports that the response is complete. */
export async function raw(bytes: string | Buffer | (string | Buffer)[], port = server.port): Promise<Answer> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  for (const part of [bytes].flat()) socket.write(part);
  return answerFrom(socket);
}

export async function answerFrom(socket: Socket): Promise<Answer> {
  let all = '';
  socket.setEncoding('latin1');
  socket.on('error', () => {});
  for await (const text of socket) {
    all += text;
    const head = all.indexOf('\r\n\r\n');
    const length = /content-length: (\d+)/i.exec(all.slice(0, head))?.[1];
    if (head >= 0 && length !== undefined && all.length >= head + 4 + Number(length)) break;
  }
  socket.destroy();
  const [head = '', bytes = ''] = all.split(/\r\n\r\n(.*)/s);
  const text = Buffer.from(bytes, 'latin1').toString();
  const [first = '', ...lines] = head.split('\r\n');
  const pair = (line: string) => [line.split(':')[0]?.toLowerCase(), line.replace(/^[^:]*: /, '')];
  const headers = Object.fromEntries(lines.map(pair));
  const isJson = headers['content-type'] === 'application/json' && text !== '';
  return { status: Number(first.split(' ')[1]), headers, text, body: isJson ? JSON.parse(text) : undefined };
}

export const head = (line: string, ...headers: string[]) => `${[`${line} HTTP/1.1`, ...headers].join('\r\n')}\r\n\r\n`;
export const get = (path: string, ...headers: string[]) => raw(head(`GET ${path}`, 'Host: localhost', ...headers));
export const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n`;
