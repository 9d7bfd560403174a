/**
 * Provider streams split at any position: content policies and tool governance make the same decisions as on the whole
 * response.
 */
import type { HttpCall } from '#core/models/providers/http.ts';
import { providersFrom } from '#core/models/providers/providers.ts';
import { caller } from '../support/call-endpoint.ts';
import { runs } from '../support/extent.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

const extra = `
providers:
  - { name: open, type: openai, base_url: "http://open.test/v1", models: ["gpt-*"], api_key_env: PROVIDER_KEY }
  - { name: anthro, type: anthropic, base_url: "http://anthro.test", models: ["claude-*"], api_key_env: PROVIDER_KEY }
policies:
  output:
    - { name: words, type: keyword, action: block, keywords: ["geheim é plan"] }
    - { name: pii, type: pii, action: redact, entities: [email, credit_card] }
messages: { tool_use: govern }
behavior: { enabled: false }
`;

let pieces: readonly Uint8Array[] = [];
let call: ReturnType<typeof caller>;

const gateway = useGateway(() => ({ extra, secrets: { PROVIDER_KEY: 'provider-key-of-the-test' } }));
beforeAll(() => {
  const http: HttpCall = async () => ({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    retryAfterSeconds: undefined,
    body: {
      async *[Symbol.asyncIterator]() {
        yield* pieces;
      },
      release: () => {},
      close: () => {},
    },
    bytes: async () => Buffer.concat(pieces),
    text: async () => Buffer.concat(pieces).toString(),
  });
  const { secrets, clock, timeouts } = gateway.ports;
  const providers = providersFrom({ http, secrets, clock, timeouts, bedrock: undefined });
  call = caller({ ...gateway.ports, providers });
});

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'gpt-x', choices: [{ index: 0, delta, finish_reason: finish }] })}\r\n\r\n`;
const said = (...texts: string[]) =>
  `: ping\n\n${chunk({ role: 'assistant', content: '' })}${texts.map((content) => chunk({ content })).join('')}${chunk({}, 'stop')}data: [DONE]\n\n`;
const called = (name: string, ...parts: string[]) =>
  `${chunk({ tool_calls: [{ index: 0, id: 't', type: 'function', function: { name, arguments: '' } }] })}${parts
    .map((each) => chunk({ tool_calls: [{ index: 0, function: { arguments: each } }] }))
    .join('')}${chunk({}, 'tool_calls')}data: [DONE]\n\n`;
const event = (type: string, more: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
const usage = { input_tokens: 1, output_tokens: 1 };
const message = (block: object, ...deltas: object[]) =>
  event('message_start', {
    message: { id: 'm', type: 'message', role: 'assistant', model: 'claude-x', content: [], usage },
  }) +
  event('content_block_start', { index: 0, content_block: block }) +
  deltas.map((delta) => event('content_block_delta', { index: 0, delta })).join('') +
  event('content_block_stop', { index: 0 }) +
  event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }) +
  event('message_stop', {});
const text = (words: string) => ({ type: 'text_delta', text: words });
const input = (partial_json: string) => ({ type: 'input_json_delta', partial_json });

const chat = { path: '/v1/chat/completions', model: 'gpt-x' };
const messages = { path: '/v1/messages', model: 'claude-x' };
const responses = { path: '/v1/responses', model: 'gpt-x' };
const plain = said('Grüße, ', 'naïve 🙂');
const blocked = said('das ge', 'heim', ' é pl', 'an ist');
const redacted = said('write to ev', 'e@evil.exa', 'mple or 4111 1111 11', '11 1111 now');

const forbidden = message({ type: 'text', text: '' }, text('das ge'), text('heim é'), text(' plan'));
const everything = { type: 'tool_use', id: 't', name: 'delete_everything', input: {} };
const deleting = message(everything, input('{"path":"/'), input('etc/shadow"}'));

const streams = [
  ['a plain chat', chat, plain, 'naïve'],
  ['a chat that is blocked', chat, blocked, 'policy_violation'],
  ['a chat that is redacted', chat, redacted, '[REDACTED'],
  ['a chat as a message', { ...messages, model: 'gpt-x' }, redacted, '[REDACTED'],
  ['a chat as a response', responses, redacted, '[REDACTED'],
  ['a response that is blocked', responses, blocked, 'policy_violation'],
  ['a message that is blocked', messages, forbidden, 'policy_violation'],
  ['a call whose arguments hold an address', chat, called('send', '{"to":"ev', 'e@evil.exa', 'mple"}'), '[REDACTED'],
  ['a message with a governed call', messages, deleting, 'delete_everything'],
] as const;

/** Removes ids and times, which differ from call to call. */
const comparable = ({ status, text: body }: { status: number; text: string }): string =>
  `${status} ${body.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'id').replace(/"(created|created_at|completed_at|queued_at|expires_at)":("[^"]*"|\d+)/g, '"$1":0')}`;

let asked = 0;

async function answered({ path, model }: { path: string; model: string }, cut: readonly Uint8Array[]): Promise<string> {
  pieces = cut;
  // Asks a different question each time, because a cached response would not come from the provider.
  const content = `question ${asked++}`;
  const body = {
    model,
    stream: true,
    max_tokens: 50,
    ...(path.endsWith('responses')
      ? { input: content, max_tokens: undefined }
      : { messages: [{ role: 'user', content }] }),
  };
  return comparable(await call('POST', path, { key: keys.agent, body }));
}

/** Returns the text that a client reads, whatever events carry it, because a split may divide the text of one event. */
const words = (answer: string): string =>
  [...answer.matchAll(/"(?:content|text|delta|partial_json|arguments|thinking)":"((?:[^"\\]|\\.)*)"/g)]
    .map(([, each]) => each)
    .join('');

test.each(streams)(
  '[chat.streams-cut] %s gets the same decision wherever the stream is split',
  async (_, to, stream, expected) => {
    const bytes = new TextEncoder().encode(stream);
    const whole = await answered(to, [bytes]);
    expect(whole).toContain(expected);
    const step = Math.max(1, Math.floor(bytes.length / runs(120, 40)));
    for (let at = 0; at <= bytes.length; at += step) {
      const cut = await answered(to, [bytes.subarray(0, at), bytes.subarray(at, at + 1), bytes.subarray(at + 1)]);
      expect([at, words(cut), cut.includes(expected)]).toEqual([at, words(whole), true]);
    }
    const each = await answered(
      to,
      [...bytes].map((_byte, at) => bytes.subarray(at, at + 1)),
    );
    expect(words(each)).toBe(words(whole));
  },
);
