/** The `store` member of chat completions is not passed to providers. */
import { caller } from '../support/call-endpoint.ts';
import { keys } from '../support/ports.ts';
import { fake, gateway, useProviderGateway } from '../support/provider-gateway.ts';

useProviderGateway((baseUrl) => ({
  extra: `
providers: [{ name: theirs, type: openai, base_url: "${baseUrl}", api_key_env: PROVIDER_KEY, models: ["theirs-*"] }]
`,
}));

test.each([
  [true, undefined, 'store'],
  ['true', undefined, 'store'],
  [false, false, undefined],
  [undefined, undefined, undefined],
])('[responses.stored] store: %j reaches the provider as %j', async (store, sent, leftOut) => {
  fake.answers({ type: 'say', said: { text: 'hi' } });
  const answer = await caller(gateway.ports)('POST', '/v1/chat/completions', {
    key: keys.agent,
    headers: { 'cache-control': 'no-cache' },
    body: { model: 'theirs-1', messages: [{ role: 'user', content: 'hello' }], store, unknown_member: 1 },
  });
  expect([answer.status, answer.headers['x-left-out']]).toEqual([200, leftOut]);
  expect((await fake.request()).body.store).toBe(sent);
  expect((await fake.request()).body.unknown_member).toBe(1);
});
