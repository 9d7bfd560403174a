/**
 * Ways to send hostile traffic: whole requests, raw bytes that never end, and WebSockets. All of them are bounded and
 * use loopback only.
 */
import { request } from 'node:http';
import { connect } from 'node:net';
import { WebSocket } from 'ws';

export interface Target {
  readonly gateway: string;
  readonly admin: string;
  readonly mcp: string;
  /** Base URL of the hostile MCP server itself. */
  readonly server: string;
}

/** A response: an HTTP status or a close code, and enough of the text to identify the response. */
export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Time without a response after which the result counts as no response. */
const answerTimeoutMs = 120_000;
const keptCharacters = 2_000_000;

export interface Post {
  readonly url: string;
  readonly key?: string | undefined;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
}

export function post({ url, key, body, headers = {}, method = 'POST' }: Post): Promise<Answer> {
  return new Promise((resolve) => {
    const sent = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...(key !== undefined && { 'x-api-key': key }),
      ...headers,
    };
    const call = request(url, { method, headers: sent, agent: false, timeout: answerTimeoutMs }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        if (text.length < keptCharacters) text += chunk;
      });
      response.once('close', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    call.once('timeout', () => call.destroy());
    call.once('error', (fault) => resolve({ status: 0, text: fault.message }));
    call.end(body);
  });
}

/** Sends bytes on a bare connection; `then` may continue writing until the connection closes or time runs out. */
export function raw(
  url: string,
  bytes: string,
  ms: number,
  then?: (write: (more: string) => boolean) => void,
): Promise<Answer> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => {
      socket.write(bytes);
      then?.((more) => !socket.destroyed && socket.writable && socket.write(more));
    });
    let text = '';
    const over = setTimeout(() => socket.destroy(), ms);
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      if (text.length < keptCharacters) text += chunk;
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      clearTimeout(over);
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text });
    });
  });
}

export interface Say {
  readonly url: string;
  readonly key?: string;
  readonly messages: readonly string[];
  /** Number of replies after which the caller disconnects. */
  readonly until?: number;
}

/** @returns the close code; 1000 if the caller received all the replies it was waiting for. */
export function say({ url, key, messages, until = 1 }: Say): Promise<Answer> {
  return new Promise((resolve) => {
    const ws = new WebSocket(
      `${url.replace('http', 'ws')}/v1/ws`,
      key === undefined ? {} : { headers: { 'x-api-key': key } },
    );
    let [text, heard] = ['', 0];
    const over = setTimeout(() => ws.terminate(), answerTimeoutMs);
    ws.once('open', () => {
      for (const message of messages) ws.send(message);
    });
    ws.on('message', (data) => {
      const said = String(data);
      if (said.startsWith('{"type":"ready"')) return;
      if (text.length < keptCharacters) text += said.slice(0, keptCharacters);
      if (++heard === until) ws.close(1000);
    });
    ws.on('error', () => {});
    ws.once('close', (code) => {
      clearTimeout(over);
      resolve({ status: code, text });
    });
  });
}
