/** The kinds of hostile requests: chats, actions, MCP messages. */
import { hostileKeys } from './configuration.ts';
import { type Answer, post, type Target } from './send.ts';

export interface HostileForm {
  readonly name: string;
  /** Expected statuses or close codes. */
  readonly answers: readonly number[];
  /** Pattern that the response must match. */
  readonly says?: RegExp;
  /** Creates what the first request needs, such as a session with many entries. */
  prepare?(target: Target): Promise<unknown>;
  /** True if the request takes more than a second of work: `npm test` leaves it to `npm run test:thorough`. */
  readonly heavy?: true;
  /** Number of requests sent at the same time. */
  readonly concurrency?: number;
  send(target: Target): Promise<Answer>;
}

export const heavy = (hostile: HostileForm): HostileForm => ({ ...hostile, heavy: true });

export const key = hostileKeys.agent;
export const MB = 1_000_000;
/** Returns a function that creates the value on first use and caches it. */
function once<T>(make: () => T): () => T {
  let made: { readonly it: T } | undefined;
  return () => {
    made ??= { it: make() };
    return made.it;
  };
}

export const times = (text: string, characters: number): string => text.repeat(Math.ceil(characters / text.length));

export const chat = (
  name: string,
  body: () => string | Buffer,
  answers: readonly number[],
  says?: RegExp,
): HostileForm => {
  const made = once(body);
  return {
    name,
    answers,
    ...(says && { says }),
    send: ({ gateway }) => post({ url: `${gateway}/v1/chat/completions`, key, body: made() }),
  };
};
export const chatBody = (content: unknown, more: object = {}) =>
  JSON.stringify({ model: 'mock', messages: [{ role: 'user', content }], ...more });
/**
 * Statuses of an inspected request. A filter that cannot finish a text within its time or size limit blocks it (403);
 * the test finds that filter in evidence.
 */
export const lookedAt = [200, 403, 413, 503] as const;
export const textForm = (name: string, content: () => string): HostileForm =>
  chat(name, () => chatBody(content()), lookedAt);

export const action = (name: string, call: () => object, answers: readonly number[], says?: RegExp): HostileForm => {
  const made = once(() => JSON.stringify({ dry_run: true, ...call() }));
  return {
    name,
    answers,
    ...(says && { says }),
    send: ({ admin }) =>
      post({
        url: `${admin}/admin/v1/test-action`,
        key,
        body: made(),
      }),
  };
};
export const shell = (name: string, parameters: () => object, says?: RegExp): HostileForm =>
  action(
    name,
    () => ({ protocol: 'shell', tool: 'shell.exec', target: 'x', capability: 'execute', parameters: parameters() }),
    [200, 413],
    says,
  );
export const sql = (name: string, query: () => string): HostileForm =>
  action(
    name,
    () => ({ protocol: 'sql', tool: 'sql.query', target: 'shop', capability: 'read', parameters: { sql: query() } }),
    [200, 413],
  );
export const git = (name: string, call: () => object, answers: readonly number[] = [200, 413]): HostileForm =>
  action(
    name,
    () => ({ protocol: 'git', tool: 'scm.get_file_contents', target: 'acme/web', capability: 'read', ...call() }),
    answers,
  );
export const rpc = (method: string, params: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
export const mcp = (name: string, body: () => string, answers: readonly number[], says?: RegExp): HostileForm => {
  const made = once(body);
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
  return {
    name,
    answers,
    ...(says && { says }),
    send: ({ mcp: url }) => post({ url: `${url}/mcp`, key, headers, body: made() }),
  };
};
