/** An MCP server in the test's process: it offers the tools it is given, and records every message as received. */
import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { JsonObject } from '#core/kernel/json.ts';
import { serve } from './serve.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  /** The body as it was sent. */
  readonly text: string;
  readonly message: JsonObject & { readonly method?: string; readonly params?: JsonObject };
}

export interface RecordingServer {
  readonly url: string;
  /** Messages of one method, oldest first. */
  received(method?: string): Received[];
  /** Returns every message, including responses to the server's own requests. */
  everything(): readonly Received[];
  clear(): void;
  /** Sets the result of later tool calls; if undefined, the default is used. */
  answer(result: JsonObject | undefined): void;
  /** Replaces the offered tools. */
  offer(tools: readonly JsonObject[]): void;
  /**
   * Makes the server respond with this HTTP status to every request, or to those with one method, until it is undefined
   * again.
   */
  fail(status: number | undefined, method?: string): void;
  stop(): Promise<void>;
}

export const plainTool = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  ...more,
});

export async function startRecordingServer(offered: readonly JsonObject[]): Promise<RecordingServer> {
  let tools = offered;
  let failing: { readonly status: number | undefined; readonly method?: string | undefined } = { status: undefined };
  let answered: JsonObject | undefined;
  const received: Received[] = [];
  const served = await serve(async (request, response) => {
    const body = await text(request);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(body) as Received['message'];
    if (failing.status !== undefined && (failing.method ?? message.method) === message.method)
      return void response.writeHead(failing.status).end();
    received.push({ headers: request.headers, text: body, message });
    if (message.id === undefined || message.method === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': 'recording' });
    const result =
      message.method === 'tools/call' && answered ? answered : resultOf(message.method, message.params ?? {}, tools);
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  });
  return {
    stop: served.stop,
    url: `${served.url}/mcp`,
    received: (method = 'tools/call') => received.filter(({ message }) => message.method === method),
    everything: () => received,
    clear: () => void received.splice(0),
    answer: (result) => {
      answered = result;
    },
    offer: (other) => {
      tools = other;
    },
    fail: (status, method) => {
      failing = { status, method };
    },
  };
}

function resultOf(method: string, params: JsonObject, tools: readonly JsonObject[]): JsonObject {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: '2025-11-25',
        capabilities: {
          tools: { listChanged: true },
          prompts: {},
          resources: { subscribe: true },
          completions: {},
          logging: {},
        },
        serverInfo: { name: 'recording', version: '1' },
      };
    case 'tools/list':
      return { tools: [...tools] };
    case 'tools/call':
      return { content: [{ type: 'text', text: `ran ${String(params.name)}` }] };
    case 'prompts/get':
      return { messages: [] };
    case 'resources/read':
      return { contents: [] };
    case 'completion/complete':
      return { completion: { values: [] } };
    default:
      return {};
  }
}
