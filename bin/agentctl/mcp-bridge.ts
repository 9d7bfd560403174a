/**
 * `mcp-bridge`: connects stdio to the MCP gateway, for clients that start servers as programs. Each message is one
 * line. Every request gets a response, even if it is only an error because the gateway cannot be reached; a
 * notification never gets one.
 */

import { isLoopback } from '#core/configuration/identity/federation/urls.ts';
import { byteLines } from '#core/kernel/byte-lines.ts';
import { type SseEvent, sseDecoder } from '#core/models/dialects/sse.ts';
import { addCommand, type Cli, type Parent } from './command.ts';
import { generatedKey, localRunOf, resolveAddress, sentTo } from './settings.ts';

export function addMcpBridge(parent: Parent): void {
  addCommand<object>(parent, {
    usage: 'mcp-bridge',
    summary: 'Connect a client over stdio to the MCP gateway at --url',
    examples: ['mcp-bridge', 'mcp-bridge --url https://mcp.example.com --key "$AGENTCTL_KEY"'],
    run: async (cli) => {
      await bridge(targetOf(cli, process.env), process.stdin, (line) => void process.stdout.write(`${line}\n`));
      return 'positive';
    },
  });
}

export interface BridgeTarget {
  /** URL of the endpoint. */
  readonly url: string;
  readonly key: string | undefined;
}

/** Returns the endpoint and key, taken from flags, then the environment, then a local run's files. */
export function targetOf({ globals }: Pick<Cli, 'globals'>, env: NodeJS.ProcessEnv): BridgeTarget {
  const run = localRunOf(globals, env);
  const named = globals.url ?? (env.AGENTCTL_MCP_URL || undefined);
  const address = resolveAddress('mcpUrl', named, run);
  const own = globals.key ?? (globals.as === undefined ? env.AGENTCTL_KEY || undefined : undefined);
  const key = own === undefined ? generatedKey(address.url, globals.as ?? 'agent', run) : sentTo(address, own);
  return { url: address.url.endsWith('/mcp') ? address.url : `${address.url}/mcp`, key: key?.trim() };
}

/** Resolves when the client has closed its end and all its requests have been answered. */
export async function bridge(
  target: BridgeTarget,
  input: NodeJS.ReadableStream,
  print: (line: string) => void,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const connection = new Connection(target, print);
  for await (const { text: line } of byteLines(input)) {
    if (line.trim() === '') continue;
    const work = connection.take(line).finally(() => running.delete(work));
    running.add(work);
    // Later messages may need the session that `initialize` opens.
    if (connection.opening) await work;
  }
  await Promise.all(running);
  await connection.end();
}

interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: { readonly _meta?: Readonly<Record<string, unknown>>; readonly [key: string]: unknown };
  readonly result?: { readonly protocolVersion?: unknown };
}

class Connection {
  /** True while an `initialize` is in progress. */
  opening = false;
  readonly #target: BridgeTarget;
  readonly #print: (line: string) => void;
  readonly #ended = new AbortController();
  #session: string | undefined;
  #version: string | undefined;

  constructor(target: BridgeTarget, print: (line: string) => void) {
    this.#target = target;
    this.#print = print;
  }

