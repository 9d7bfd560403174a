/** The official clients against a gateway with a provider of each dialect. */
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { type ChatGateway, providerYaml, startChatGateway } from '../support/chat-clients.ts';
import { type FakeProvider, say, startFakeProvider } from '../support/fake-providers.ts';
import type { Loose } from '../support/loose.ts';

export let openaiHost: FakeProvider;
export let anthropicHost: FakeProvider;
export let gateway: ChatGateway;
export let openai: OpenAI;
export let anthropic: Anthropic;

export const user = (content: Loose = 'hi') => [{ role: 'user' as const, content }];
export const toGpt = (more: object = {}): Loose => ({ model: 'gpt-x', messages: user(), ...more });
export const toClaude = (more: object = {}): Loose => ({ model: 'claude-x', max_tokens: 9, messages: user(), ...more });
export const failure = (work: Promise<unknown>): Promise<Loose> =>
  work.then(
    (value) => ({ value }),
    (fault: unknown) => fault as Loose,
  );

const everyTool = `
messages: { tool_use: govern, provider_tools: ["web_search_*"] }
cache: { enabled: false }
tool_policies: { pack: null, default_decision: allow, rules: [] }
`;

/** @param settings the configuration in addition to the two providers. */
export function useOddClients(settings = everyTool): void {
  beforeAll(async () => {
    openaiHost = await startFakeProvider({ kind: 'openai' });
    anthropicHost = await startFakeProvider({ kind: 'anthropic' });
    const patient = ', breaker: { min_requests: 100000 }';
    gateway = await startChatGateway(`
providers:
${providerYaml('openai', 'openai', openaiHost.baseUrl, `, models: ["gpt-*"]${patient}`)}
${providerYaml('anthropic', 'anthropic', anthropicHost.baseUrl, `, models: ["claude-*"]${patient}`)}
${settings}`);
    openai = gateway.openai();
    anthropic = gateway.anthropic();
  });
  beforeEach(() => {
    openaiHost.answers(say('Hello'));
    anthropicHost.answers(say('Hello'));
  });
  afterAll(async () => {
    await openaiHost?.stop();
    await anthropicHost?.stop();
    await gateway?.stop();
  });
}
