/** A gateway that governs the tools of a response, and one that rejects them. */
import { caller } from '../../../test/support/call-endpoint.ts';
import type { Loose } from '../../../test/support/loose.ts';
import { keys, type TestPorts, testPorts } from '../../../test/support/ports.ts';
import { extra, toolPolicies } from '../../../test/support/scripted-tools.ts';

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
