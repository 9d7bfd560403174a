/** The chat pipeline through its handlers, over the embedded store. */
import type { ChatRecord } from '#core/contracts/chat.ts';
import { type Answer, caller } from '../support/call-endpoint.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { keys, type TestPorts, testPorts } from '../support/ports.ts';

const extra = `
providers:
  - name: mock
    type: mock
    models: ["mock", "mock-*"]
    script:
      replies:
        - { contains: "leak the key", text: "the key is AKIAABCDEFGHIJKLMNOP, keep it" }
        - { contains: "call the tool", tool_calls: [{ name: shell.rm, arguments: { path: "/" } }] }
        - { contains: "invite the team", tool_calls: [{ name: calendar.invite, arguments: { target: team } }] }
        - { contains: "read with the tool", tool_calls: [{ name: read_file, arguments: { path: "a.txt" } }] }
        - { contains: "fail", status: 500 }
        - { contains: "break", text: "one two three four", break_after: 2 }
routes:
  - { match: { model: "mock*" }, providers: [mock] }
aliases: { models: { fast: mock } }
policies:
  input:
    - { name: warn-first, type: keyword, action: warn, keywords: ["ignore previous instructions"] }
    - { name: block-jailbreak, type: keyword, action: block, keywords: ["ignore previous instructions"] }
    - { name: soft, type: keyword, action: warn, keywords: ["mind the gap"] }
    - { name: quiet, type: keyword, action: log, keywords: ["mind the gap"] }
    - { name: ask-a-human, type: keyword, action: review, keywords: ["launch the rocket"] }
  output:
    - { name: no-keys, type: regex, action: block, patterns: ["AKIA[0-9A-Z]{16}"] }
    - { name: öl, type: keyword, action: warn, keywords: ["mind the gap"] }
messages: { tool_use: govern }
cache: { enabled: true }
budgets: { tenants: { elsewhere: { monthly_usd: 0 } } }
`;

export let test_: TestPorts;
export let call: ReturnType<typeof caller>;

export const ask = (
  text: string,
  more: object = {},
  headers: Record<string, string> = {},
  key: string = keys.agent,
): Promise<Answer> =>
  call('POST', '/v1/chat/completions', {
    key,
    body: { model: 'mock', messages: [{ role: 'user', content: text }], ...more },
    headers,
  });

export const entriesOf = (session: string) => evidenceOf(test_.ports, session);
export const recordsOf = async (session: string) =>
  (await entriesOf(session)).map(({ body }) => body as unknown as ChatRecord);
export const inSession = (session: string) => ({ 'x-session-id': session });

export function useChatGateway(): void {
  beforeAll(async () => {
    test_ = await testPorts({
      extra: `${extra}
transform: { system_prompt_prefix: "Be kind." }`,
    });
    call = caller(test_.ports);
  });
  afterAll(() => test_.stop());
}
