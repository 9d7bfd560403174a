/**
 * File and batch handlers with the embedded store, and a provider account that is reached over real HTTP and does not
 * distinguish tenants.
 */
import { chatHandlers } from '#lambdas/handlers.ts';
import { withBytes } from '#lambdas/middleware/body.ts';
import { eventTo } from '../../../test/support/call-endpoint.ts';
import { chatRecordsOf } from '../../../test/support/evidence-of.ts';
import { type BatchAccount, batchAccount } from '../../../test/support/fake-batches.ts';
import type { Loose } from '../../../test/support/loose.ts';
import { keys } from '../../../test/support/ports.ts';
import { fake, filters, gateway, useProviderGateway } from '../../../test/support/provider-gateway.ts';

export let account: BatchAccount;

export const other = keys.other;
export interface Line {
  readonly id?: string;
  readonly text?: string;
  readonly body?: object;
  readonly over?: object;
}
const lineOf = ({ id = 'r1', text = 'hello', body = {}, over = {} }: Line = {}) => ({
  custom_id: id,
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'theirs-1', max_tokens: 10, messages: [{ role: 'user', content: text }], ...body },
  ...over,
});
export const linesOf = (...lines: readonly Line[]) =>
  lines.map((line, at) => `${JSON.stringify(lineOf({ id: `r${at + 1}`, ...line }))}\n`).join('');

interface Sent {
  readonly key?: string;
  readonly session?: string;
  readonly approval?: string;
  /** Content type of the file. */
  readonly type?: string;
  /** Aborted when the caller disconnects. */
  readonly signal?: AbortSignal;
}
const answerOf = async (event: Parameters<ReturnType<typeof chatHandlers>['models']>[0], signal?: AbortSignal) => {
  const reply = await chatHandlers(gateway.ports)['chat-completions'](event, {
    awsRequestId: 'r',
    ...(signal && { signal }),
  });
  await reply.finished;
  const text = String(reply.body);
  const json = reply.headers['content-type'] === 'application/json';
  return { status: reply.statusCode, headers: reply.headers, text, body: (json ? JSON.parse(text) : {}) as Loose };
};
export async function upload(
  text: string | Uint8Array,
  sent: Sent = {},
  fields: Readonly<Record<string, string>> = { purpose: 'batch' },
) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new File([text as string], 'calls.jsonl', { type: sent.type ?? 'application/jsonl' }));
  const made = new Response(form);
  const headers = {
    'content-type': made.headers.get('content-type')!,
    'x-session-id': sent.session ?? 'batches',
    ...(sent.approval !== undefined && { 'x-approval-ref': sent.approval }),
  };
  const event = eventTo('POST', '/v1/files', { key: sent.key ?? keys.agent, headers });
  return answerOf(withBytes(event, Buffer.from(await made.arrayBuffer())), sent.signal);
}
export const send = (
  method: string,
  path: string,
  body?: object,
  { key = keys.agent, session = 'batches', signal }: Sent = {},
) => answerOf(eventTo(method, path, { key, headers: { 'x-session-id': session }, ...(body && { body }) }), signal);
export const start = (input_file_id: string, over: object = {}, sent?: Sent) =>
  send(
    'POST',
    '/v1/batches',
    { input_file_id, endpoint: '/v1/chat/completions', completion_window: '24h', ...over },
    sent,
  );
export const uploaded = async (text: string, sent?: Sent): Promise<string> => (await upload(text, sent)).body.id;
export const started = async (text: string, sent?: Sent): Promise<string> =>
  (await start(await uploaded(text, sent), {}, sent)).body.id;
export const results = async (id: string, sent?: Sent) => {
  const { body } = await send('GET', `/v1/batches/${id}`, undefined, sent);
  const { status, text, headers } = await send('GET', `/v1/files/${body.output_file_id}/content`, undefined, sent);
  return {
    status,
    headers,
    lines:
      status === 200
        ? text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as Loose)
        : [],
  };
};
export const recordsOf = (session: string, tenant = 'default') => chatRecordsOf(gateway.ports, session, tenant);
export const theirIds = /theirs\d|file-out/;

export function useBatchGateway(): void {
  useProviderGateway((baseUrl) => ({
    tenants: `
  - id: strict
    allowed_models: ["theirs-1"]
    max_body_bytes: 3000
    api_keys: [{ key: strict-key, name: strict }]
  - id: paid
    system_prompt: "House rules."
    api_keys: [{ key: paid-key, name: paid }, { key: paid-viewer, kind: service, role: viewer, name: paid-viewer }]
  - id: paged
    api_keys: [{ key: paged-key, name: paged }]
  - id: slow
    rate_limit: { requests_per_minute: 2, tokens_per_minute: 5000 }
    api_keys: [{ key: slow-key, name: slow }]
`,
    extra: `
providers:
  - { name: mock, type: mock, models: ["mock"] }
  - { name: theirs, type: openai, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY, models: ["theirs-*"] }
aliases: { models: { fast: theirs-1 } }
${filters}transform: { response: { replacements: { "colour": "color" } } }
budgets: { tenants: { paid: { monthly_usd: 5 } } }
prices:
  table:
    as_of: "2026-01-01"
    models: [{ match: "theirs-*", input_usd_per_million: 1, output_usd_per_million: 10, source: "https://prices.example" }]
`,
  }));
  beforeEach(() => {
    gateway.pass(61);
    account = batchAccount();
    fake.answers(account.script);
  });
}
