/** Calls are charged by the model that served them. */
import type { ChatRecord } from '#core/contracts/chat.ts';
import { caller } from '../support/call-endpoint.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { jsonReply } from '../support/fake-providers.ts';
import { keys } from '../support/ports.ts';
import { fake, gateway, useProviderGateway } from '../support/provider-gateway.ts';

const row = (match: string, more = '') =>
  `{ match: "${match}", input_usd_per_million: 3, output_usd_per_million: 15, source: "https://example.com/prices"${more} }`;

useProviderGateway((baseUrl) => ({
  extra: `
providers:
  - { name: theirs, type: openai, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY, models: ["plain", "long"] }
prices:
  table:
    as_of: "2026-01-01"
    models:
      - ${row('plain')}
      - ${row('long', ', long_context: { above_tokens: 200000, input_usd_per_million: 6, output_usd_per_million: 22.5 }')}
`,
}));

let calls = 0;
async function charged(model: string, more: object, reply: object, input: number): Promise<number> {
  const session = `served-${++calls}`;
  const usage = { prompt_tokens: input, completion_tokens: 0, total_tokens: input };
  const choices = [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }];
  fake.answers(jsonReply({ id: 'c', object: 'chat.completion', model, choices, usage, ...reply }));
  const answer = await caller(gateway.ports)('POST', '/v1/chat/completions', {
    key: keys.agent,
    headers: { 'x-session-id': session, 'cache-control': 'no-cache' },
    body: { model, messages: [{ role: 'user', content: 'hello' }], max_tokens: 5, ...more },
  });
  expect(answer.status).toBe(200);
  const entries = await evidenceOf(gateway.ports, session);
  return (entries.at(-1)!.body as unknown as ChatRecord).cost_microusd!;
}

test.each([
  ['auto', 'priority', 6_000],
  ['priority', 'default', 3_000],
  ['priority', undefined, 6_000],
  [undefined, undefined, 3_000],
  ['auto', 'something_new', 6_000],
])('[budget.served] tier %s asked for and %s served: %d micro-dollars', async (asked, served, expected) => {
  const cost = await charged(
    'plain',
    asked === undefined ? {} : { service_tier: asked },
    served === undefined ? {} : { service_tier: served },
    1_000,
  );
  expect(cost).toBe(expected);
});

test('[budget.served] a long context has its own price if the row has one', async () => {
  expect(await charged('long', {}, {}, 300_000)).toBe(1_800_000);
  expect(await charged('long', {}, {}, 200_000)).toBe(600_000);
  expect(await charged('plain', {}, {}, 300_000)).toBe(900_000);
});
