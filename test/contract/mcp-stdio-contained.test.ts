/** Stdio MCP servers as real processes: what they can read of the gateway, and errors at start. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findContainment } from '#adapters/executors/containment.ts';
import { StdioServers } from '#adapters/mcp/stdio.ts';
import { containmentWarnings } from '#core/configuration/checks/containment-warnings.ts';
import { configurationSchema } from '#core/contracts/config.ts';
import { node } from '../support/mcp-servers.ts';
import { entry } from '../unit/mcp/entry.ts';

let state: string;
let work: string;
let stdio: StdioServers;
let permitted = true;

/** Answers a call with what it can read of each of its arguments' paths. */
const program = `
const { readFileSync } = require('node:fs');
const seen = (path) => { try { return readFileSync(path, 'utf8') } catch (fault) { return fault.code } };
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const content = method === 'tools/call' ? params.arguments.paths.map(seen) : undefined;
  const result = content ? { content } : { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 's', version: '1' } };
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});`;

beforeAll(async () => {
  state = mkdtempSync(join(tmpdir(), 'gateway-state-'));
  work = mkdtempSync(join(tmpdir(), 'gateway-work-'));
  writeFileSync(join(state, 'keys.json'), 'the-secret-of-the-state-folder');
  writeFileSync(join(work, 'README.md'), 'harmless');
  permitted = (await findContainment([state])) !== undefined;
});
beforeEach(() => {
  const contain = (network: boolean) => findContainment([state], undefined, network ? 'seen' : 'hidden');
  stdio = new StdioServers({
    secrets: { get: async (name) => (name === 'SERVER_TOKEN' ? 'token-of-the-server-1' : undefined) },
    clock: { now: () => 0 },
    telemetry: { log: () => {} },
    connected: undefined,
    environment: { PATH: process.env.PATH },
    contain,
  });
});
afterEach(() => stdio.stop());
afterAll(() => {
  for (const folder of [state, work]) rmSync(folder, { recursive: true, force: true });
});

const handshake = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'g', version: '1' } };
const options = { shared: true, handshake, prefer: 'session', signal: new AbortController().signal } as const;
const local = (script: string, more: object = {}) =>
  entry({ transport: 'stdio', url: undefined, command: [node, '-e', script], timeout_ms: 120_000, ...more });

async function readBy(more: object): Promise<unknown> {
  const link = await stdio.connect(local(program, more), options);
  const paths = [join(state, 'keys.json'), `/proc/${process.pid}/environ`, join(work, 'README.md')];
  const outcome = await link.request(
    'tools/call',
    { name: 'read', arguments: { paths } },
    { id: 1, signal: options.signal, onMessage: () => {} },
  );
  return 'result' in outcome ? outcome.result.content : outcome.error;
}

test.each([
  ['with network', {}],
  ['without network', { network: false }],
])(
  '[executor.contained] a server %s reads neither state folder nor memory of the gateway, and reads its files',
  async (_, more) => {
    const read = readBy(more);
    if (!permitted) return expect(read).rejects.toThrow('contained: false');
    const [secret, environment, readme] = (await read) as string[];
    expect([secret, readme]).toEqual(['ENOENT', 'harmless']);
    expect(environment).toMatch(/^E[A-Z]+$/);
  },
);

test('[executor.contained] a server with contained: false reads both, and status warns of it', async () => {
  const [secret] = (await readBy({ contained: false })) as string[];
  expect(secret).toBe('the-secret-of-the-state-folder');
  const warned = (contained: boolean) =>
    containmentWarnings(
      configurationSchema.parse({
        version: 1,
        tenants: [{ id: 'default', api_keys: ['key-of-the-tenant-1'] }],
        upstreams: { mcp: [{ name: 'files', transport: 'stdio', command: ['npx'], contained }] },
      }),
    );
  expect(warned(false)).toEqual([expect.stringMatching(/^upstreams\.mcp files: contained is false/)]);
  expect(warned(true)).toEqual([]);
});

test('[executor.contained] without containment the server is not started, and the error names the setting', async () => {
  const none = new StdioServers({
    secrets: { get: async () => undefined },
    clock: { now: () => 0 },
    connected: undefined,
    telemetry: { log: () => {} },
    environment: {},
    contain: async () => undefined,
  });
  await expect(none.connect(local(program), options)).rejects.toThrow(/write contained: false for upstreams\.mcp one/);
});

test('[executor.contained] a server that does not start reports its last output, without its secrets', async () => {
  const script = `console.error('first line'); console.error('no such host registry.example, token ' + process.env.SERVER_TOKEN); process.exitCode = 3`;
  const failed = stdio.connect(local(script, { contained: false, env: ['SERVER_TOKEN'] }), options);
  await expect(failed).rejects.toThrow(
    /exited with code 3 after 0 s\. Last output: first line \| no such host registry\.example, token (?!token-of)/,
  );
});
