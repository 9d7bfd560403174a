/** Conditions that raise alarms or are shown to operators. */

import { deliverUntilNoneIsDue } from '#core/approvals/notifications/deliver.ts';
import { enqueueNotifications } from '#core/approvals/notifications/enqueue.ts';
import { ConfigurationTrouble } from '#core/configuration/file-trouble.ts';
import { createHandler as alerts } from '#lambdas/alerts/event.ts';
import { createHandler as archiveCheck } from '#lambdas/archive-check/event.ts';
import { createHandler as notify } from '#lambdas/notify/event.ts';
import { createHandler as sweep } from '#lambdas/sweep/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { fakeSlack } from '../support/fake-slack.ts';
import { keptGateway } from '../support/kept-gateway.ts';
import { keys, testPorts } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';
import { useStarted } from '../support/use-started.ts';

/** Conditions that raise alarms: missing heartbeats, disabled guards, late or dropped messages. */
describe('alarms', () => {
  const createPullRequest = {
    protocol: 'git',
    tool: 'scm.create_pull_request',
    target: 'acme/web',
    capability: 'write',
    parameters: { title: 't', head: 'b', base: 'main' },
    actor: { agent: 'writer', session: 'watched' },
  };

  const slack = useStarted(() => fakeSlack(), 'test');
  const gateway = useStarted(
    () =>
      keptGateway({
        secrets: { SLACK_BOT_TOKEN: 'bot-token-value', SLACK_SIGNING: 'signing-1' },
        extra: `
approvals:
  channels:
    slack: { channel: C1, bot_token_env: SLACK_BOT_TOKEN, signing_secret_env: SLACK_SIGNING, api_url: "${slack.url}/api" }
`,
      }),
    'test',
  );

  /** Returns the value of a series in the registry; undefined if there is none. */
  const series = (text: string): string | undefined =>
    gateway
      .ports()
      .metricsText?.()
      .split('\n')
      .find((line) => line.startsWith(`${text} `))
      ?.split(' ')[1];
  const completed = (schedule: string) => series(`svc_schedule_completed_total{schedule="${schedule}"}`);

  test('[watch.alarms] a completed run is counted for each schedule', async () => {
    await sweep(gateway.ports())();
    await notify(gateway.ports())();
    await archiveCheck(gateway.ports())();
    for (const schedule of ['sweep', 'notify', 'archive-check'])
      expect([schedule, completed(schedule)]).toEqual([schedule, '1']);
  });

  test('[watch.alarms] before any configuration is stored, a run counts as completed; if the store does not respond, the run fails', async () => {
    const unavailable = () => Promise.reject(new Error('none'));
    const ports = { ...gateway.ports(), snapshots: { ...gateway.ports().snapshots, current: unavailable } };
    const holding = (inForce: () => Promise<undefined>) => ({
      ...ports,
      configStore: { ...ports.configStore, inForce },
    });
    const empty = holding(() => Promise.resolve(undefined));
    await sweep(empty)();
    expect(await alerts(empty)()).toEqual({ changed: 0 });
    expect(['sweep', 'alerts'].map(completed)).toEqual(['1', '1']);
    for (const broken of [ports, holding(unavailable)]) {
      await expect(sweep(broken)()).rejects.toThrow();
      await expect(alerts(broken)()).rejects.toThrow();
    }
    expect(['sweep', 'alerts'].map(completed)).toEqual(['1', '1']);
  });

  test('[watch.alarms] neither a failed run nor messages delivered by the stream are counted', async () => {
    const broken = {
      ...gateway.ports(),
      approvals: {
        ...gateway.ports().approvals,
        waiting: () => Promise.reject(new Error('the table does not answer')),
      },
    };
    await expect(sweep(broken)()).rejects.toThrow();
    await notify(gateway.ports())({ Records: [] });
    for (const schedule of ['sweep', 'notify']) expect(completed(schedule)).toBeUndefined();
  });

  test('[watch.alarms] the sweep reports the number of disabled guards', async () => {
    await sweep(gateway.ports())();
    expect(series('svc_guards_disabled')).toBe('0');
    const { current } = gateway.ports().snapshots;
    const snapshot = await current();
    const tool_policies = { ...snapshot.configuration.tool_policies, disable_guards: ['secret-files', 'keys', 'keys'] };
    const configuration = { ...snapshot.configuration, tool_policies };
    const snapshots = { ...gateway.ports().snapshots, current: async () => ({ ...snapshot, configuration }) };
    await sweep({ ...gateway.ports(), snapshots })();
    expect(series('svc_guards_disabled')).toBe('2');
  });

  test('[watch.alarms] delivery of a first message is timed from the request; delivery of a decision is not timed', async () => {
    const ask = caller(gateway.ports());
    const { body } = await ask('POST', '/admin/v1/test-action', { key: keys.agent, body: createPullRequest });
    await enqueueNotifications(gateway.ports(), ['slack'], 'submitted', {
      envelope_id: body.envelope_id,
      tenant: 'default',
    });
    gateway.pass(7);
    await notify(gateway.ports())();
    expect([series('svc_delivery_delay_seconds_count'), series('svc_delivery_delay_seconds_sum')]).toEqual(['1', '7']);
    await enqueueNotifications(gateway.ports(), ['slack'], 'approved', {
      envelope_id: body.envelope_id,
      tenant: 'default',
    });
    await notify(gateway.ports())();
    expect(series('svc_delivery_delay_seconds_count')).toBe('1');
    expect(series('svc_deliveries_dead_total')).toBeUndefined();
  });

  test('[watch.alarms] an abandoned message is counted once', async () => {
    await enqueueNotifications(gateway.ports(), ['slack'], 'submitted', {
      envelope_id: 'no-such-approval',
      tenant: 'default',
    });
    for (let attempt = 0; attempt < 10; attempt++) {
      await notify(gateway.ports())();
      gateway.pass(700);
    }
    expect(series('svc_deliveries_dead_total')).toBe('1');
  });

  test('[cloud.access-logs] the log line for an action contains the tenant and the key id, but not the key', async () => {
    const ask = caller(gateway.ports());
    await ask('POST', '/admin/v1/test-action', { key: keys.agent, body: createPullRequest });
    const line = gateway.lines.map((text) => JSON.parse(text)).find(({ msg }) => msg === 'action evaluated');
    expect(line).toMatchObject({
      tenant: 'default',
      key_id: expect.stringMatching(/^[0-9a-f]{16}$/),
      decision: 'review',
    });
    expect(JSON.stringify(line)).not.toContain(keys.agent);
  });
});

