/** The official conformance suite finds the same through the gateway as at the server behind it (issue: transparency). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type KeyedProxy, keyedProxy, type McpGatewayRun, mcpKeys, startMcpGateway } from '../support/mcp-gateway.ts';
import { type McpServer, node, startMcpServer } from '../support/mcp-servers.ts';

const root = resolve(__dirname, '../..');
let server: McpServer;
let gateway: McpGatewayRun;
let proxy: KeyedProxy;

beforeAll(async () => {
  server = await startMcpServer();
  gateway = await startMcpGateway({ upstreams: [{ name: 'fixture', url: server.url }] });
  proxy = await keyedProxy(gateway.url, mcpKeys.agent);
}, 40_000);

afterAll(async () => {
  await proxy?.stop();
  await gateway?.stop();
  await server?.stop();
});

test.each(['2025-06-18', '2025-11-25'])(
  'every check of the suite at %s gives the same result directly and through the gateway',
  async (version) => {
    const [direct, through] = [await conformance(server.url, version), await conformance(proxy.url, version)];
    expect(direct.size).toBeGreaterThan(25);
    expect([...direct.values()].filter((status) => status === 'FAILURE')).toEqual([]);
    expect(Object.fromEntries(through)).toEqual(Object.fromEntries(direct));
  },
  60_000,
);

/** The status of each check by scenario and id. */
async function conformance(url: string, version: string): Promise<Map<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const args = [suite, 'server', '--url', url, '--suite', 'all', '--spec-version', version, '-o', folder];
  const child = spawn(node, args, { stdio: 'ignore', timeout: 50_000, env: { ...process.env, NODE_OPTIONS: '' } });
  await once(child, 'exit');
  const found = new Map<string, string>();
  for (const scenario of readdirSync(folder)) {
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
