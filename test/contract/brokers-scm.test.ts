/** Credentials of a Git-host app. */
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { loopback } from '../support/loopback.ts';
import { useStarted } from '../support/use-started.ts';
import { grant as gitGrant, now } from '../unit/execution/credentials/sample.ts';
import { brokerOf, failure, gitWorld, grantOf, portsOf } from './broker-worlds.ts';

describe('[credential.minted] a Git-host app with an installation', () => {
  const world = useStarted(() => gitWorld(), 'test');
  const issue = (over: Partial<ActionEnvelope> = {}, scope = world.scope) =>
    brokerOf(world.settings, portsOf(world.clients)).issue(
      { ...world.envelope, ...over },
      gitGrant({ broker: 'b', scope }),
    );

  test("returns a token for the action's repository and the grant's permissions; the app's own token stays inside", async () => {
    const { record, secret } = await issue();
    expect([...world.host.alive.values()]).toEqual([
      { token: secret, repositories: ['web'], permissions: { pull_requests: 'write', contents: 'read' } },
    ]);
    expect(record).toMatchObject({
      type: 'scm_app_jwt',
      degraded: false,
      issuer_expires_at: isoTime(now + 3600_000 - 500),
    });
    expect(secret).toMatch(/^ghs_/);
  });

  test('the holder ends it at the host; by its record alone it only dies', async () => {
    const broker = brokerOf(world.settings, portsOf(world.clients));
    const { record, secret } = await issue();
    expect(broker.calledBack).toBe('by_value');
    await broker.revoke(record);
    expect(world.host.alive.size).toBe(1);
    await broker.revoke(record, secret);
    expect(world.host.alive.size).toBe(0);
  });

  test.each([
    ['a repository outside the installation', { target: 'acme/secret' }, undefined, 'rejected'],
    ['a permission the installation lacks', {}, 'contents:write', 'rejected'],
    ['a target that is no repository', { target: 'acme/web/../secret' }, undefined, 'credential_refused'],
    ['a target without an owner', { target: 'web' }, undefined, 'credential_refused'],
  ])('[credential.no-broader] %s is refused', async (_, over, scope, reason) => {
    expect(await failure(issue(over, scope))).toMatchObject({ code: 'forbidden', data: { reason } });
    expect(world.host.alive.size).toBe(0);
  });

  test.each(['contents', 'contents:owner', 'contents:read,contents:write', '*:write', ''])(
    'the scope %j is not a list of permissions, and no token is requested',
    async (scope) => {
      expect(await failure(issue({}, scope))).toMatchObject({ code: 'service_unavailable' });
      expect(world.calls).toHaveLength(0);
    },
  );

  test("[credential.no-broader] another owner's repository of the same name is not this installation's", async () => {
    expect(await failure(issue({ target: 'evil/web' }))).toMatchObject({ code: 'service_unavailable' });
    expect(world.host.alive.size).toBe(0);
  });

  test.each([
    ['more repositories', { repositories: ['acme/web', 'acme/api'] }],
    ['no repositories at all', { repositories: undefined }],
    ['more permissions', { permissions: { contents: 'write' } }],
    ['a permission nobody asked for', { permissions: { contents: 'read', secrets: 'read' } }],
    ['a level nobody knows', { permissions: { contents: 'owner' } }],
  ])('[credential.no-broader] a token with %s is given back at once', async (_, lie) => {
    world.host.lies.push(lie);
    expect(await failure(issue())).toMatchObject({ code: 'service_unavailable' });
    expect(world.host.alive.size).toBe(0);
    expect(world.calls).toHaveLength(2);
  });

  test('a host that has no calls left is busy, not refusing', async () => {
    world.faults.push({ status: 403, headers: { 'x-ratelimit-remaining': '0' }, body: {} });
    expect(await failure(issue())).toMatchObject({ code: 'service_unavailable', data: { reason: 'throttled' } });
  });

  test('a redirect is not followed', async () => {
    const elsewhere = await loopback(() => ({ status: 201, body: {} }));
    world.faults.push({ status: 307, headers: { location: `${elsewhere.url}/` } });
    expect(await failure(issue())).toMatchObject({ code: 'service_unavailable' });
    expect(elsewhere.calls).toHaveLength(0);
    await elsewhere.stop();
  });

  test('[credential.no-broader] an installation without an address gets no token', async () => {
    const broker = brokerOf({ ...world.settings, api_url: undefined }, portsOf(world.clients));
    await expect(broker.issue(world.envelope, grantOf(world))).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});
