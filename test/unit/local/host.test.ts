/** Small parts of the local host: flags, banner, schedules, generated secrets. */

import { createHash } from 'node:crypto';
import { environmentSecrets } from '#adapters/local/environment-secrets.ts';
import { isLoopbackHost } from '#core/catalog/networks.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { configurationSchema } from '#features/configuration.ts';
import { banner, type ReadyEvent } from '../../../bin/local/banner.ts';
import { demoModels } from '../../../bin/local/demo-models.ts';
import { parseFlags, UsageError } from '../../../bin/local/flags.ts';
import { namingSnapshots, overlayKeys } from '../../../bin/local/generated-secrets.ts';
import { repeatEvery, runSchedules } from '../../../bin/local/schedule.ts';

describe('flags', () => {
  const parse = (args: string[], environment = {}) => parseFlags(args, environment, '/checkout');

  test('have defaults', () => {
    expect(parse([])).toMatchObject({
      config: '/checkout/config/gateway.yaml',
      host: '127.0.0.1',
      gatewayPort: 8080,
      adminPort: 8081,
      mcpPort: 8082,
      edgePort: 8443,
      state: expect.stringMatching(/\.gateway$/),
    });
  });

  test('override the environment, which overrides the defaults', () => {
    const environment = { GATEWAY_CONFIG: '/env/c.yaml', GATEWAY_STATE: '/env/state' };
    expect(parse([], environment)).toMatchObject({ config: '/env/c.yaml', state: '/env/state' });
    expect(parse(['--config', '/f.yaml', '--state=/s'], environment)).toMatchObject({ config: '/f.yaml', state: '/s' });
    expect(parse(['--admin-port', '0', '--mcp-port=9', '--host', '::1'])).toMatchObject({
      adminPort: 0,
      mcpPort: 9,
      host: '::1',
    });
    expect([parse(['--help']).show, parse(['-v']).show]).toEqual(['help', 'version']);
  });

  test.each([
    [['--admin-port', '65536']],
    [['--admin-port', '-1']],
    [['--admin-port', '']],
    [['--admin-port', '80a']],
    [['--colour']],
    [['start']],
    [['--state']],
  ])('refuse %j', (args) => {
    expect(() => parse(args)).toThrow(UsageError);
  });

  test.each([
    ['--gatway-port', 'There is no option --gatway-port; did you mean "gateway-port"? See --help.'],
    ['--state-dir', 'There is no option --state-dir. See --help.'],
    ['--port', /^There is no option --port; there are --gateway-port, --admin-port, .*--edge-h3-port\. See --help\.$/],
  ])('the unknown option %s is rejected with a hint', (given, message) => {
    expect(() => parse([given])).toThrow(message);
  });

  test('distinguish loopback hosts from other hosts', () => {
    expect(['localhost', '127.0.0.1', '127.1.2.3', '::1'].every(isLoopbackHost)).toBe(true);
    expect(['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.example.com'].some(isLoopbackHost)).toBe(false);
  });
});

