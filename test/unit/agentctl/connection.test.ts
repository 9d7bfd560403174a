/** Choice of gateway and credential, and connection errors. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { loopbackCertificate, loopbackKey } from '../../support/loopback-tls.ts';
import { errorBody, Home, type Scripted, startServer } from './support.ts';

let server: Scripted;
let home: Home;
const call = ['--protocol', 'git', '--tool', 'scm.get', '--target', 'a/b', '--capability', 'read'];

beforeAll(async () => {
  server = await startServer();
});
beforeEach(() => {
  home = new Home();
  server.reset();
  server.on('GET /admin/v1/whoami', { role: 'operator' });
});
afterEach(() => home.remove());
afterAll(() => server.stop());

const keySeen = () => server.seen.map(({ key }) => key);

describe('credential', () => {
  test.each([
    ['agent-key', ['test-action', ...call], 'POST /admin/v1/test-action'],
    ['agent-key', ['simulate', ...call], 'POST /admin/v1/simulate'],
    ['human-key', ['approve', 'e-1', '--reviewer', 'alice'], 'POST /admin/v1/approvals/e-1/approve'],
    ['human-key', ['pending'], 'GET /admin/v1/approvals'],
    ['human-key', ['status'], 'GET /admin/v1/health/detailed'],
    ['human-key', ['whoami'], 'GET /admin/v1/whoami'],
    ['human-key', ['evidence', 'export', '--session', 's-1'], 'GET /admin/v1/evidence/sessions/s-1/export'],
    ['admin-token', ['verify'], 'GET /admin/v1/audit/verify'],
    ['admin-token', ['policy', 'rollback', '3'], 'POST /admin/v1/policy-versions/3/rollback'],
    ['admin-token', ['config', 'get'], 'GET /admin/v1/config'],
  ])("[cli.own-folder] is the local run's %s for %j", async (key, args, expected) => {
    home.running(server.url);
    await home.run(args);
    const { method, path } = server.seen[0]!;
    expect([`${method} ${path}`, keySeen()]).toEqual([expected, [key]]);
  });

  test.each<[string, readonly string[], Record<string, string>]>([
    ['flag', ['--key', 'mine'], { AGENTCTL_KEY: 'other' }],
    ['environment', [], { AGENTCTL_KEY: 'mine\n' }],
    ['choice of local key', ['--as', 'viewer'], { AGENTCTL_KEY: 'other' }],
  ])('comes from the %s, which takes precedence over the local run', async (name, flags, env) => {
    home.running(server.url);
    await home.run(['whoami', ...flags], { env });
    expect(keySeen()).toEqual([name === 'choice of local key' ? 'viewer-key' : 'mine']);
  });

  test('is read from ~/.config/agentctl.json together with the address', async () => {
    home.write('.config/agentctl.json', JSON.stringify({ url: `${server.url}/`, key: 'configured' }));
    expect((await home.run(['whoami'])).code).toBe(0);
    expect(keySeen()).toEqual(['configured']);
  });

  test("a configuration's key goes to no other address, nor do local keys follow a redirect", async () => {
    home.write('.config/agentctl.json', JSON.stringify({ url: 'https://gateway.example', key: 'configured' }));
    await home.run(['whoami', '--url', server.url]);
    expect(keySeen()).toEqual([undefined]);
    home.running(server.url);
    server.on('GET /admin/v1/whoami', (response: import('node:http').ServerResponse) =>
      response.writeHead(307, { location: `${server.url}/elsewhere` }).end(),
    );
    const { code, err } = await home.run(['whoami', '--state', home.state]);
    expect([code, err]).toEqual([1, 'error: the server answered 307 Temporary Redirect\n']);
    expect(server.seen.map(({ path }) => path)).not.toContain('/elsewhere');
  });

  test('if no key is found, the message explains how to provide one', async () => {
    server.on('GET /admin/v1/whoami', errorBody(401, 'authentication_error', 'Send a key.'), 401);
    const { code, err } = await home.run(['whoami', '--url', server.url]);
    expect(code).toBe(1);
    expect(err).toMatch(/^error: authentication_error: Send a key\.\nno key was found: .*--key/);
  });

  test('an error names the broken keys file without showing its content', async () => {
    home.write('state/keys.json', '{"agent": secret-key}');
    const { code, err } = await home.run(['whoami', '--url', server.url]);
    expect([code, err.includes('keys.json is not valid JSON'), err.includes('secret')]).toEqual([2, true, false]);
  });
});

describe('address', () => {
  test.each<[string, (url: string) => { args?: string[]; env?: Record<string, string>; local?: string }]>([
    ['flag', (url) => ({ args: ['--url', url], env: { AGENTCTL_URL: 'http://127.0.0.1:9' } })],
    ['AGENTCTL_URL', (url) => ({ env: { AGENTCTL_URL: url, GATEWAY_ADMIN_URL: 'http://127.0.0.1:9' } })],
    ['GATEWAY_ADMIN_URL', (url) => ({ env: { GATEWAY_ADMIN_URL: url }, local: 'http://127.0.0.1:9' })],
    ['ready.json', (url) => ({ local: url })],
    [
      'ready.json of a chosen state folder',
      (url) => ({ args: ['--state', 'state'], env: { AGENTCTL_URL: 'http://127.0.0.1:9' }, local: url }),
    ],
  ])('comes from %s', async (_, where) => {
    const { args = [], env = {}, local } = where(server.url);
    if (local !== undefined) home.running(local);
    expect(await home.run(['whoami', ...args], { env })).toMatchObject({ code: 0, err: '' });
  });

  test('may contain a path, and options may precede or follow the command', async () => {
    server.on('GET /prod/admin/v1/whoami', { role: 'viewer' });
    expect((await home.run(['--url', `${server.url}/prod/`, 'whoami', '--json'])).out).toBe('{"role":"viewer"}\n');
  });
});

describe('[cli.typo] trouble', () => {
  test('if no gateway is listening, exits 3 and explains how to start one', async () => {
    const gone = await startServer();
    await gone.stop();
    expect(await home.run(['status', '--url', gone.url])).toEqual({
      code: 3,
      out: '',
      err: `error: cannot reach ${gone.url} (ECONNREFUSED): start it with \`npm start\`\n`,
    });
  });

  test('exits 3 with instructions for an untrusted certificate, TLS to a plain port, and plain HTTP to a TLS port', async () => {
    const tls = createServer({ cert: loopbackCertificate, key: loopbackKey });
    await new Promise<void>((listening) => tls.listen(0, '127.0.0.1', listening));
    const { port } = tls.address() as AddressInfo;
    const plain = new URL(server.url).port;
    const said = async (url: string) => {
      const { code, err } = await home.run(['status', '--url', url]);
      return [code, err];
    };
    expect(await said(`https://127.0.0.1:${port}`)).toEqual([3, expect.stringContaining('set NODE_EXTRA_CA_CERTS')]);
    expect(await said(`http://127.0.0.1:${port}`)).toEqual([3, expect.stringContaining('try https://')]);
    expect(await said(`https://127.0.0.1:${plain}`)).toEqual([3, expect.stringContaining('try http://')]);
    tls.closeAllConnections();
    await new Promise((closed) => tls.close(closed));
  });

  test('silence: exit 3', async () => {
    server.on('GET /admin/v1/whoami', () => undefined);
    const { code, err } = await home.run(['whoami', '--url', server.url, '--timeout', '1']);
    expect([code, err]).toEqual([3, `error: ${server.url} was silent for 1 s\n`]);
  });

  test('exits 3 if a response breaks off', async () => {
    server.on('GET /admin/v1/whoami', (response: import('node:http').ServerResponse) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"role":', () => response.destroy());
    });
    expect(await home.run(['whoami', '--url', server.url])).toMatchObject({ code: 3, out: '' });
  });

  test('exits 1 if a response is not JSON, and does not print it', async () => {
    server.on('GET /admin/v1/whoami', '<html>\u001b[31mhello</html>');
    const { code, out, err } = await home.run(['whoami', '--url', server.url, '--json']);
    const message = `${server.url} answered with something that is not JSON`;
    expect([code, JSON.parse(out)]).toEqual([1, { error: { type: 'failed', message } }]);
    expect(err).toMatch(/answered with something that is not JSON\ncheck that --url is the admin address/);
  });

  test('if refused, exits 1 with type and message on stderr, or the error document on stdout with --json', async () => {
    const refused = errorBody(429, 'rate_limit_error', 'Too fast.\u001b[2J');
    server.on('GET /admin/v1/whoami', (response: import('node:http').ServerResponse) =>
      response.writeHead(429, { 'retry-after': '7' }).end(JSON.stringify(refused)),
    );
    const plain = await home.run(['whoami', '--url', server.url]);
    expect(plain).toEqual({
      code: 1,
      out: '',
      err: 'error: rate_limit_error: Too fast.\\u{1b}[2J\ntry again in 7 s\n',
    });
    const json = await home.run(['whoami', '--url', server.url, '--json']);
    expect([json.code, JSON.parse(json.out)]).toEqual([1, refused]);
  });

  test('with --json, an error of the client is a document on stdout', async () => {
    const down = await home.run(['whoami', '--url', 'http://127.0.0.1:9', '--json']);
    const message = expect.stringContaining('cannot reach http://127.0.0.1:9');
    expect([down.code, JSON.parse(down.out)]).toEqual([3, { error: { type: 'unreachable', message } }]);
    const unfit = await home.run(['whoami', '--url', 'gateway', '--json']);
    expect([unfit.code, JSON.parse(unfit.out)]).toMatchObject([2, { error: { type: 'usage' } }]);
  });

  test('an address without the route, such as the gateway address, is named', async () => {
    server.on('GET /admin/v1/whoami', (response: import('node:http').ServerResponse) =>
      response.writeHead(404).end(JSON.stringify(errorBody(404, 'not_found', 'No route matches /admin/v1/whoami.'))),
    );
    const { code, err } = await home.run(['whoami', '--url', server.url]);
    expect([code, err]).toEqual([
      1,
      'error: not_found: No route matches /admin/v1/whoami.\ncheck that --url is the admin address of a gateway\n',
    ]);
  });

  test('if no gateway has run with the named state folder, the error says so', async () => {
    const { code, err } = await home.run(['whoami', '--state', 'nowhere'], {
      env: { AGENTCTL_URL: 'http://127.0.0.1:9' },
    });
    expect([code, err]).toEqual([3, expect.stringContaining('no gateway has run with the state folder nowhere')]);
  });
});
