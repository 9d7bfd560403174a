/** MCP servers as child processes. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findContainment } from '#adapters/executors/containment.ts';
import { LineReader } from '#adapters/mcp/lines.ts';
import { StdioServers } from '#adapters/mcp/stdio.ts';
import { containmentWarnings } from '#core/configuration/checks/containment-warnings.ts';
import { configurationSchema } from '#features/configuration.ts';
import { fixtureFile, node } from '../support/mcp-servers.ts';
import { entry } from '../unit/mcp/entry.ts';

/** Servers as child processes: framing, environment, exits and restarts. */
describe('framing and environment', () => {
  const handshake = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'g', version: '1' } };
  const options = { shared: true, handshake, prefer: 'session', signal: new AbortController().signal } as const;
  const asking = { id: 1, signal: new AbortController().signal, onMessage: () => {} };

  const contain = async () => undefined;
  function servers(
    environment: NodeJS.ProcessEnv = { PATH: process.env.PATH },
    log: (...line: readonly unknown[]) => void = () => {},
  ) {
    const time = { ms: 0 };
    const secrets = { get: async (name: string) => (name === 'FIXTURE_SECRET' ? 'given by name' : undefined) };
    const telemetry = { log };
    const connections: [server: string, down?: string][] = [];
    const connected = (...noted: [string, string?]) => void connections.push(noted);
    const clock = { now: () => time.ms };
    const stdio = new StdioServers({ secrets, clock, telemetry, environment, contain, connected });
    return { time, connections, stdio };
  }

  const local = (more: object = {}) =>
    entry({
      transport: 'stdio',
      url: undefined,
      command: [node, fixtureFile],
      timeout_ms: 60_000,
      contained: false,
      ...more,
    });

  test('lines are reassembled however they are split into chunks; the id of an overlong line is reported', () => {
    const lines: string[] = [];
    const overlong: (number | undefined)[] = [];
    const reader = new LineReader(100, { line: (text) => lines.push(text), overlong: (id) => overlong.push(id) });
    for (const chunk of ['{"a":', '1}\n\n{"b"', ':"ü', '"}\r\n']) reader.push(Buffer.from(chunk));
    reader.push(Buffer.from(`{"jsonrpc":"2.0","id":7,"result":"${'x'.repeat(200)}`));
    reader.push(Buffer.from(`${'y'.repeat(300)}"}\n{"c":3}\n`));
    reader.push(Buffer.from(`{"result":"${'x'.repeat(150)}`));
    reader.push(Buffer.from(`${'z'.repeat(150)}`));
    reader.push(Buffer.from(`","id":8}\n`));
    expect(lines).toEqual(['{"a":1}', '{"b":"ü"}', '{"c":3}']);
    expect(overlong).toEqual([7, 8]);
  });

  test('a server sees only the environment variables listed by name', async () => {
    const { stdio } = servers({
      PATH: process.env.PATH,
      GATEWAY_ADMIN_TOKEN: 'not for you',
      FIXTURE_SECRET: 'nor this',
    });
    const told = async (env: string[]) => {
      const link = await stdio.connect(local({ env, name: `s${env.length}` }), options);
      const outcome = await link.request('tools/call', { name: 'leak', arguments: {} }, asking);
      return JSON.stringify(outcome);
    };
    expect(await told([])).toContain('env none');
    expect(await told(['FIXTURE_SECRET'])).toContain('env given by name');
    await stdio.stop();
  });

  test("[mcp.stdio-start] the gateway's proxy settings and certificates are passed on only if the configuration says so", async () => {
    const environment = {
      PATH: process.env.PATH,
      https_proxy: 'http://user:hunter2@proxy.example:3128',
      NODE_EXTRA_CA_CERTS: '/etc/own-ca.pem',
      NODE_OPTIONS: '--no-warnings',
      AWS_SECRET_ACCESS_KEY: 'not for you',
    };
    const said = async (inherit: readonly string[]) => {
      const { stdio } = servers(environment);
      const printing =
        'console.error(JSON.stringify(Object.keys(process.env).sort()), process.env.https_proxy); process.exit(3)';
      const fault = await stdio
        .connect(local({ inherit, command: [node, '-e', printing] }), options)
        .catch((each) => each);
      await stdio.stop();
      return (fault as Error).message;
    };
    expect(await said([])).toMatch(/Last output: \["PATH"(,"__CF[^"]*")*\] undefined/);
    const both = await said(['proxy', 'certificates']);
    expect(both).toContain('["NODE_EXTRA_CA_CERTS","PATH"');
    expect(both).toContain('"https_proxy"]');
    expect(both).not.toMatch(/hunter2|NODE_OPTIONS|AWS_/);
    expect(await said(['certificates'])).not.toContain('"https_proxy"]');
  });

  test('calls from several callers do not mix, and neither do their progress messages', async () => {
    const { stdio } = servers();
    const link = await stdio.connect(local(), options);
    const heard: Record<string, unknown[]> = { a: [], b: [] };
    const call = (who: 'a' | 'b', steps: number) =>
      link.request(
        'tools/call',
        { name: 'slow', arguments: { ms: 60, steps }, _meta: { progressToken: 'same' } },
        { ...asking, onMessage: ({ params }) => void heard[who]!.push(params) },
      );
    await Promise.all([call('a', 2), call('b', 3)]);
    const progress = (total: number) =>
      Array.from({ length: total }, (_, i) => ({ progressToken: 'same', progress: i + 1, total }));
    expect(heard).toEqual({ a: progress(2), b: progress(3) });
    await stdio.stop();
  });

  test('[admin.status] if a process exits, its calls fail and it is restarted with increasing delays', async () => {
    const { stdio, time, connections } = servers();
    const link = await stdio.connect(local(), options);
    await expect(link.request('tools/call', { name: 'crash', arguments: {} }, asking)).rejects.toMatchObject({
      kind: 'broken',
    });
    await expect(link.request('tools/list', {}, asking)).rejects.toMatchObject({ kind: 'session-lost' });
    await expect(stdio.connect(local(), options)).rejects.toMatchObject({ kind: 'unreachable' });
    time.ms += 250;
    const again = await stdio.connect(local(), options);
    expect(await again.request('tools/list', {}, asking)).toHaveProperty('result.tools');
    const name = local().name;
    expect(connections).toEqual([[name], [name, expect.stringContaining('the process exited with')], [name]]);
    await stdio.stop();
    expect(connections).toHaveLength(3);
    await expect(stdio.connect(local(), options)).rejects.toThrow('shutting down');
  });

  describe('[mcp.stdio-start]', () => {
    test('the handshake has its own timeout', async () => {
      const { stdio } = servers();
      const link = await stdio.connect(local({ timeout_ms: 1 }), options);
      expect(link.initializeResult).toHaveProperty('serverInfo');
      await stdio.stop();
    });

    test('servers are started before any client call; one that fails is logged and does not delay the others', async () => {
      const failed = Promise.withResolvers<unknown>();
      const { stdio } = servers(undefined, (_level, message, fields) => {
        if (message === 'an MCP server was not started') failed.resolve(fields);
      });
      const missing = local({ name: 'missing', command: [node, '-e', 'console.error("no licence"); process.exit(3)'] });
      const web = entry({ name: 'web' });
      stdio.startAll([missing, local(), web], handshake);
      expect(await failed.promise).toMatchObject({ upstream: 'missing', error: expect.stringContaining('no licence') });
      const link = await stdio.connect(local(), options);
      expect(link.initializeResult).toHaveProperty('serverInfo');
      await stdio.stop();
    });

    test('until the next start, a call reports why the server exited and when it will restart', async () => {
      const { stdio } = servers();
      const broken = local({ command: [node, '-e', 'console.error("no licence"); process.exit(3)'] });
      await expect(stdio.connect(broken, options)).rejects.toThrow('no licence');
      await expect(stdio.connect(broken, options)).rejects.toThrow(
        /^the process exited with code 3 .*\. Last output: no licence\. It has failed once and restarts with the next call, in 1 s at the earliest$/,
      );
      await stdio.stop();
    });
  });

  const answering = (calls: string) => `
  const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === 'initialize') say({ id, result: { protocolVersion: '2025-11-25', capabilities: {} } });
    else if (method === 'tools/call') { ${calls} }
    else if (id !== undefined) say({ id, result: {} });
  });`;

  test.each([
    ['goes on', "setInterval(() => process.stdout.write('x'.repeat(1000)), 1)", 60_000],
    ['stops in it', "process.stdout.write('x'.repeat(1500))", 50],
  ])('[mcp.stdio-start] a program that %s is stopped and restarted', async (_, calls, timeout_ms) => {
    const { stdio, time } = servers();
    const program = local({ command: [node, '-e', answering(calls)], max_result_bytes: 1000, timeout_ms });
    const link = await stdio.connect(program, options);
    const call = link.request('tools/call', { name: 'a', arguments: {} }, asking);
    await expect(call).rejects.toMatchObject({ kind: expect.stringMatching(/broken|timeout/) });
    while (!link.isOver) await new Promise(setImmediate);
    await expect(stdio.connect(program, options)).rejects.toThrow('it wrote a line without a line break');
    time.ms += 250;
    const again = await stdio.connect(program, options);
    expect(await again.request('tools/list', {}, asking)).toHaveProperty('result');
    await stdio.stop();
  });

  test('[mcp.stdio-start] a program keeps running after a response that is too large and after lines that are not JSON', async () => {
    const { stdio } = servers();
    const calls = "process.stdout.write('starting…\\n[1, {]\\n'); say({ id, result: { text: 'x'.repeat(2500) } })";
    const program = local({ command: [node, '-e', answering(calls)], max_result_bytes: 2000 });
    const link = await stdio.connect(program, options);
    const call = link.request('tools/call', { name: 'a', arguments: {} }, asking);
    await expect(call).rejects.toMatchObject({ kind: 'too-large' });
    expect(await link.request('tools/list', {}, asking)).toHaveProperty('result');
    await stdio.stop();
  });
});

