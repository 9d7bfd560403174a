/** A state folder that was found rather than named: who must own it, and which keys are sent to the addresses in it. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Home, type Scripted, startServer } from './support.ts';

let server: Scripted;
let home: Home;

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

const found = { GATEWAY_STATE: '' };
const keysSeen = () => server.seen.map(({ key }) => key);
const path = (name = '') => join(home.folder, '.gateway', name);

/** Creates `.gateway` in the current folder, as a gateway start leaves it, or as another user made it. */
function folder(ready: object = {}, keys: object = home.keys): void {
  const file = home.write('.gateway/keys.json', JSON.stringify(keys));
  const usual = { admin_url: server.url, mcp_url: server.url, keys_file: file };
  home.write('.gateway/ready.json', JSON.stringify({ ...usual, ...ready }));
  for (const name of ['keys.json', 'ready.json']) chmodSync(path(name), 0o600);
  chmodSync(path(), 0o700);
}

function git(...args: string[]): void {
  execFileSync('git', ['-C', home.folder, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { stdio: 'ignore' });
}

describe('[cli.own-folder] a state folder that was found rather than named', () => {
  test.each<[string, () => void]>([
    ['outside of a repository', () => {}],
    ['in a repository that does not track it', () => git('init')],
    ['and was moved, so that the keys are elsewhere now', () => folder({ keys_file: '/no/such/folder/keys.json' })],
  ])('is used if it belongs to the user, %s', async (_, arrange) => {
    folder();
    arrange();
    expect(await home.run(['whoami'], { env: found })).toMatchObject({ code: 0, err: '' });
    expect(keysSeen()).toEqual(['human-key']);
  });

  test.each<[string, RegExp, () => void]>([
    [
      'is tracked by Git',
      /Git tracks it/,
      () => {
        git('init');
        git('add', '-f', '.gateway');
      },
    ],
    [
      'is a submodule',
      /Git tracks it/,
      () => {
        execFileSync('git', ['init', path()], { stdio: 'ignore' });
        execFileSync(
          'git',
          ['-C', path(), '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--allow-empty', '-m', 'x'],
          { stdio: 'ignore' },
        );
        git('init');
        git('add', '-f', '.gateway');
      },
    ],
    [
      'can be read by others',
      /mode 755\); if you made it, run: chmod 700 \S+\.gateway/,
      () => chmodSync(path(), 0o755),
    ],
    ['can be written by its group', /mode 770/, () => chmodSync(path(), 0o770)],
    ['has keys that others can read', /mode 644\).*chmod 600 \S+keys\.json/, () => chmodSync(path('keys.json'), 0o644)],
    ['has an address file that others can write', /mode 666/, () => chmodSync(path('ready.json'), 0o666)],
    [
      'is a link',
      /it is a link/,
      () => {
        rmSync(path(), { recursive: true });
        home.running(server.url);
        symlinkSync(home.state, path());
      },
    ],
    [
      'has keys that are a link',
      /keys\.json is not a regular file/,
      () => {
        rmSync(path('keys.json'));
        symlinkSync(home.write('theirs.json', JSON.stringify(home.keys)), path('keys.json'));
      },
    ],
    [
      'names keys elsewhere',
      /names keys outside the folder, in \S+theirs\.json/,
      () => folder({ keys_file: home.write('theirs.json', JSON.stringify(home.keys)) }),
    ],
    [
      'names keys elsewhere and has none',
      /names keys outside the folder/,
      () => {
        folder({ keys_file: home.write('theirs.json', JSON.stringify(home.keys)) });
        rmSync(path('keys.json'));
      },
    ],
    [
      'names another machine',
      /names https:\/\/gateway\.example, which is not on this machine/,
      () => folder({ mcp_url: 'https://gateway.example' }),
    ],
    [
      'is a file',
      /it is not a folder/,
      () => {
        rmSync(path(), { recursive: true });
        home.write('.gateway', '{}');
      },
    ],
  ])('is not used if it %s', async (_, why, arrange) => {
    folder();
    arrange();
    const { code, err } = await home.run(['whoami'], { env: found });
    expect([code, server.seen]).toEqual([2, []]);
    expect(err).toMatch(/^error: the state folder \S+\.gateway was found here and is not used: .*--state/);
    expect(err).toMatch(why);
  });

  const event = JSON.stringify({
    hook_event_name: 'PreToolUse',
    session_id: 's',
    cwd: '/w',
    tool_name: 'Bash',
    tool_input: { command: 'rm -rf /' },
  });

  test.each<[string, readonly string[]]>([
    ['pending', ['pending']],
    ['policy rollback', ['policy', 'rollback', '1']],
    ['doctor', ['doctor']],
    ['mcp-bridge', ['mcp-bridge']],
    ['mcp call', ['mcp', 'call', 'x']],
    ['plugin list', ['plugin', 'list']],
    ['setup', ['setup', 'cursor', '--write']],
    ['setup --print-key', ['setup', '--print-key']],
    ['hook', ['hook', 'claude-code']],
  ])('a folder that others can access is refused by %s', async (_, args) => {
    folder();
    chmodSync(path(), 0o755);
    server.on('POST /admin/v1/test-action', { decision: 'allow', envelope_id: 'e', matched_rule: 'x' });
    const { code, out, err } = await home.run(args, { env: found, stdin: event });
    expect(server.seen).toEqual([]);
    expect(out + err).toContain('is not used: other users have access');
    expect(out).not.toMatch(/allow"|-key/);
    expect(code).toBe(args[0] === 'hook' ? 0 : 2); // a hook that ends with an error would let the tool run
  });

  test('is used if it is named explicitly, and is not read if address and key are given', async () => {
    folder();
    chmodSync(path(), 0o755);
    await home.run(['whoami', '--state', '.gateway'], { env: found });
    await home.run(['whoami'], { env: { GATEWAY_STATE: '.gateway' } });
    await home.run(['whoami', '--url', server.url, '--key', 'mine'], { env: found });
    expect(keysSeen()).toEqual(['human-key', 'human-key', 'mine']);
  });
});

