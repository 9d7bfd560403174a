/** WebSocket client for the chat API: sends messages, waits for expected ones, and records all. */
import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';
import type { Loose } from './loose.ts';

export interface SocketMessage {
  readonly type: string;
  readonly id?: string;
  readonly status?: number;
  readonly [member: string]: Loose;
}

export interface SocketCaller {
  readonly ws: WebSocket;
  readonly heard: readonly SocketMessage[];
  /** Resolves with the close code. */
  readonly closed: Promise<number>;
  say(message: object | string): void;
  /** Waits for the first matching message, already received or not; rejects if the connection closes without it. */
  hear(type: string, id?: string): Promise<SocketMessage>;
  /** Returns the content of a call's chat chunks, joined. */
  textOf(id: string): string;
}

const open = new Set<WebSocket>();
afterEach(() => {
  for (const ws of open) ws.terminate();
  open.clear();
});

/** Connects, and disconnects when the test ends. */
export async function connectSocket(url: string, options: ClientOptions = {}): Promise<SocketCaller> {
  const ws = new WebSocket(url, options);
  open.add(ws);
  const heard: SocketMessage[] = [];
  const wanting = new Set<() => void>();
  const wake = () => {
    for (const look of wanting) look();
  };
  const closed = once(ws, 'close').then(([code]) => code as number);
  closed.then(wake, () => {});
  ws.on('message', (data) => {
    heard.push(JSON.parse(String(data)) as SocketMessage);
    wake();
  });
  await once(ws, 'open');
  ws.on('error', () => {});
  return {
    ws,
    heard,
    closed,
    say: (message) => ws.send(typeof message === 'string' ? message : JSON.stringify(message)),
    hear: (type, id) =>
      new Promise((resolve, reject) => {
        let seen = 0;
        const look = () => {
          let found: SocketMessage | undefined;
          while (!found && seen < heard.length) {
            const message = heard[seen++]!;
            if (message.type === type && (id === undefined || message.id === id)) found = message;
          }
          if (!found && ws.readyState !== WebSocket.CLOSED) return;
          wanting.delete(look);
          if (found) resolve(found);
          else reject(new Error(`closed before ${type} ${id ?? ''}: ${JSON.stringify(heard).slice(0, 500)}`));
        };
        wanting.add(look);
        look();
      }),
    textOf: (id) => textOf(heard, id),
  };
}

export const textOf = (heard: readonly SocketMessage[], id: string): string =>
  heard
    .filter((message) => message.type === 'event' && message.id === id)
    .map(({ data }) => data.choices?.[0]?.delta?.content ?? '')
    .join('');
