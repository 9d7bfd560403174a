/** Every credential broker over real HTTP against fakes of its issuer: one suite for all, then what is each one's own. */
import { lazySts } from '#adapters/aws/sts-client.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { iamAnswer, type PolicyDocument } from '#core/execution/credentials/iam-match.ts';
import { secretsOf } from '#core/execution/credentials/redact-values.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { envelope as gitEnvelope, now } from '../unit/execution/credentials/sample.ts';
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
  settingsOf,
  storedWorld,
  vaultWorld,
  type World,
} from './broker-worlds.ts';
import { fakeSts } from './fake-sts.ts';

const soon = 3_000;
const roleArn = 'arn:aws:iam::111122223333:role/tools/s3';
async function stsWorld(timeoutMs = patient) {
  const sts = await fakeSts({ roleArn, externalId: own.EXTERNAL_ID!, now: () => now });
  const waits: number[] = [];
  const settings = settingsOf<'sts'>({ type: 'sts', name: 'b', role_arn: roleArn, external_id_env: 'EXTERNAL_ID' });
  const envelope = { ...gitEnvelope, protocol: 'http', tool: 'aws.s3.get_object', target: 's3://reports/2026/a.csv' };
  return {
    ...{ settings, sts, waits, envelope, scope: 'reports:read', faults: sts.faults, calls: sts.calls },
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

  test('mints for the action, and its record does not hold the value', async () => {
    const { record, secret } = await issueIn(world);
    expect(record).toMatchObject({
      ...{ tenant: 'default', session_id: 's1', envelope_id: 'e1', broker: 'b', scope: world.scope },
      ...{ issued_at: isoTime(now), expires_at: isoTime(now + 600_000) },
    });
    for (const value of secretsOf({ record, secret })) expect(JSON.stringify(record)).not.toContain(value);
  });

  test('lives for the time of the grant, and at most an hour', async () => {
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
    '[credential.no-broader] %s mints nothing: typed, without a secret, nothing else is tried',
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

  test('[credential.no-broader] a function without outside calls mints no credential', async () => {
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

  test('assumes the role for one action: its policy, its name, who answers for it', async () => {
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

  test('STS is called with its minimum of 900 s, and the policy ends them at the granted 600', async () => {
    await issue({}, 600);
    await issue({}, 3600);
    expect(world.sts.assumed.map(({ durationSeconds }) => durationSeconds)).toEqual([900, 3600]);
    const policy = JSON.parse(world.sts.assumed[0]!.policy) as PolicyDocument;
    const answer = (ms: number) =>
      iamAnswer(policy, {
        ...{ action: 's3:GetObject', resource: 'arn:aws:s3:::reports/2026/a.csv' },
        context: { 'aws:CurrentTime': isoTime(ms) },
      });
    expect([answer(now + 599_000), answer(now + 600_000)]).toEqual(['allow', 'implicit_deny']);
  });

  test('[credential.no-broader] an unknown tool or an unfitting target does not call STS', async () => {
    for (const over of [{ tool: 'aws.iam.create_user' }, { tool: 'AWS.S3.get_object' }, { target: 's3://reports' }]) {
      expect(await failure(issue(over))).toMatchObject({ code: 'forbidden', data: { reason: 'credential_refused' } });
    }
    expect(world.calls).toHaveLength(0);
  });

  test('names STS would refuse are written in its letters', async () => {
    await broker().issue(
      { ...world.envelope, envelope_id: 'é', key_id: 'k', actor: { agent: 'a', session: 's'.repeat(300) } },
      grantOf(world),
      { person: 'Jörg Müller' },
    );
    const [asked] = world.sts.assumed;
    expect(asked).toMatchObject({ sessionName: '--', sourceIdentity: 'J-rg-M-ller' });
    expect(asked!.tags.session).toHaveLength(256);
  });

  test('without a person the key answers', async () => {
    await broker().issue(world.envelope, grantOf(world));
    expect(world.sts.assumed[0]!.sourceIdentity).toBe('k1');
  });

  test('tags that do not fit next to the policy are dropped, the policy never', async () => {
    world.sts.limits.tags = 1;
    await issue();
    expect(world.sts.assumed[0]!.tags).toEqual({ envelope: 'e1' });
    const policies = world.calls.map(({ body }) => new URLSearchParams(body).get('Policy'));
    expect(new Set(policies).size).toBe(1);
  });

  test('[credential.no-broader] a policy that does not fit without tags is refused', async () => {
    world.sts.limits.tags = 0;
    expect(await failure(issue())).toMatchObject({ code: 'forbidden', data: { reason: 'policy_too_large' } });
    expect(world.calls).toHaveLength(2);
  });

  test('a busy STS is called once more, after a delay', async () => {
    const busy = world.sts.failure(400, 'Throttling', 'Rate exceeded');
    world.faults.push(busy);
    await issue();
    expect(world.waits).toHaveLength(1);
    world.faults.push(busy, busy);
    expect(await failure(issue())).toMatchObject({ code: 'service_unavailable', data: { reason: 'throttled' } });
    expect(world.calls).toHaveLength(4);
  });

  test('an external id that is configured and missing is not a reason to leave it out', async () => {
    const { EXTERNAL_ID: _, ...others } = own;
    const bare = brokerOf(world.settings, portsOf(world.clients, others));
    await expect(bare.issue(world.envelope, grantOf(world))).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(world.calls).toHaveLength(0);
  });
});
