/** A configuration file that does not load after it was saved, in each view that people look at [policy.hot-reload]. */
import { ConfigurationTrouble } from '#core/configuration/file-trouble.ts';
import { createHandler as alerts } from '#lambdas/alerts/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

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

test('[policy.hot-reload] health, policies and an alert show it to the platform until the file loads', async () => {
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
    // It becomes evidence of a tenant, so it does not quote the file.
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

test('[policy.hot-reload] callers of a tenant learn that the file does not load, but not its content', async () => {
  trouble.failed('gateway.yaml', 'line 2: tenants[1].api_keys: other-tenant');
  await minute();
  for (const key of [keys.viewer, keys.human]) {
    const seen = await file(key);
    expect(seen).toMatchObject({ status: 'degraded', of: { state: 'degraded' } });
    expect(seen.warnings[0]).toContain('does not load, so version 1 stays in force. The admin token');
    expect(JSON.stringify([seen, await open(key)])).not.toMatch(/other-tenant|gateway\.yaml/);
  }
});

test('[policy.hot-reload] a host without a configuration file lists none', async () => {
  const { dependencies } = (await caller(gateway.ports)('GET', '/admin/v1/health/detailed', { key: platform })).body;
  expect(dependencies.map(({ kind }: { kind: string }) => kind)).not.toContain('configuration');
});
