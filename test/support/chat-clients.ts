/** A gateway over scripted providers for the end-to-end chat tests, with its callers and helpers to read evidence. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { ChatRecord } from '../../core/contracts/chat.ts';
import type { EvidenceEntry, SessionBundle } from '../../core/contracts/evidence.ts';
import { type Answer, type Ask, ask, type Fields, until, workFolder } from '../e2e/client.ts';
import { type Gateway, startGateway } from './gateway.ts';

/** Keys of the tenant `default`: the calling agent, and the human responsible for the platform. */
export const agentKey = 'chat-agent-key';
export const humanKey = 'chat-human-key';
/** Key that the gateway uses to call its providers. */
export const providerKey = 'sk-of-the-provider-0123456789';

const head = `
version: 1
people: [{ id: alice, role: admin, tenants: ["*"] }]
tenants:
  - id: default
    api_keys:
      - { key: ${agentKey}, role: operator, kind: agent, name: caller }
      - { key: ${humanKey}, role: admin, kind: human, person: alice, name: alice, platform: true }
`;

export interface ChatGateway extends Gateway {
  /** Configuration file; if it is rewritten, it is imported again. */
  readonly file: string;
  readonly yaml: string;
  openai(more?: { apiKey?: string; maxRetries?: number; defaultHeaders?: Record<string, string> }): OpenAI;
  anthropic(more?: { apiKey?: string; maxRetries?: number; defaultHeaders?: Record<string, string> }): Anthropic;
  /** Sends a POST to the gateway, as the agent by default. */
  post<T = Fields>(path: string, given: Ask): Promise<Answer<T>>;
  /** Sends one message to `model`. */
  say(model: string, text: string, more?: Say): Promise<Answer<Fields>>;
  /** Sends a GET below `/admin/v1`, as the human. */
  admin<T = Fields>(path: string, tenant?: string): Promise<Answer<T>>;
  entries(session: string, tenant?: string): Promise<readonly EvidenceEntry[]>;
  /** Returns the bodies of the session's `chat` entries. */
  records(session: string, tenant?: string): Promise<ChatRecord[]>;
  /** Waits for a session's only record, because a caller may disconnect before it is written. */
  record(session: string): Promise<ChatRecord>;
  /** Counts unsettled reservations. */
  open(tenant?: string): Promise<number>;
}

interface Say {
  readonly session?: string;
  readonly key?: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

/** @param yaml added to the configuration: settings for the tenant `default`, other tenants, then all other keys. */
export async function startChatGateway(
  yaml: string,
  options: { readonly env?: Record<string, string>; readonly state?: string } = {},
): Promise<ChatGateway> {
  const file = join(workFolder(), 'gateway.yaml');
  writeFileSync(file, head + yaml);
  const env = { PROVIDER_KEY: providerKey, ...options.env };
  const gateway = await startGateway({ ...options, config: file, env });
  const { gateway_url, admin_url } = gateway.ready;

  const post: ChatGateway['post'] = (path, given) =>
    ask(gateway_url, 'POST', path, { ...given, key: 'key' in given ? given.key : agentKey });
  const admin: ChatGateway['admin'] = (path, tenant = 'default') =>
    ask(admin_url, 'GET', `/admin/v1/${path}`, { key: humanKey, headers: { 'x-tenant-id': tenant } });
  const entries: ChatGateway['entries'] = async (session, tenant) =>
    (await admin<Partial<SessionBundle>>(`evidence/sessions/${session}/export`, tenant)).body.entries ?? [];
  const records: ChatGateway['records'] = async (session, tenant) =>
    (await entries(session, tenant)).flatMap(({ kind, body }) =>
      kind === 'chat' ? [body as unknown as ChatRecord] : [],
    );

  return Object.assign(Object.create(gateway) as Gateway, {
    file,
    yaml: head + yaml,
    openai: (more = {}) => new OpenAI({ baseURL: `${gateway_url}/v1`, apiKey: agentKey, maxRetries: 0, ...more }),
    anthropic: (more = {}) => new Anthropic({ baseURL: gateway_url, apiKey: agentKey, maxRetries: 0, ...more }),
    post,
    say: (model: string, text: string, { session, key = agentKey, headers, body }: Say = {}) =>
      post('/v1/chat/completions', {
        key,
        body: { model, messages: [{ role: 'user', content: text }], ...body },
        headers: { ...(session !== undefined && { 'x-session-id': session }), ...headers },
      }),
    admin,
    entries,
    records,
    record: (session: string) => until(`an entry in ${session}`, async () => (await records(session))[0]),
    open: async (tenant?: string) =>
      (await admin<{ open_reservations: number }>('budgets', tenant)).body.open_reservations,
  });
}

/** Returns the parsed `data:` of an event stream; `[DONE]` stays text. */
export const eventsOf = (text: string): (Fields | string)[] =>
  [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => (data === '[DONE]' ? data : JSON.parse(data)));

/** Returns the configuration's provider entry for a scripted provider. */
export const providerYaml = (name: string, type: string, baseUrl: string, more = ''): string =>
  `  - { name: ${name}, type: ${type}, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY${more} }`;