describe('[cli.own-folder] keys', () => {
  test.each<[string, readonly string[], Record<string, string>]>([
    ['AGENTCTL_KEY', ['whoami'], { AGENTCTL_KEY: 'mine' }],
    ['--key', ['whoami', '--key', 'mine'], {}],
    ['AGENTCTL_KEY through mcp-bridge', ['mcp-bridge'], { AGENTCTL_KEY: 'mine' }],
  ])('the user’s own keys (%s) are not sent to an address from a folder that was only found', async (_, args, env) => {
    folder();
    const { code, err } = await home.run(args, {
      env: { ...found, ...env },
      stdin: '{"jsonrpc":"2.0","id":1,"method":"x"}\n',
    });
    expect([code, server.seen]).toEqual([2, []]);
    expect(err).toMatch(/comes from a state folder that you did not name, so your key is not sent there: .*--state/);
  });

  test('the user’s own keys are sent to the address in a named folder, and --as uses the keys in the folder', async () => {
    folder();
    await home.run(['whoami'], { env: { GATEWAY_STATE: '.gateway', AGENTCTL_KEY: 'mine' } });
    await home.run(['whoami', '--as', 'viewer'], { env: { ...found, AGENTCTL_KEY: 'mine' } });
    expect(keysSeen()).toEqual(['mine', 'viewer-key']);
  });

  test('generated keys are sent only to their own gateway, even from a named folder', async () => {
    mkdirSync(path());
    folder({ admin_url: 'http://127.0.0.1:9', mcp_url: 'http://127.0.0.1:9' });
    for (const args of [[], ['--state', '.gateway']])
      await home.run(['whoami', '--url', server.url, ...args], { env: found });
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n';
    await home.run(['mcp-bridge', '--url', server.url], { env: found, stdin: ping });
    expect(keysSeen()).toEqual([undefined, undefined, undefined]);
  });

  test('a deployment key is not sent to a gateway address that was not given', async () => {
    const { code, err } = await home.run(['chat', 'hi', '--url', 'https://admin.example', '--key', 'mine'], {
      env: found,
    });
    expect([code, err.split('\n')[0]]).toEqual([
      2,
      'error: https://admin.example is the admin address; give --gateway (AGENTCTL_GATEWAY), the gateway address',
    ]);
  });
});