/** Notifications that do not reach their channel, as shown by `agentctl status`. */
describe('failed notifications', () => {
  /** Delivers one page of due notifications. */
  const deliverDue = (ports: Parameters<typeof deliverUntilNoneIsDue>[0]) => deliverUntilNoneIsDue(ports, 0);

  const gateway = useGateway();

  test('[cli.status] a failed notification is shown as retrying, then as dead, with its error but without the address', async () => {
    const { ports } = gateway;
    const { deliveries, clock } = ports;
    for (const tenant of ['default', 'elsewhere'])
      await deliveries.enqueue({
        id: `${tenant}#submitted#slack`,
        channel: 'slack',
        event: 'submitted',
        envelope_id: tenant,
        tenant,
        attempts: 0,
        due_at: new Date(clock.now()).toISOString(),
        state: 'due',
      });
    const statusOf = async () =>
      (await caller(ports)('GET', '/admin/v1/health/detailed', { key: keys.viewer })).body.deliveries;
    expect(await statusOf()).toEqual({ due: 2, failing: [] });

    const tryAll = () =>
      deliverDue({
        ...ports,
        approvals: { find: async () => ({ envelope_id: 'x' }) as never },
        notifier: async () => ({
          send: () => Promise.reject(new Error('POST https://hooks.slack.example/T0/B0/secret answered 404')),
        }),
        waiting: ports.approvals,
        digestTerms: async () => ({ on: false, above: 20, everySeconds: 60 }),
        random: () => 0.5,
        placeOf: async () => undefined,
      });
    await tryAll();
    const retrying = await statusOf();
    expect(retrying.failing).toMatchObject([
      { channel: 'slack', envelope_id: 'default', state: 'retrying', attempts: 1 },
    ]);
    expect(retrying.failing[0].error).toBe('POST <address> answered 404');
    expect(JSON.stringify(retrying)).not.toMatch(/secret|elsewhere/);

    for (let attempt = 2; attempt <= 8; attempt++) {
      gateway.pass(3600);
      await tryAll();
    }
    expect(await statusOf()).toMatchObject({ due: 0, failing: [{ state: 'dead', attempts: 8 }] });
  });

  describe("[admin.status] the gateway's dependencies", () => {
    const fresh = useGateway({}, 'test');

    const health = async (ports = fresh.ports) =>
      (await caller(ports)('GET', '/admin/v1/health/detailed', { key: keys.viewer })).body;
    const of = (body: { dependencies: { name: string }[] }, name: string) =>
      body.dependencies.find((one) => one.name === name);

    test('stores are up, a provider that has not been called is unknown, and a disabled one is not listed', async () => {
      const body = await health();
      expect(body.status).toBe('ok');
      const since = new Date(fresh.ports.clock.now()).toISOString();
      expect(body.dependencies).toEqual([
        { kind: 'store', name: 'tables', needed: true, state: 'up', latency_ms: 0, since },
        { kind: 'object_store', name: 'objects', needed: true, state: 'up', latency_ms: 0, since },
        { kind: 'provider', name: 'mock', needed: false, state: 'unknown', since },
        { kind: 'projection', name: 'evidence', needed: false, state: 'up', since },
      ]);
    });

    test('a failing channel degrades the gateway and shows the time and reason; the stores keep their own times', async () => {
      const before = await health();
      fresh.pass(60);
      const { deliveries, clock } = fresh.ports;
      const now = new Date(clock.now()).toISOString();
      await deliveries.enqueue({
        id: 'one',
        channel: 'slack',
        event: 'submitted',
        envelope_id: 'one',
        tenant: 'default',
        attempts: 1,
        last_error: 'it answered 500',
        due_at: now,
        state: 'due',
      });
      const body = await health();
      expect(body.status).toBe('degraded');
      expect(of(body, 'slack')).toMatchObject({
        kind: 'channel',
        state: 'down',
        reason: 'it answered 500',
        since: now,
      });
      expect(of(body, 'tables')).toEqual(of(before, 'tables'));
    });

    test('[admin.status] a server that could not be started is down, with the reason, before any call is made; one that responded is up', async () => {
      const withServers = await testPorts({
        extra: `
upstreams:
  mcp:
    - { name: here, url: "https://mcp.example/mcp" }
    - { name: gone, url: "https://mcp.example/gone" }
    - { name: other, url: "https://mcp.example/other" }
`,
      });
      const { dependencyStates } = withServers.ports;
      dependencyStates.connected('here', 'it does not answer');
      dependencyStates.connected('here');
      dependencyStates.connected('gone', 'the process exited with code 127');
      const body = await health(withServers.ports);
      await withServers.stop();
      expect(body.status).toBe('degraded');
      expect(of(body, 'here')).toMatchObject({ state: 'up' });
      expect(of(body, 'gone')).toMatchObject({ state: 'down', reason: 'the process exited with code 127' });
      expect(of(body, 'other')).toMatchObject({ state: 'unknown' });
    });

    test('without its object store, the gateway is unavailable and reports which dependency is down', async () => {
      const objects = {
        ...fresh.ports.objects,
        get: () => Promise.reject(new Error('https://secret.example refused')),
      };
      const body = await health({ ...fresh.ports, objects });
      expect(body.status).toBe('unavailable');
      expect(of(body, 'objects')).toMatchObject({ needed: true, state: 'down' });
      expect(JSON.stringify(body)).not.toContain('secret.example');
    });
  });
});

