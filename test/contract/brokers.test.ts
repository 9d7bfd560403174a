/** Every credential broker over real HTTP with fake issuers: one suite for all brokers, then tests specific to each. */
import { lazySts } from '#adapters/aws/sts-client.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { iamAnswer, type PolicyDocument } from '#core/execution/credentials/iam-match.ts';
import { secretsOf } from '#core/execution/credentials/redact-values.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { loopback } from '../support/loopback.ts';
import { useStarted } from '../support/use-started.ts';
import { envelope as gitEnvelope, grant as gitGrant, now } from '../unit/execution/credentials/sample.ts';
import {
  aws,
  brokerOf,
  failure,
  gitWorld,
  grantOf,
  issueIn,
  own,
  patient,
  portsOf,
  secretId,
  settingsOf,
  storedWorld,
  vaultWorld,
  type World,
} from './broker-worlds.ts';
import { fakeSts } from './fake-sts.ts';

/** Every credential broker over real HTTP with a fake issuer: the suite that all brokers share. */
describe('every broker', () => {
  const soon = 3_000;
  const roleArn = 'arn:aws:iam::111122223333:role/tools/s3';
  async function stsWorld(timeoutMs = patient) {
    const sts = await fakeSts({ roleArn, externalId: own.EXTERNAL_ID!, now: () => now });
    const waits: number[] = [];
    const settings = settingsOf<'sts'>({ type: 'sts', name: 'b', role_arn: roleArn, external_id_env: 'EXTERNAL_ID' });
    const envelope = { ...gitEnvelope, protocol: 'http', tool: 'aws.s3.get_object', target: 's3://reports/2026/a.csv' };
    return {
      settings,
      sts,
      waits,
      envelope,
      scope: 'reports:read',
      faults: sts.faults,
      calls: sts.calls,
      clients: {
        sts: lazySts({ ...aws, endpoint: sts.url }, timeoutMs),
        pause: async (ms: number) => void waits.push(ms),
      },
      refusal: sts.failure(403, 'AccessDenied', `not authorized: ${own.EXTERNAL_ID}`),
      garbage: { status: 200, body: '<AssumeRoleResponse><AssumeRoleResult/></AssumeRoleResponse>' },
      stop: sts.stop,
    };
  }
  const worlds: readonly (readonly [string, (timeoutMs?: number) => Promise<World>])[] = [
    ['scm_app', gitWorld],
    ['sts', stsWorld],
    ['vault', vaultWorld],
    ['secrets_manager', storedWorld],
  ];
  describe.each(worlds)('the %s broker', (_, start) => {
    let world: World;
    beforeEach(async () => {
      world = await start();
    });
    afterEach(() => world.stop());

    test('mints for the action, and its record does not contain the secret value', async () => {
      const { record, secret } = await issueIn(world);
      expect(record).toMatchObject({
        tenant: 'default',
        session_id: 's1',
        envelope_id: 'e1',
        broker: 'b',
        scope: world.scope,
        issued_at: isoTime(now),
        expires_at: isoTime(now + 600_000),
      });
      for (const value of secretsOf({ record, secret })) expect(JSON.stringify(record)).not.toContain(value);
    });

    test('expires with the grant, after an hour at most', async () => {
      const lifeOf = async (ttl: number) => Date.parse((await issueIn(world, ttl)).record.expires_at) - now;
      expect(await lifeOf(30)).toBe(30_000);
      expect(await lifeOf(3600)).toBeLessThanOrEqual(3600_000);
      expect(await lifeOf(7200)).toBeLessThanOrEqual(3600_000);
    });

    test.each([
      ['no answer in time', 'timeout', () => 'hang' as const],
      ['an error of the issuer', 'unavailable', () => ({ status: 500, body: { message: own.SCM_KEY } })],
      ['a refusal', /forbidden/, ({ refusal }: World) => refusal],
      ['an answer without a credential', 'malformed', ({ garbage }: World) => garbage],
    ] as const)(
      '[credential.no-broader] %s mints nothing: the error is typed and free of secrets, and nothing else is tried',
      async (__, reason, fault) => {
        if (reason === 'timeout') {
          await world.stop();
          world = await start(soon);
        }
        world.faults.push(fault(world));
        const error = await failure(issueIn(world));
        expect(error).toMatchObject({ code: 'service_unavailable', data: { reason: expect.stringMatching(reason) } });
        for (const secret of Object.values(own)) expect(error.text).not.toContain(secret.slice(0, 30));
        expect(world.calls).toHaveLength(1);
      },
    );

    test('an unreachable issuer mints no credential', async () => {
      await world.stop();
      expect(await failure(issueIn(world))).toMatchObject({
        code: 'service_unavailable',
        data: { reason: 'unreachable' },
      });
    });

    test('[credential.no-broader] a function without outbound network access mints no credential', async () => {
      const broker = brokerOf(world.settings, portsOf(undefined));
      await expect(broker.issue(world.envelope, grantOf(world))).rejects.toMatchObject({ code: 'service_unavailable' });
      expect(world.calls).toHaveLength(0);
    });

    test('revoking twice is harmless', async () => {
      const broker = brokerOf(world.settings, portsOf(world.clients));
      const { record, secret } = await issueIn(world);
      await broker.revoke(record, secret);
      await broker.revoke(record, secret);
    });
  });
  describe('[credential.brokers] the STS broker', () => {
    let world: Awaited<ReturnType<typeof stsWorld>>;
    beforeEach(async () => {
      world = await stsWorld();
    });
    afterEach(() => world.stop());
    const broker = () => brokerOf(world.settings, portsOf(world.clients));
    const issue = (over: Partial<ActionEnvelope> = {}, ttl = 600) =>
      broker().issue({ ...world.envelope, ...over }, grantOf(world, ttl), { person: 'bob' });

    test('assumes the role for one action, with a policy, a session name and the person accountable', async () => {
      const { record, secret } = await issue();
      const [asked] = world.sts.assumed;
      expect(JSON.parse(asked!.policy)).toEqual({
        Version: '2012-10-17',
        Statement: [
          {
            Effect: 'Allow',
            Action: ['s3:GetObject'],
            Resource: 'arn:aws:s3:::reports/2026/a.csv',
            Condition: { DateLessThan: { 'aws:CurrentTime': '2026-01-01T00:10:00Z' } },
          },
        ],
      });
      expect(asked).toMatchObject({ sessionName: 'e1', sourceIdentity: 'bob', durationSeconds: 900 });
      const policy = sha256(asked!.policy);
      expect(asked!.tags).toEqual({ tenant: 'default', session: 's1', envelope: 'e1', policy });
      expect(record).toMatchObject({
        type: 'sts_session',
        policy_digest: policy,
        expires_at: '2026-01-01T00:10:00.500Z',
      });
      expect(Object.keys(JSON.parse(secret)).sort()).toEqual(['access_key_id', 'secret_access_key', 'session_token']);
    });

    test('STS is called with its 900 s minimum, and the policy ends the credentials at the granted 600 s', async () => {
      await issue({}, 600);
      await issue({}, 3600);
      expect(world.sts.assumed.map(({ durationSeconds }) => durationSeconds)).toEqual([900, 3600]);
      const policy = JSON.parse(world.sts.assumed[0]!.policy) as PolicyDocument;
      const answer = (ms: number) =>
        iamAnswer(policy, {
          action: 's3:GetObject',
          resource: 'arn:aws:s3:::reports/2026/a.csv',
          context: { 'aws:CurrentTime': isoTime(ms) },
        });
      expect([answer(now + 599_000), answer(now + 600_000)]).toEqual(['allow', 'implicit_deny']);
    });

    test('[credential.no-broader] an unknown tool or an unsuitable target does not cause an STS call', async () => {
      for (const over of [{ tool: 'aws.iam.create_user' }, { tool: 'AWS.S3.get_object' }, { target: 's3://reports' }]) {
        expect(await failure(issue(over))).toMatchObject({ code: 'forbidden', data: { reason: 'credential_refused' } });
      }
      expect(world.calls).toHaveLength(0);
    });

    test('names that STS would reject are converted to characters it accepts', async () => {
      await broker().issue(
        { ...world.envelope, envelope_id: 'é', key_id: 'k', actor: { agent: 'a', session: 's'.repeat(300) } },
        grantOf(world),
        { person: 'Jörg Müller' },
      );
      const [asked] = world.sts.assumed;
      expect(asked).toMatchObject({ sessionName: '--', sourceIdentity: 'J-rg-M-ller' });
      expect(asked!.tags.session).toHaveLength(256);
    });

    test('without a person, the broker uses the key as the source identity', async () => {
      await broker().issue(world.envelope, grantOf(world));
      expect(world.sts.assumed[0]!.sourceIdentity).toBe('k1');
    });

    test('tags that do not fit alongside the policy are dropped; the policy itself never is', async () => {
      world.sts.limits.tags = 1;
      await issue();
      expect(world.sts.assumed[0]!.tags).toEqual({ envelope: 'e1' });
      const policies = world.calls.map(({ body }) => new URLSearchParams(body).get('Policy'));
      expect(new Set(policies).size).toBe(1);
    });

    test('[credential.no-broader] a policy that does not fit even without tags is refused', async () => {
      world.sts.limits.tags = 0;
      expect(await failure(issue())).toMatchObject({ code: 'forbidden', data: { reason: 'policy_too_large' } });
      expect(world.calls).toHaveLength(2);
    });

    test('if STS is busy, it is called a second time after a delay', async () => {
      const busy = world.sts.failure(400, 'Throttling', 'Rate exceeded');
      world.faults.push(busy);
      await issue();
      expect(world.waits).toHaveLength(1);
      world.faults.push(busy, busy);
      expect(await failure(issue())).toMatchObject({ code: 'service_unavailable', data: { reason: 'throttled' } });
      expect(world.calls).toHaveLength(4);
    });

    test('a configured but missing external id is not silently omitted', async () => {
      const { EXTERNAL_ID: _, ...others } = own;
      const bare = brokerOf(world.settings, portsOf(world.clients, others));
      await expect(bare.issue(world.envelope, grantOf(world))).rejects.toMatchObject({ code: 'service_unavailable' });
      expect(world.calls).toHaveLength(0);
    });
  });
});

