/** Results of the official conformance suite, which must be the same through the gateway as directly. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { thorough } from '../support/extent.ts';
import { keyedProxy, mcpKeys, startMcpGateway } from '../support/mcp-gateway.ts';
import { type McpServer, node, startMcpServer } from '../support/mcp-servers.ts';
import type { Served } from '../support/serve.ts';

const root = resolve(__dirname, '../..');
/** Protocol revisions, each with its server and the minimum number of scored checks. */
const revisions = [
  ['2025-06-18', '2025', 30, ['--suite', 'all', '--spec-version', '2025-06-18']],
  ['2025-11-25', '2025', 75, ['--requirements', '2025-11-25']],
  ['2026-07-28', '2026', 110, ['--requirements', '2026-07-28']],
] as const;

const stops: (() => Promise<unknown>)[] = [];
const servers = new Map<string, McpServer>();
const proxies = new Map<string, Served>();

beforeAll(async () => {
  for (const kind of ['2025', '2026'] as const) {
    const server = await startMcpServer({ kind });
    const gateway = await startMcpGateway({ upstreams: [{ name: 'fixture', url: server.url }] });
    const proxy = await keyedProxy(gateway.url, mcpKeys.agent);
    stops.unshift(proxy.stop, () => gateway.stop(), server.stop);
    servers.set(kind, server);
    proxies.set(kind, proxy);
  }
});

afterAll(async () => {
  for (const stop of stops) await stop();
});

// The later suites repeat the scenarios of the oldest one, except server-session-lifecycle, which [mcp.sessions]
// covers.
test.each(revisions.slice(thorough ? 0 : 1))(
  '[mcp.conformance] no check in the %s suite fails through the gateway, and in the thorough run results match those without it',
  async (revision, kind, least, asked) => {
    const through = await conformance(proxies.get(kind)!.url, asked);
    expect(through.size).toBeGreaterThan(least);
    expect([...through].filter(([, status]) => status === 'FAILURE')).toEqual([]);
    // Directly against the server, a suite takes three seconds and always has the same results.
    if (thorough)
      expect(withoutPolling(through)).toEqual(withoutPolling(await conformance(servers.get(kind)!.url, asked)));
    // The upstream server does not store its responses; the gateway does [mcp.event-streams].
    if (revision === '2025-11-25') {
      const polling = [...through].filter(([check]) => /sse-polling .*(priming-event|retry-field)/.test(check));
      expect(polling.map(([, status]) => status)).toEqual(['SUCCESS', 'SUCCESS']);
    }
  },
);

/**
 * Removes checks that differ if only one side stores its responses: the number of events, and therefore of checks, is
 * then different.
 */
const withoutPolling = (checks: ReadonlyMap<string, string>) =>
  Object.fromEntries([...checks].filter(([check]) => !check.startsWith('server-server-sse-polling ')));

/**
 * Checks whether a scenario is about tasks. The gateway has its own tasks, whatever the upstream server supports,
 * because they wait for humans (life of an MCP call).
 */
const isOfTasks = (scenario: string): boolean => scenario.startsWith('server-tasks-');

/** Returns the status of each check by scenario and id. */
async function conformance(url: string, asked: readonly string[]): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const args = [suite, 'server', '--url', url, ...asked, '-o', folder];
  const child = spawn(node, args, { stdio: 'ignore', timeout: 150_000, env: { ...process.env, NODE_OPTIONS: '' } });
  await once(child, 'exit');
  const found = new Map<string, string>();
  for (const scenario of readdirSync(folder)) {
    if (isOfTasks(scenario)) continue;
    const checks = JSON.parse(readFileSync(join(folder, scenario, 'checks.json'), 'utf8')) as {
      id: string;
      status: string;
    }[];
    const name = scenario.replace(/-\d{4}-\d{2}-\d{2}T.*$/, '');
    for (const [i, { id, status }] of checks.entries()) found.set(`${name} ${i} ${id}`, status);
  }
  rmSync(folder, { recursive: true, force: true });
  return found;
}
