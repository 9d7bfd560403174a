/** The STS broker: what it asks of STS for one action, and what it makes of a refusal. */
import { ServiceFault } from '#core/execution/credentials/fault.ts';
import type { BrokerClients } from '#core/execution/credentials/ports.ts';
import { stsBroker } from '#core/execution/credentials/sts-broker.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Loose } from '../../../support/loose.ts';
import { answering, envelope, faultOf, grant, now, portsWith } from './sample.ts';

describe('the STS broker', () => {
  const settings = { name: 'aws', role_arn: 'arn:aws-cn:iam::111122223333:role/agents', region: 'eu-central-1' };
  const call = { ...envelope, tool: 'aws.s3.get_object', target: 's3://b-1/a/b.csv' };
  const keys = {
    access_key_id: 'AK',
    secret_access_key: 'SK',
    session_token: 'ST',
    expires_at: isoTime(now + 900_000),
  };
  const broker = (assumeRole: (request: never) => Promise<Loose>, more: Partial<BrokerClients> = {}, over = {}) =>
    stsBroker({ ...settings, ...over }, portsWith({ sts: { assumeRole }, ...more } as never, { EXT: 'ext-1' }));

  test('asks for the role, narrowed to the call, in the name of the person, for no less than 900 seconds', async () => {
    const sts = answering(keys);
    const { record, secret } = await broker(sts.call).issue(call, grant({ ttl_seconds: 60 }), { person: 'bob smith' });
    const [request] = sts.asked[0]!;
    expect(request).toMatchObject({
      ...{ roleArn: settings.role_arn, region: 'eu-central-1', durationSeconds: 900, sourceIdentity: 'bob-smith' },
      tags: { envelope: 'e1', policy: record.policy_digest, tenant: 'default', session: 's1' },
    });
    expect(request).not.toHaveProperty('externalId');
    expect(request.sessionName).toBe('e1');
    expect(JSON.parse(request.policy).Statement[0].Resource).toBe('arn:aws-cn:s3:::b-1/a/b.csv');
    expect(JSON.parse(secret)).toEqual({ access_key_id: 'AK', secret_access_key: 'SK', session_token: 'ST' });
    expect(record).toMatchObject({ type: 'sts_session', degraded: false, expires_at: isoTime(now + 60_000) });
  });

  test('a longer grant asks for its whole life; an earlier end of STS counts', async () => {
    const sts = answering(keys);
    const { record } = await broker(sts.call).issue(call, grant({ ttl_seconds: 1200 }));
    expect(sts.asked[0]![0]).toMatchObject({ durationSeconds: 1200 });
    expect(record.expires_at).toBe(keys.expires_at);
  });

  test.each([
    [undefined, 'k1'],
    ['b', 'k1'],
    ['bo', 'bo'],
    ['a'.repeat(80), 'a'.repeat(64)],
    ['ä', 'k1'],
  ])('the person %s is named as STS takes names', async (person, named) => {
    const sts = answering(keys);
    await broker(sts.call).issue({ ...call, key_id: 'k1' }, grant(), person === undefined ? {} : { person });
    expect(sts.asked[0]![0].sourceIdentity).toBe(person === 'b' ? 'b-' : person === 'ä' ? '--' : named);
  });

  test('the tags hold what STS takes, 256 characters at most', async () => {
    const sts = answering(keys);
    const session = `a!${'b'.repeat(300)}`;
    await broker(sts.call).issue({ ...call, actor: { agent: 'w', session } }, grant());
    expect(sts.asked[0]![0].tags.session).toBe(`a-${'b'.repeat(254)}`);
  });

  test('where policy and tags do not fit, only the tag of the envelope stays; the policy stays as it is', async () => {
    const sts = answering(new ServiceFault('policy_too_large', 'too large'), keys);
    await broker(sts.call).issue(call, grant());
    expect(sts.asked[1]![0].tags).toEqual({ envelope: 'e1' });
    expect(sts.asked[1]![0].policy).toBe(sts.asked[0]![0].policy);
    const always = answering(new ServiceFault('policy_too_large', 'too large'));
    expect(await faultOf(broker(always.call).issue(call, grant()))).toMatchObject({
      ...{ code: 'forbidden', data: { reason: 'policy_too_large' } },
    });
    expect(always.asked).toHaveLength(2);
  });

  test('a throttled call is tried once more after a wait, where the function can wait', async () => {
    const busy = new ServiceFault('throttled', 'busy');
    const waits: number[] = [];
    const pause = async (ms: number) => void waits.push(ms);
    const sts = answering(busy, keys);
    await broker(sts.call, { pause }).issue(call, grant());
    expect([sts.asked.length, waits]).toEqual([2, [100]]);
    const always = answering(busy);
    expect(await faultOf(broker(always.call, { pause }).issue(call, grant()))).toMatchObject({ retryAfterSeconds: 1 });
    expect(always.asked).toHaveLength(2);
    const without = answering(busy);
    await faultOf(broker(without.call).issue(call, grant()));
    expect(without.asked).toHaveLength(1);
    const other = answering(new ServiceFault('forbidden', 'no'));
    await faultOf(broker(other.call, { pause }).issue(call, grant()));
    expect(other.asked).toHaveLength(1);
  });

  test('the external id is sent; one that is configured and empty mints nothing', async () => {
    const sts = answering(keys);
    await broker(sts.call, {}, { external_id_env: 'EXT' }).issue(call, grant());
    expect(sts.asked[0]![0].externalId).toBe('ext-1');
    const fault = await faultOf(broker(sts.call, {}, { external_id_env: 'NONE' }).issue(call, grant()));
    expect(fault.message).toBe('Credential broker aws cannot mint: NONE holds no value.');
    expect(sts.asked).toHaveLength(1);
  });

  test('[credential.no-broader] a tool without a policy, and a function without STS, mint nothing', async () => {
    const sts = answering(keys);
    const fault = await faultOf(broker(sts.call).issue({ ...call, tool: 'aws.iam.create_user' }, grant()));
    expect(fault).toMatchObject({ code: 'forbidden', data: { reason: 'credential_refused' } });
    expect(sts.asked).toEqual([]);
    const without = stsBroker(settings, portsWith({}));
    expect(await faultOf(without.issue(call, grant()))).toMatchObject({ code: 'service_unavailable' });
    expect(await without.revoke({} as never)).toBeUndefined();
  });
});