  /** Handles a message. Never rejects. */
  async take(line: string): Promise<void> {
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      return this.#fail(null, -32700, 'The line is not JSON.');
    }
    const asks =
      message !== null && typeof message === 'object' && message.id !== undefined && message.method !== undefined;
    const id = asks ? message.id! : Array.isArray(message) ? null : undefined;
    this.opening = asks && message.method === 'initialize';
    try {
      await this.#send(line, message, id);
    } catch (fault) {
      if (id !== undefined) this.#fail(id, -32000, unreachable(this.#target.url, fault));
    }
  }

  async end(): Promise<void> {
    this.#ended.abort();
    if (this.#session === undefined) return;
    const signal = AbortSignal.timeout(2_000);
    await fetch(this.#target.url, { method: 'DELETE', headers: this.#headers({}), signal }).catch(() => {});
  }

  async #send(line: string, message: Message, id: string | number | null | undefined): Promise<void> {
    const headers = { ...this.#headers(message), 'content-type': 'application/json' };
    const response = await fetch(this.#target.url, { method: 'POST', headers, body: line, redirect: 'error' });
    const type = response.headers.get('content-type') ?? '';
    let answered = false;
    const hand = (text: string) => {
      const reported = this.#tell(text, id);
      answered ||= reported;
    };
    if (type.startsWith('text/event-stream')) for await (const { data } of events(response)) hand(data);
    else if (type.startsWith('application/json')) hand(await response.text());
    else await response.body?.cancel();
    if (this.opening && response.ok) this.#opened(response);
    if (id !== undefined && !answered && !(response.ok && type.startsWith('text/event-stream')))
      this.#fail(id, -32000, `${this.#target.url} answered HTTP ${response.status} without a message.`);
  }

  /** Prints a received message. An error without an id is treated as the response to the pending request. */
  #tell(text: string, id: string | number | null | undefined): boolean {
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return false;
    }
    for (const each of Array.isArray(message) ? message : [message]) {
      const { method, id: own, result } = each as Message;
      if (method === undefined && id === undefined) continue; // a refused notification: there is no request to answer
      const printed = method === undefined && own === null && id !== undefined ? { ...(each as object), id } : each;
      if (typeof result?.protocolVersion === 'string') this.#version = result.protocolVersion;
      this.#print(JSON.stringify(printed));
    }
    return true;
  }

  #opened(response: Response): void {
    this.#session = response.headers.get('mcp-session-id') ?? undefined;
    if (this.#session !== undefined) void this.#listen();
  }

  /** Reads the messages that servers send unprompted. */
  async #listen(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      try {
        const headers = { ...this.#headers({}), accept: 'text/event-stream' };
        const response = await fetch(this.#target.url, { headers, signal: this.#ended.signal });
        if (!response.ok) return;
        for await (const { data } of events(response)) this.#tell(data, null);
      } catch {
        // Reopened below; requests fail if the gateway is gone.
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000).unref());
    }
  }

  #headers({ method, params }: Message): Record<string, string> {
    const modern = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
    const named = [params?.name, params?.uri, params?.taskId].find((value) => typeof value === 'string') as
      | string
      | undefined;
    const version = typeof modern === 'string' ? modern : method === 'initialize' ? undefined : this.#version;
    return {
      accept: 'application/json, text/event-stream',
      ...(this.#target.key !== undefined && { 'x-api-key': this.#target.key }),
      ...(this.#session !== undefined && modern === undefined && { 'mcp-session-id': this.#session }),
      ...(version !== undefined && { 'mcp-protocol-version': version }),
      ...(typeof modern === 'string' && method !== undefined && { 'mcp-method': method }),
      ...(typeof modern === 'string' && named !== undefined && { 'mcp-name': headerText(named) }),
    };
  }

  #fail(id: string | number | null, code: number, message: string): void {
    this.#print(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } }));
  }
}

async function* events(response: Response): AsyncGenerator<SseEvent> {
  const decoder = sseDecoder({ maxEventBytes: 64 * 1024 * 1024 });
  for await (const bytes of response.body ?? []) yield* decoder.push(bytes);
  yield* decoder.end();
}

const headerText = (value: string): string =>
  /^[\x21-\x7e]+$/.test(value) ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`;

function unreachable(url: string, fault: unknown): string {
  const { cause } = fault as { cause?: { code?: string } };
  const why = cause?.code ?? (fault as Error).message;
  const advice = isLoopback(url) ? 'start it with `npm start`' : 'check the address (--url) and the network';
  return `The MCP gateway at ${url} cannot be reached (${why}): ${advice}.`;
}