/** Credentials from a Git host app. */
describe('a Git-host app', () => {
  describe('[credential.minted] a Git host app with an installation', () => {
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

    test('a holder of the token can revoke it at the host; with only the record, it simply expires', async () => {
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
      'the scope %j is not a list of permissions, so no token is requested',
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
    ])('[credential.no-broader] a token with %s is revoked immediately', async (_, lie) => {
      world.host.lies.push(lie);
      expect(await failure(issue())).toMatchObject({ code: 'service_unavailable' });
      expect(world.host.alive.size).toBe(0);
      expect(world.calls).toHaveLength(2);
    });

    test('a host that has hit its rate limit counts as busy, not as refusing', async () => {
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

    test('[credential.no-broader] an installation without a URL gets no token', async () => {
      const broker = brokerOf({ ...world.settings, api_url: undefined }, portsOf(world.clients));
      await expect(broker.issue(world.envelope, grantOf(world))).rejects.toMatchObject({ code: 'service_unavailable' });
    });
  });
});

/** Credentials from a vault and from a secrets manager. */
describe('a vault and a secrets manager', () => {
  describe('[credential.brokers] the vault broker', () => {
    let world: Awaited<ReturnType<typeof vaultWorld>>;
    beforeEach(async () => {
      world = await vaultWorld();
    });
    afterEach(() => world.stop());
    const broker = (secrets = own) => brokerOf(world.settings, portsOf(world.clients, secrets));

    test('leases a database user; its record names the lease and the time at which the sweep may revoke it', async () => {
      const { record, secret } = await issueIn(world);
      const [[leaseId, data]] = [...world.vault.leases] as [[string, object]];
      expect(JSON.parse(secret)).toEqual(data);
      expect(record).toMatchObject({
        type: 'vault_database',
        lease_id: leaseId,
        expires_at: isoTime(now + 600_000),
        issuer_expires_at: isoTime(now + 3000_000),
        revoke_due: isoTime(now + 600_000),
      });
    });

    test('a credential expires with its lease if that is shorter than the grant', async () => {
      const { record } = await issueIn(world, 3600);
      expect(record.expires_at).toBe(isoTime(now + 3000_000));
    });

    test('revokes the lease with only its record, and reports a failing vault', async () => {
      const { record } = await issueIn(world);
      world.faults.push({ status: 500, body: {} });
      await expect(broker().revoke(record)).rejects.toMatchObject({ data: { reason: 'unavailable' } });
      expect(world.vault.leases.size).toBe(1);
      await broker().revoke(record);
      expect(world.vault.leases.size).toBe(0);
    });

    test('renews a lease in use, within the maximum lifetime', async () => {
      const { record } = await issueIn(world);
      expect(await broker().renew?.(record)).toBe(isoTime(now + 3000_000));
      const old = { ...record, issued_at: isoTime(now - 3600_000) };
      await expect(broker().renew?.(old)).rejects.toMatchObject({ code: 'forbidden' });
    });

    test('a sealed vault grants no lease', async () => {
      world.vault.state.sealed = true;
      expect(await failure(issueIn(world))).toMatchObject({ code: 'service_unavailable', data: { reason: 'sealed' } });
    });

    test('a wrong token is reported as a gateway-side fault, and the token does not appear anywhere', async () => {
      const wrong = 'hvs.wrong-token-value';
      const error = await failure(broker({ ...own, VAULT_TOKEN: wrong }).issue(world.envelope, grantOf(world)));
      expect(error).toMatchObject({ code: 'service_unavailable', data: { reason: 'forbidden' } });
      expect(error.text).not.toContain(wrong);
    });

    test('a lease without a username and password is revoked immediately', async () => {
      world.vault.state.data = { token: 'something else' };
      expect(await failure(issueIn(world))).toMatchObject({ data: { reason: 'malformed' } });
      expect(world.vault.leases.size).toBe(0);
    });
  });
  describe('the Secrets Manager broker', () => {
    let world: Awaited<ReturnType<typeof storedWorld>>;
    beforeEach(async () => {
      world = await storedWorld();
    });
    afterEach(() => world.stop());

    test('returns the current version and names it; marked degraded because it has no scope or expiry', async () => {
      const { record, secret } = await issueIn(world);
      expect(secret).toBe('stored-secret-value');
      expect(record).toMatchObject({ type: 'secrets_manager', version_id: 'v-1', degraded: true });
      expect(JSON.parse(world.calls[0]!.body)).toEqual({ SecretId: secretId, VersionStage: 'AWSCURRENT' });
    });

    test("a secret's pending version is never used during a rotation", async () => {
      world.state.stages = ['AWSPENDING'];
      expect(await failure(issueIn(world))).toMatchObject({
        code: 'service_unavailable',
        data: { reason: 'malformed' },
      });
      world.state.stages = ['AWSPENDING', 'AWSCURRENT'];
      world.state.version = 'v-2';
      expect((await issueIn(world)).record.version_id).toBe('v-2');
    });
  });
});
