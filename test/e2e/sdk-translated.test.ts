import { Stream } from 'openai/core/streaming';
import { refuse } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';
import { anthropic, anthropicHost, failure, gateway, openai, openaiHost, useOddClients } from './odd-clients.ts';

useOddClients(`
routes:
  - { match: { model: both }, providers: [openai, anthropic] }
  - { match: { model: htob }, providers: [anthropic, openai] }
`);

let sessions = 0;
const session = () => ({ 'x-session-id': `t${sessions++}` });
const messages = [{ role: 'user' as const, content: 'hi' }];
test.each<[string, object]>([
  ['logprobs', { logprobs: true, top_logprobs: 2 }],
  ['n', { n: 2 }],
  ['logit_bias', { logit_bias: { 50256: -100 } }],
  ['response_format', { response_format: { type: 'json_object' } }],
])(
  '[chat.translated-members] an OpenAI client that asks Claude for %s is refused and told what is allowed',
  async (param, more) => {
    for (const stream of [false, true]) {
      const headers = session();
      const refused = await failure(
        openai.chat.completions.create({ model: 'claude-x', messages, ...more, stream }, { headers }),
      );
      expect(refused).toMatchObject({ status: 400, param, error: { reason: 'unsupported_parameter' } });
      expect(refused.message).toMatch(new RegExp(`${param}.* allowed: `));
      expect(await gateway.record(headers['x-session-id'])).toMatchObject({
        outcome: 'failed',
        status: 400,
        attempts: [{ provider: 'anthropic', error: '400' }],
        usage: { input_tokens: 0, output_tokens: 0 },
      });
    }
    expect(anthropicHost.requests).toHaveLength(0);
  },
);

test('[chat.translated-members] ignored OpenAI parameters are listed in a header and in evidence, for whole, streamed and cached responses', async () => {
  const asked = {
    model: 'claude-x',
    messages,
    seed: 7,
    presence_penalty: 0.5,
    frequency_penalty: 0,
    n: 1,
    logprobs: false,
  };
  for (const [more, cache] of [
    [{}, 'MISS'],
    [{}, 'HIT'],
    [{ stream: true }, 'HIT'],
    [{ stream: true, temperature: 1.5 }, undefined],
  ] as const) {
    const headers = session();
    const { data, response } = await openai.chat.completions.create({ ...asked, ...more }, { headers }).withResponse();
    const names = ['seed', 'presence_penalty', ...('temperature' in more ? ['temperature above 1'] : [])];
    expect([response.headers.get('x-left-out'), response.headers.get('x-cache')]).toEqual([
      names.join(', '),
      cache ?? null,
    ]);
    if (data instanceof Stream) for await (const _ of data);
    expect(await gateway.record(headers['x-session-id'])).toMatchObject({ left_out: names });
  }
  expect(anthropicHost.requests[0]!.body).not.toHaveProperty('seed');
});

test("[chat.translated-members] with another vendor's model, the Anthropic client's thinking is dropped and reported, and a container is refused", async () => {
  const asked: Loose = {
    model: 'gpt-x',
    max_tokens: 2000,
    messages,
    thinking: { type: 'enabled', budget_tokens: 1024 },
    top_k: 5,
  };
  const { data, response } = await anthropic.messages.create(asked).withResponse();
  expect((data as Loose).content).toMatchObject([{ type: 'text', text: 'Hello' }]);
  expect(response.headers.get('x-left-out')).toBe('thinking, top_k');
  const refused = await failure(anthropic.messages.create({ ...asked, container: 'c1' }));
  expect(refused).toMatchObject({
    status: 400,
    type: 'invalid_request_error',
    error: { error: { param: 'container' } },
  });
});

test('[chat.translated-members] for responses, one header lists the members that chat completions or the provider do not support', async () => {
  const { response } = await openai.responses
    .create({ model: 'claude-x', input: 'hi', truncation: 'auto', reasoning: { effort: 'low', summary: 'auto' } })
    .withResponse();
  expect(response.headers.get('x-left-out')).toBe('truncation, reasoning.summary, reasoning_effort');
  const refused = await failure(openai.responses.create({ model: 'gpt-x', input: 'hi', top_logprobs: 2 }));
  expect(refused).toMatchObject({
    status: 400,
    param: 'top_logprobs',
    message: expect.stringContaining('chat completions'),
  });
});

test('[chat.translated-members] a route uses the provider that supports the request, and an overload there is not reported as a 400', async () => {
  const asked = { messages, logprobs: true };
  expect((await openai.chat.completions.create({ model: 'htob', ...asked })).choices[0]!.message.content).toBe('Hello');
  expect([anthropicHost.requests.length, openaiHost.requests.length]).toEqual([0, 1]);
  openaiHost.answers(refuse('openai', 503));
  const refused = await failure(openai.chat.completions.create({ model: 'both', ...asked }));
  expect(refused).toMatchObject({ status: 503, type: 'provider_overloaded' });
});