/** A configuration file that does not load after it was saved, in each view that operators use [policy.hot-reload]. */
describe('a configuration file that does not load', () => {
  let trouble: ConfigurationTrouble;
  let call: ReturnType<typeof caller>;
  let evaluate: ReturnType<typeof alerts>;
  const gateway = useGateway({}, 'test');
  beforeEach(() => {
    trouble = new ConfigurationTrouble(gateway.ports.clock);
    const ports = { ...gateway.ports, configurationTrouble: trouble };
    call = caller(ports);
    evaluate = alerts(ports);
  });

  const platform = 'admin-token-1';
  const read = async (path: string, key = platform) => (await call('GET', `/admin/v1/${path}`, { key })).body;
  const file = async (key = platform) => {
    const { status, dependencies, warnings } = await read('health/detailed', key);
    return {
      status,
      warnings,
      of: dependencies.find(({ kind }: { kind: string }) => kind === 'configuration'),
      policies: (await read('policies', key)).warnings,
    };
  };
  const open = async (key = platform) => (await read('alerts?state=active', key)).alerts;
  const minute = async () => {
    gateway.pass(60);
    await evaluate();
  };

  test('[policy.hot-reload] health, policies and an alert report the problem to the platform until the file loads', async () => {
    const before = await file();
    expect(before).toMatchObject({ status: 'ok', of: { name: 'file', state: 'up', needed: false } });
    const since = new Date(gateway.ports.clock.now()).toISOString();
    trouble.failed('gateway.yaml', 'line 2: tennants is not known');
    gateway.pass(60);
    trouble.failed(
      'gateway.yaml',
      'The configuration has 2 problems:\ntenants (line 1): found nothing\ntenant (line 3): found an unknown key',
    ); // saved again, still broken
    const reason =
      'The configuration file gateway.yaml does not load, so version 1 stays in force: The configuration has 2 problems: tenants (line 1): found nothing; tenant (line 3): found an unknown key';
    expect(await file()).toEqual({
      status: 'degraded',
      of: { kind: 'configuration', name: 'file', needed: false, state: 'degraded', reason, since },
      warnings: [reason, ...before.warnings],
      policies: [reason, ...before.policies],
    });
    await minute();
    expect(await open()).toMatchObject([
      // The message is recorded in a tenant's evidence, so it does not quote the file.
      {
        type: 'system',
        severity: 'warning',
        metric: 'configuration_file',
        message: expect.stringContaining('`agentctl status`'),
      },
    ]);

    trouble.loaded();
    expect(await file()).toMatchObject({ status: 'ok', of: { state: 'up' }, warnings: before.warnings });
    expect((await file()).policies).toEqual(before.policies);
    for (let n = 0; n < 5; n++) await minute();
    expect(await open()).toEqual([]);
  });

  test('[policy.hot-reload] callers in a tenant see that the file does not load, but not its contents', async () => {
    trouble.failed('gateway.yaml', 'line 2: tenants[1].api_keys: other-tenant');
    await minute();
    for (const key of [keys.viewer, keys.human]) {
      const seen = await file(key);
      expect(seen).toMatchObject({ status: 'degraded', of: { state: 'degraded' } });
      expect(seen.warnings[0]).toContain('does not load, so version 1 stays in force. To see why, use the admin token');
      expect(JSON.stringify([seen, await open(key)])).not.toMatch(/other-tenant|gateway\.yaml/);
    }
  });

  test('[policy.hot-reload] a host that has no configuration file does not list one', async () => {
    const { dependencies } = (await caller(gateway.ports)('GET', '/admin/v1/health/detailed', { key: platform })).body;
    expect(dependencies.map(({ kind }: { kind: string }) => kind)).not.toContain('configuration');
  });
});
