/** Servers as child processes: framing, environment, ends and new beginnings. */
import { LineReader } from '#adapters/mcp/lines.ts';
import { StdioServers } from '#adapters/mcp/stdio.ts';
import { fixtureFile, node } from '../support/mcp-servers.ts';
import { entry } from '../unit/mcp/entry.ts';

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

test('lines are complete whatever the chunks; the id of a line that is too long is reported', () => {
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

test('a server sees only environment variables that it was given by name', async () => {
  const { stdio } = servers({ PATH: process.env.PATH, GATEWAY_ADMIN_TOKEN: 'not for you', FIXTURE_SECRET: 'nor this' });
  const told = async (env: string[]) => {
    const link = await stdio.connect(local({ env, name: `s${env.length}` }), options);
    const outcome = await link.request('tools/call', { name: 'leak', arguments: {} }, asking);
    return JSON.stringify(outcome);
  };
  expect(await told([])).toContain('env none');
  expect(await told(['FIXTURE_SECRET'])).toContain('env given by name');
  await stdio.stop();
});

test('[mcp.stdio-start] proxy and certificates of the gateway are passed on only if the configuration says so', async () => {
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

test('calls of several callers do not meet each other, nor each other’s progress', async () => {
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

test('[admin.status] a process that ends fails its calls and is started again, later each time', async () => {
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
  await expect(stdio.connect(local(), options)).rejects.toThrow('about to stop');
});

describe('[mcp.stdio-start]', () => {
  test('the handshake has its own time-out', async () => {
    const { stdio } = servers();
    const link = await stdio.connect(local({ timeout_ms: 1 }), options);
    expect(link.initializeResult).toHaveProperty('serverInfo');
    await stdio.stop();
  });

  test('servers are started before a client calls; one that fails is logged, and does not delay the others', async () => {
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

  test('until its next start, a call reports why the server ended and when it restarts', async () => {
    const { stdio } = servers();
    const broken = local({ command: [node, '-e', 'console.error("no licence"); process.exit(3)'] });
    await expect(stdio.connect(broken, options)).rejects.toThrow('no licence');
    await expect(stdio.connect(broken, options)).rejects.toThrow(
      /^the process exited with code 3 .*\. Last output: no licence\. That was the first end; next start in 1 s$/,
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
])('[mcp.stdio-start] a program that %s is ended, and starts again', async (_, calls, timeout_ms) => {
  const { stdio, time } = servers();
  const program = local({ command: [node, '-e', answering(calls)], max_result_bytes: 1000, timeout_ms });
  const link = await stdio.connect(program, options);
  const call = link.request('tools/call', { name: 'a', arguments: {} }, asking);
  await expect(call).rejects.toMatchObject({ kind: expect.stringMatching(/broken|timeout/) });
  while (!link.isOver) await new Promise(setImmediate);
  await expect(stdio.connect(program, options)).rejects.toThrow('it wrote a line without an end');
  time.ms += 250;
  const again = await stdio.connect(program, options);
  expect(await again.request('tools/list', {}, asking)).toHaveProperty('result');
  await stdio.stop();
});

test('[mcp.stdio-start] a program continues after an answer that is too large and lines that are not JSON', async () => {
  const { stdio } = servers();
  const calls = "process.stdout.write('starting…\\n[1, {]\\n'); say({ id, result: { text: 'x'.repeat(2500) } })";
  const program = local({ command: [node, '-e', answering(calls)], max_result_bytes: 2000 });
  const link = await stdio.connect(program, options);
  const call = link.request('tools/call', { name: 'a', arguments: {} }, asking);
  await expect(call).rejects.toMatchObject({ kind: 'too-large' });
  expect(await link.request('tools/list', {}, asking)).toHaveProperty('result');
  await stdio.stop();
});
