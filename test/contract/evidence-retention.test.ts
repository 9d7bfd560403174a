/** Expired entries are removed only after their archived copies verify, and chains stay verifiable. */
import { verifyBundle } from '#core/evidence/verify.ts';
import { createHandler as archiveCheck } from '#lambdas/archive-check/event.ts';
import { type Answer, caller } from '../support/call-endpoint.ts';
import { type KeptGateway, keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';
import { TableAttacker } from '../support/table-attacker.ts';

let gateway: KeptGateway;
let attacker: TableAttacker;
afterEach(() => gateway.stop());

async function started(extra = 'evidence: { retention_days: 30 }'): Promise<void> {
  gateway = await keptGateway({ extra });
  attacker = new TableAttacker(gateway.store);
}

const call = (path: string): Promise<Answer> => caller(gateway.ports())('GET', path, { key: 'admin-token-1' });
const verify = async () => (await call('/admin/v1/evidence/sessions/s/verify')).body;
const daily = () => archiveCheck(gateway.ports())();
const days = (count: number) => gateway.pass(count * 24 * 3600);
const indexes = async () => (await attacker.entries('s')).map(({ index }) => index);

/** Six entries, archived but for those that are left out. */
async function session(leftOut: readonly number[] = []): Promise<void> {
  for (const target of ['acme/a', 'acme/b', 'acme/c']) {
    await caller(gateway.ports())('POST', '/admin/v1/test-action', {
      key: keys.agent,
      body: {
        ...{ protocol: 'git', tool: 'scm.get_file_contents', target, capability: 'read' },
        actor: { agent: 'writer', session: 's' },
      },
    });
  }
  await gateway.projected(gateway.queue.splice(0).filter(({ index }) => !leftOut.includes(index)));
}

describe('[evidence.retention] rows of evidence', () => {
  test('older than the policy are removed; head and last row stay, and the chain is verified from the archive', async () => {
    await started();
    await session();
    days(31);
    expect(await daily()).toMatchObject({ missing_entries: 0, expired_entries: 5 });
    expect(await indexes()).toEqual([5]);
    expect(await verify()).toMatchObject({
      ...{ valid: true, total_entries: 6, archived_entries: 6, expired_entries: 5, not_checked: [] },
    });
    const { text } = await call('/admin/v1/evidence/sessions/s/export');
    const key = await gateway.ports().signer.publicKey();
    expect(await verifyBundle(text, key)).toMatchObject({ valid: true, total_entries: 6 });
    expect((await call('/admin/v1/archive/check?tenant=default&session=s')).body).toMatchObject({ missing_entries: 0 });
    expect(await daily()).toMatchObject({ expired_entries: 0 });
    const acts = gateway.queue.filter(({ kind }) => kind === 'admin').map(({ body }) => body);
    expect(acts).toMatchObject([{ action: 'evidence.expire', removed_entries: 5, sessions: 1 }]);
  });

  test.each([
    ['are younger than the policy', 'evidence: { retention_days: 30 }', 29],
    ['stand under no policy', '', 4_000],
  ])('that %s stay', async (_, extra, age) => {
    await started(extra);
    await session();
    days(age);
    expect(await daily()).toMatchObject({ expired_entries: 0 });
    expect(await indexes()).toEqual([0, 1, 2, 3, 4, 5]);
    expect((await verify()).expired_entries).toBeUndefined();
  });

  test('without a copy stay, and so does their session', async () => {
    await started();
    await session([3]);
    days(31);
    expect(await daily()).toMatchObject({ missing_entries: 1, expired_entries: 0 });
    expect(await indexes()).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('[shared.gateways] stay if other gateways have their own archives: their copies are not missing, a contradiction is found', async () => {
    await started();
    await session([3]);
    days(31);
    const ports = gateway.ports();
    const ofOne = { ...ports, archived: { ...ports.archived!, complete: false } };
    expect(await archiveCheck(ofOne)()).toMatchObject({ missing_entries: 0, contradictions: 0, expired_entries: 0 });
    expect(await indexes()).toEqual([0, 1, 2, 3, 4, 5]);
    await attacker.setHead({ ...(await attacker.head('s')), last_hash: 'f'.repeat(64) });
    expect(await archiveCheck(ofOne)()).toMatchObject({ contradictions: 1 });
  });

  test('[store.sweep] a session that cannot be read makes the run incomplete and keeps no other from it', async () => {
    await started();
    await session();
    days(31);
    const ports = gateway.ports();
    const look = (isBad: (id: string) => boolean) =>
      archiveCheck({
        ...ports,
        archived: {
          ...ports.archived!,
          runs: (tenant, id) => {
            if (isBad(id)) throw new Error('the copy cannot be read');
            return ports.archived!.runs(tenant, id);
          },
        },
      })();
    await caller(gateway.ports())('POST', '/admin/v1/test-action', {
      key: keys.agent,
      body: {
        ...{ protocol: 'git', tool: 'scm.get_file_contents', target: 'acme/a', capability: 'read' },
        actor: { agent: 'writer', session: 'bad' },
      },
    });
    expect(await look((id) => id === 'bad')).toMatchObject({ sessions: 1, expired_entries: 5, complete: false });
    // If none can be read, the archive is away.
    await expect(look(() => true)).rejects.toThrow('the copy cannot be read');
  });

  test('that are changed after others expired are found as before', async () => {
    await started();
    await session();
    days(31);
    await daily();
    const head = await attacker.head('s');
    const [last] = await attacker.entries('s');
    await attacker.removeEntry('s', 5);
    expect(await verify()).toMatchObject({ valid: false });
    await attacker.append('s', { ...last!, body: { other: true } });
    await attacker.setHead({ ...head, last_hash: (await attacker.entries('s'))[0]?.hash ?? '' });
    expect(await verify()).toMatchObject({ valid: false });
  });
});