describe('the banner', () => {
  const ready: ReadyEvent = {
    event: 'ready',
    version: '1.2.3',
    gateway_url: 'http://g',
    admin_url: 'http://a',
    mcp_url: 'http://m',
    edge_url: null,
    edge_h2c_url: null,
    edge_http3_port: null,
    edge_certificate: null,
    keys_file: '/s/keys.json',
  };
  const keys = { agent: 'key-a', human: 'key-h' };

  test('shows the addresses, the keys, the Node version and four commands', () => {
    const text = banner(ready, keys, { terminal: false, file: false });
    for (const part of ['1.2.3', process.version, 'http://g', 'http://a', 'http://m', 'key-a', 'key-h', '/s/keys.json'])
      expect(text).toContain(part);
    expect(text.match(/\.\/agentctl /g)).toHaveLength(4);
    expect(text).not.toContain('\u001b');
  });

  test('includes the state folder in its commands if agentctl would not find it otherwise', () => {
    const shown = banner(ready, keys, { terminal: false, file: false }, { state: "/tmp/bob's state" });
    expect(shown.match(/\.\/agentctl --state '\/tmp\/bob'\\''s state' \w+/g)).toHaveLength(4);
  });

  test('[auth.generated-keys] names the keys file but shows no keys if the output is a file', () => {
    const text = banner(ready, keys, { terminal: false, file: true });
    expect(text).toContain('/s/keys.json');
    expect(text).not.toMatch(/key-a|key-h/);
  });

  test('uses colours if enabled, and shows no keys if none are generated', () => {
    expect(banner(ready, keys, { terminal: true, file: false })).toContain('\u001b[1m');
    expect(banner({ ...ready, keys_file: null }, {}, { terminal: false, file: false })).not.toMatch(/Demo keys|null/);
  });
});

test('[models.demo] the banner lists the models of the built-in mock and describes their replies', () => {
  const entry = (type: string, models: string[], enabled = true) => ({ type, models, enabled });
  const providers = [
    entry('mock', ['mock', 'mock-*']),
    entry('mock', ['claude-sonnet-4-5', 'claude-*', 'o3']),
    entry('mock', ['off'], false),
    entry('openai', ['gpt-*']),
  ] as unknown as Configuration['providers'];
  expect(demoModels({ providers })).toEqual(['mock', 'o3', 'mock-*', 'claude-*']);
  const ready = { gateway_url: 'http://g', edge_url: null, keys_file: null } as ReadyEvent;
  const shown = (models: string[]) => banner(ready, {}, { terminal: false, file: false }, { demoModels: models });
  expect(shown(['mock', 'claude-*'])).toMatch(/demo models +mock, claude-\* +demo answers: no model is called/);
  expect(shown([])).not.toContain('demo');
});

describe('a schedule', () => {
  test('runs at the start and periodically, never twice at the same time, even if runs fail', async () => {
    let running = 0;
    const faults: unknown[] = [];
    const third = Promise.withResolvers<void>();
    let runs = 0;
    const work = async () => {
      expect(++running).toBe(1);
      await new Promise(setImmediate);
      running--;
      if (++runs === 3) third.resolve();
      throw new Error(`run ${runs}`);
    };
    const schedule = repeatEvery(1, work, (fault) => faults.push((fault as Error).message));
    await third.promise;
    await schedule.stop();
    expect(running).toBe(0);
    expect(faults.slice(0, 3)).toEqual(['run 1', 'run 2', 'run 3']);
  });

  test('stops without waiting for the current pause to end', async () => {
    const schedule = repeatEvery(
      3_600_000,
      async () => {},
      () => {},
    );
    await schedule.stop();
  });

  test('each scheduled function of a deployment runs, and a failure is reported with its name', async () => {
    const faults: string[] = [];
    const run = (name: string) => async () => {
      throw new Error(name);
    };
    const handlers = {
      sweep: run('sweep'),
      alerts: run('alerts'),
      notify: run('notify'),
      'archive-check': run('archive-check'),
    };
    const parts = runSchedules(handlers, (name) => (fault) => {
      faults.push(`${name}: ${(fault as Error).message}`);
    });
    await Promise.all(parts.map((part) => part.stop()));
    expect(faults.sort()).toEqual(['alerts: alerts', 'archive-check: archive-check', 'notify: notify', 'sweep: sweep']);
  });
});

describe('generated secrets', () => {
  test('the generated keys are for an agent without an owner, a separate human and a viewer', () => {
    const keys = overlayKeys({ agent: 'a', human: 'h', viewer: 'v', admin_token: 't' }, 'first');
    expect(keys).toMatchObject([
      { kind: 'agent', role: 'operator', tenant: 'first', key_sha256: createHash('sha256').update('a').digest('hex') },
      { kind: 'human', role: 'operator', person: 'local-human' },
      { kind: 'service', role: 'viewer' },
    ]);
    expect(keys.every((key) => key.owner === undefined && key.platform === undefined)).toBe(true);
    expect(overlayKeys({}, 'first')).toEqual([]);
  });

  test('use the names from the active configuration once it is loaded', async () => {
    const broker = (private_key_env: string, generated_key: boolean) => ({
      type: 'scm_app',
      private_key_env,
      generated_key,
    });
    const configuration = {
      ...configurationSchema.parse({ version: 1, tenants: [{ id: 't', api_keys: ['k'] }] }),
      admin: { token_env: 'A' },
      credentials: { brokers: [broker('K', true), broker('OWN', false)], grants: [], tickets: { key_env: 'TICKETS' } },
    };
    const warnings = ['GATEWAY_AGENT_KEY is not set: its key entry is skipped.', 'policies.break_glass is on'];
    const snapshot = { configuration, warnings } as unknown as Snapshot;
    let refreshed = 0;
    const refresh = async () => {
      refreshed++;
      return snapshot;
    };
    const snapshots = { current: async () => snapshot, refresh };
    const secrets: Record<string, string> = {};
    const naming = namingSnapshots(
      snapshots,
      secrets,
      { adminToken: 'token', appKey: 'pem', ticketKey: 'key' },
      environmentSecrets({}, secrets),
      async () => ['no prlimit'],
    );
    await naming.current();
    expect((await naming.current()).warnings).toEqual([
      'policies.break_glass is on',
      expect.stringContaining('OWN is not set; credentials.brokers[1].private_key_env refers to it.'),
      'no prlimit',
    ]);
    expect([secrets, refreshed]).toEqual([{ A: 'token', K: 'pem', TICKETS: 'key' }, 1]);
  });
});
