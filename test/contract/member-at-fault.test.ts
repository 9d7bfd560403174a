/** A refusal of a provider, through each endpoint: it names the member as the caller sent it, whatever the gateway added. */
import { caller } from '../support/call-endpoint.ts';
import { type FakeProvider, jsonReply, startFakeProvider } from '../support/fake-providers.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';

let provider: FakeProvider;
let host: TestPorts;
beforeAll(async () => {
  provider = await startFakeProvider({ kind: 'anthropic' });
  host = await testPorts({
    secrets: { PROVIDER_KEY: 'provider-key-value-1' },
    extra: `
providers: [{ name: fake, type: anthropic, base_url: "${provider.baseUrl}", api_key_env: PROVIDER_KEY, models: ["claude-*"] }]
transform: { system_prompt_prefix: "Be kind." }
`,
  });
});
afterAll(async () => {
  await host.stop();
  await provider.stop();
});

const text = { type: 'text', text: 'x' };
const refusal = (message: string) =>
  jsonReply({ type: 'error', error: { type: 'invalid_request_error', message } }, 400);
const post = (path: string, body: object) =>
  caller(host.ports)('POST', path, { key: keys.agent, body: { model: 'claude-x', max_tokens: 9, ...body } });

test.each([
  [
    '/v1/chat/completions',
    {
      messages: [
        { role: 'assistant', content: 'a' },
        { role: 'user', content: [text, text] },
      ],
    },
    'messages[1].content[1]',
  ],
  [
    '/v1/responses',
    {
      input: [
        { role: 'assistant', content: 'a' },
        { role: 'user', content: [text, text] },
      ],
    },
    'input[1].content[1]',
  ],
  [
    '/v1/messages',
    {
      messages: [
        { role: 'assistant', content: 'a' },
        { role: 'user', content: [text, text] },
      ],
    },
    'messages.1.content.1.text',
  ],
])('[errors.param] %s: the provider refuses a part', async (path, body, param) => {
  provider.answers(refusal('messages.1.content.1.text: too odd'));
  const answer = await post(path, body);
  expect(answer).toMatchObject({ status: 400, body: { error: { param } } });
  expect(answer.body.error.message).toContain('messages.1.content.1.text: too odd');
});

test.each([
  [
    '/v1/chat/completions',
    { messages: [{ role: 'user', content: [text, { type: 'input_audio', input_audio: {} }] }] },
    'messages[0].content[1]',
  ],
  [
    '/v1/responses',
    {
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'x' },
            { type: 'input_audio', input_audio: {} },
          ],
        },
      ],
    },
    'input[0].content[1]',
  ],
])('[errors.param] %s: the gateway refuses a part', async (path, body, param) => {
  const { status, body: answer } = await post(path, body);
  expect({ status, param: answer.error.param }).toEqual({ status: 400, param });
  expect(answer.error.message).toMatch(new RegExp(`^${param.replace(/[[\]]/g, '\\$&')} `));
});
