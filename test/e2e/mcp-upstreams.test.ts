/** Three servers behind a real gateway, over stdio and HTTP: each call reaches the server that has the tool. */

import { type McpGatewayRun, mcpKeys, startMcpGateway } from '../support/mcp-gateway.ts';
import { fixtureFile, type McpServer, node, startMcpServer } from '../support/mcp-servers.ts';
import { plainTool, type RecordingServer, startRecordingServer } from '../support/recording-mcp-server.ts';
import { agentctl } from './client.ts';

// Each command is a separate process.
let notes: RecordingServer;
let newer: McpServer;
let gateway: McpGatewayRun;

beforeAll(async () => {
  notes = await startRecordingServer([plainTool('note'), plainTool('remember')]);
  newer = await startMcpServer({ kind: '2026', name: 'newer' });
  gateway = await startMcpGateway({
    upstreams: [
      { name: 'local', transport: 'stdio', command: [node, fixtureFile, 'stdio'], prefix: 'local' },
      { name: 'newer', url: newer.url, tools: ['create_issue'] },
      { name: 'notes', url: notes.url },
    ],
    rules: [{ protocol: 'mcp', tool: '{remember,newer__create_issue}', decision: 'review' }],
    extra: { approvals: { on_approval: 'execute' } },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await Promise.all([notes?.stop(), newer?.stop()]);
});

const ctl = (...args: string[]) =>
  agentctl(['test-action', '--protocol', 'mcp', '--target', '', '--capability', 'execute', ...args], {
    AGENTCTL_KEY: mcpKeys.agent,
    AGENTCTL_URL: gateway.admin,
  });
const sent = () => notes.received().map(({ message }) => message.params);

test('[mcp.placement] [cli.vote] a tool of the last server in the file runs on that server', async () => {
  const { code, out } = await ctl('--tool', 'note', '--param', 'a=b');
  expect([code, out]).toEqual([0, expect.stringContaining('upstream: notes\n')]);
  expect(sent()).toEqual([{ name: 'note', arguments: { a: 'b' } }]);
});

describe('[cli.mcp-servers] agentctl mcp', () => {
  const mcp = (...words: string[]) =>
    agentctl(['mcp', ...words], { AGENTCTL_KEY: mcpKeys.agent, AGENTCTL_MCP_URL: gateway.url });

  test("call makes the call as a client does and prints the tool's answer", async () => {
    expect(await mcp('call', 'note', '--param', 'a=by hand')).toMatchObject({ code: 0, out: 'ran note\n' });
    expect(sent().at(-1)).toMatchObject({ name: 'note', arguments: { a: 'by hand' } });
    const { code, out } = await mcp('call', 'note', '--params', '{"a":1}', '--json');
    expect({ code, answer: JSON.parse(out) }).toMatchObject({ code: 0, answer: { id: 2, result: {} } });
  });

  test('call accepts the MCP address as an option, and does not fall back to the admin address', async () => {
    const env = { AGENTCTL_KEY: mcpKeys.agent };
    const note = ['mcp', 'call', 'note', '--param', 'a=b'];
    expect(await agentctl([...note, '--endpoint', gateway.url], env)).toMatchObject({ code: 0, out: 'ran note\n' });
    const wrong = await agentctl([...note, '--url', gateway.admin], env);
    expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('--endpoint') });
  });

  test('call exits 1 for pending or refused calls, and explains what to do', async () => {
    const waits = await mcp('call', 'remember', '--param', 'a=waits');
    expect(waits).toMatchObject({ code: 1, out: expect.stringMatching(/approval_url: .*\nnext: agentctl show /s) });
    expect(await mcp('call', 'nothing_has_it')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/nothing_has_it/),
    });
  });

  test('servers lists each configured server with its tools', async () => {
    const url = { AGENTCTL_URL: gateway.admin, AGENTCTL_KEY: mcpKeys.human };
    const { code, out } = await agentctl(['mcp', 'servers', '--json'], url);
    expect({ code, names: JSON.parse(out).servers.map(({ name }: { name: string }) => name) }).toEqual({
      code: 0,
      names: ['local', 'newer', 'notes'],
    });
    expect((await agentctl(['mcp', 'servers'], url)).out).toMatch(/^server .*\nlocal .*\nnewer .*\nnotes /s);
  });
});
