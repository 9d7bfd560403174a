/** A gateway that governs the tools of a response, and one that rejects them. */
import { caller } from './call-endpoint.ts';
import type { Loose } from './loose.ts';
import { keys, type TestPorts, testPorts } from './ports.ts';

export const extra = `
providers:
  - name: mock
    type: mock
    models: ["mock"]
    script:
      replies:
        - { contains: "read it", text: "Reading.", tool_calls: [{ name: read_file, arguments: { path: "a.txt" } }] }
        - { contains: "delete it", tool_calls: [{ name: delete_all, arguments: { path: "/" } }] }
        - { contains: "both", tool_calls: [{ name: delete_all, arguments: {} }, { name: read_file, arguments: { path: "b.txt" } }] }
        - { contains: "group read", tool_calls: [{ name: mcp__notes__read_file, arguments: { path: "c.txt" } }] }
        - { contains: "group delete", tool_calls: [{ name: mcp__notes__delete_all, arguments: { path: "/" } }] }
        - { contains: "leak", text: "the key is AKIAABCDEFGHIJKLMNOP, keep it" }
policies:
  input: [{ name: no-jailbreak, type: keyword, action: block, keywords: ["ignore previous instructions"] }]
  output: [{ name: no-keys, type: regex, action: block, patterns: ["AKIA[0-9A-Z]{16}"] }]
`;
export const toolPolicies =
  '{ pack: null, default_decision: review, rules: [{ protocol: mcp, tool: "{read_file,mcp__notes__read_file}", decision: allow }, { protocol: mcp, tool: "{delete_all,mcp__notes__delete_all}", decision: block, reason: "Nobody deletes everything." }] }';

export let governed: TestPorts;
export let rejecting: TestPorts;
beforeAll(async () => {
  governed = await testPorts({ toolPolicies, extra: `${extra}\nmessages: { tool_use: govern }` });
  rejecting = await testPorts({ toolPolicies, extra });
});
afterAll(async () => {
  await governed?.stop();
  await rejecting?.stop();
});

export const post = (body: object, test = governed, session = 'responses') =>
  caller(test.ports)('POST', '/v1/responses', {
    key: keys.agent,
    headers: { 'x-session-id': session },
    body: { model: 'mock', ...body },
  });
export const tools = ['read_file', 'delete_all'].map((name) => ({
  type: 'function',
  name,
  parameters: { type: 'object' },
}));
export const eventsOf = (text: string): Loose[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)));
