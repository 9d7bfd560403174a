/** Many at once on one approval: the row decides who was first, and only one call runs. */
import { verifyBundle } from '../../core/evidence/verify.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { decided, e2eConfiguration, exportOf, pullRequest, until, vote } from './client.ts';

let gateway: Gateway;
let url: string;

beforeAll(async () => {
  gateway = await startGateway({ config: e2eConfiguration });
  url = gateway.ready.admin_url;
});
afterAll(() => gateway?.stop());

const approvedCall = async (session: string): Promise<string> => {
  const { envelope_id } = await decided(url, 'e2e-agent', pullRequest(session));
  expect((await vote(url, 'e2e-alice', 'approve', envelope_id)).status).toBe(200);
  return envelope_id;
};

test('[approval.race] [approval.used-once] of twenty simultaneous uses of one approval exactly one is allowed', async () => {
  const approval_ref = await approvedCall('race-use');
  const results = await Promise.all(
    Array.from({ length: 20 }, () => decided(url, 'e2e-agent', { ...pullRequest('race-use'), approval_ref })),
  );
  const allowed = results.filter(({ decision }) => decision === 'allow');
  expect(allowed.map(({ matched_rule }) => matched_rule)).toEqual([`approved:${approval_ref}`]);
  const refused = results.filter(({ decision }) => decision === 'review');
  expect(refused).toHaveLength(19);
  for (const { error } of refused) expect(error?.data.reason).toBe('already_used');
  const bundle = await exportOf(url, 'e2e-bob', 'race-use');
  expect(bundle.entries.filter(({ kind }) => kind === 'result')).toHaveLength(1);
  expect(bundle.entries.filter(({ kind }) => kind === 'allow')).toHaveLength(1);
  expect(await verifyBundle(bundle, bundle.public_key)).toMatchObject({ valid: true });
});

test('[approval.race] the same without approval_ref', async () => {
  await approvedCall('race-history');
  const results = await Promise.all(
    Array.from({ length: 20 }, () => decided(url, 'e2e-agent', pullRequest('race-history'))),
  );
  expect(results.filter(({ decision }) => decision === 'allow')).toHaveLength(1);
  const { entries } = await exportOf(url, 'e2e-bob', 'race-history');
  expect(entries.filter(({ kind }) => kind === 'result')).toHaveLength(1);
});

test('[approval.pending-same-id] twenty identical requests at once are one request', async () => {
  const results = await Promise.all(
    Array.from({ length: 20 }, () => decided(url, 'e2e-agent', pullRequest('race-ask'))),
  );
  expect(new Set(results.map(({ envelope_id }) => envelope_id)).size).toBe(1);
  const { entries } = await exportOf(url, 'e2e-bob', 'race-ask');
  expect(entries.map(({ kind }) => kind)).toEqual(['review']);
});

test('[approval.decided-twice] of simultaneous votes one decides, the others get 409 with the record', async () => {
  const { envelope_id } = await decided(url, 'e2e-agent', pullRequest('race-vote'));
  const votes = await Promise.all(
    Array.from({ length: 10 }, (_, i) =>
      vote(url, i % 2 ? 'e2e-alice' : 'e2e-bob', i % 2 ? 'approve' : 'deny', envelope_id),
    ),
  );
  const won = votes.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  const winner = won[0]!.body.status;
  for (const { status, body } of votes.filter((answer) => answer !== won[0])) {
    expect(status).toBe(409);
    expect(body).toMatchObject({ error: { code: 409, type: 'conflict', record: { envelope_id, status: winner } } });
  }
  const { entries } = await exportOf(url, 'e2e-bob', 'race-vote');
  expect(entries.map(({ kind }) => kind)).toEqual(['review', winner === 'approved' ? 'approve' : 'deny']);
});

test('[approval.timeout] [approval.vote-after-expiry] a vote after expiry is 409, and the item is denied by system', async () => {
  const quick = {
    protocol: 'http',
    tool: 'quick.post',
    target: 'https://api.example.com/x',
    capability: 'write',
    actor: { session: 'race-late' },
  };
  const asked = await decided(url, 'e2e-agent', quick);
  const expired = Date.parse(String(asked.error?.data.expires_at));
  await until('the expiry', async () => (Date.now() > expired ? true : undefined));
  const late = await vote(url, 'e2e-alice', 'approve', asked.envelope_id);
  expect(late.status).toBe(409);
  expect(late.body).toMatchObject({
    error: { type: 'conflict', record: { status: 'denied', reviewer: 'system', reason: 'timeout' } },
  });
  const { entries } = await exportOf(url, 'e2e-bob', 'race-late');
  expect(entries.map(({ kind }) => kind)).toEqual(['review', 'deny']);
});

test('[approval.timeout] without any request, the clock denies what expired', async () => {
  const quick = {
    protocol: 'http',
    tool: 'quick.post',
    target: 'https://api.example.com/y',
    capability: 'write',
    actor: { session: 'race-clock' },
  };
  const asked = await decided(url, 'e2e-agent', quick);
  const entries = await until('the time-out', async () => {
    const found = (await exportOf(url, 'e2e-bob', 'race-clock')).entries;
    return found.length > 1 ? found : undefined;
  });
  expect(entries[1]).toMatchObject({
    kind: 'deny',
    envelope_id: asked.envelope_id,
    body: { reason: 'timeout', reviewer: 'system' },
  });
});

test('[evidence.concurrent-writers] fifty calls at once make one gapless chain', async () => {
  const read = { protocol: 'git', tool: 'scm.get_file', capability: 'read', actor: { session: 'race-chain' } };
  const results = await Promise.all(
    Array.from({ length: 50 }, (_, i) => decided(url, 'e2e-agent', { ...read, target: `acme/web/${i}` })),
  );
  expect(results.every(({ decision }) => decision === 'allow')).toBe(true);
  const bundle = await exportOf(url, 'e2e-bob', 'race-chain');
  expect(
    bundle.entries
      .filter(({ kind }) => kind === 'allow')
      .map(({ hash }) => hash)
      .sort(),
  ).toEqual(results.map(({ evidence_hash }) => evidence_hash).sort());
  expect(await verifyBundle(bundle, bundle.public_key)).toMatchObject({ valid: true });
});