/** Stdio MCP servers as real processes: the gateway files they can read, and errors at start. */
describe('containment', () => {
  let state: string;
  let work: string;
  let stdio: StdioServers;
  let permitted = true;

  /** Program that responds to a call with the contents it can read at each path in the arguments. */
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
    "[executor.contained] a server %s cannot read the gateway's state folder or memory, but can read its own files",
    async (_, more) => {
      const read = readBy(more);
      if (!permitted) return expect(read).rejects.toThrow('contained: false');
      const [secret, environment, readme] = (await read) as string[];
      expect([secret, readme]).toEqual(['ENOENT', 'harmless']);
      expect(environment).toMatch(/^E[A-Z]+$/);
    },
  );

  test('[executor.contained] a server with contained: false can read both the state folder and the memory, and status shows a warning', async () => {
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

  test('[executor.contained] if containment is unavailable, the server is not started, and the error names the setting', async () => {
    const none = new StdioServers({
      secrets: { get: async () => undefined },
      clock: { now: () => 0 },
      connected: undefined,
      telemetry: { log: () => {} },
      environment: {},
      contain: async () => undefined,
    });
    await expect(none.connect(local(program), options)).rejects.toThrow(
      /write contained: false for upstreams\.mcp one/,
    );
  });

  test('[executor.contained] a server that fails to start reports its last output, without its secrets', async () => {
    const script = `console.error('first line'); console.error('no such host registry.example, token ' + process.env.SERVER_TOKEN); process.exitCode = 3`;
    const failed = stdio.connect(local(script, { contained: false, env: ['SERVER_TOKEN'] }), options);
    await expect(failed).rejects.toThrow(
      /exited with code 3 after 0 s\. Last output: first line \| no such host registry\.example, token (?!token-of)/,
    );
  });
});
