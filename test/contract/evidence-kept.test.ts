/** Evidence that expires and evidence that cannot be read. */
import { verifyBundle } from '#core/evidence/verify.ts';
import { healReservations } from '#core/limits/heal.ts';
import type { OpenReservation } from '#core/limits/ports.ts';
import { createHandler as archiveCheck } from '#lambdas/archive-check/event.ts';
import { type Answer, caller } from '../support/call-endpoint.ts';
import { type KeptGateway, keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';
import { TableAttacker } from '../support/table-attacker.ts';
import { useStarted } from '../support/use-started.ts';

/** Expired entries are removed only after their archived copies verify, and chains stay verifiable. */
describe('retention', () => {
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

  /** Creates six entries, all archived except those in `leftOut`. */
  async function session(leftOut: readonly number[] = []): Promise<void> {
    for (const target of ['acme/a', 'acme/b', 'acme/c']) {
      await caller(gateway.ports())('POST', '/admin/v1/test-action', {
        key: keys.agent,
        body: {
          protocol: 'git',
          tool: 'scm.get_file_contents',
          target,
          capability: 'read',
          actor: { agent: 'writer', session: 's' },
        },
      });
    }
    await gateway.projected(gateway.queue.splice(0).filter(({ index }) => !leftOut.includes(index)));
  }

  describe('[evidence.retention] rows of evidence', () => {
    test('older than the retention policy are removed; the head and the last row stay, and the chain is verified from the archive', async () => {
      await started();
      await session();
      days(31);
      expect(await daily()).toMatchObject({ missing_entries: 0, expired_entries: 5 });
      expect(await indexes()).toEqual([5]);
      expect(await verify()).toMatchObject({
        valid: true,
        total_entries: 6,
        archived_entries: 6,
        expired_entries: 5,
        not_checked: [],
      });
      const { text } = await call('/admin/v1/evidence/sessions/s/export');
      const key = await gateway.ports().signer.publicKey();
      expect(await verifyBundle(text, key)).toMatchObject({ valid: true, total_entries: 6 });
      expect((await call('/admin/v1/archive/check?tenant=default&session=s')).body).toMatchObject({
        missing_entries: 0,
      });
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

    test('entries without an archive copy are kept, and so is their session', async () => {
      await started();
      await session([3]);
      days(31);
      expect(await daily()).toMatchObject({ missing_entries: 1, expired_entries: 0 });
      expect(await indexes()).toEqual([0, 1, 2, 3, 4, 5]);
    });

    test('[shared.gateways] stay if other gateways have their own archives: copies there do not count as missing, but a contradiction is detected', async () => {
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

    test('[store.sweep] an unreadable session makes the run incomplete, but other sessions are still processed', async () => {
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
          protocol: 'git',
          tool: 'scm.get_file_contents',
          target: 'acme/a',
          capability: 'read',
          actor: { agent: 'writer', session: 'bad' },
        },
      });
      expect(await look((id) => id === 'bad')).toMatchObject({ sessions: 1, expired_entries: 5, complete: false });
      // If none can be read, the archive counts as unavailable.
      await expect(look(() => true)).rejects.toThrow('the copy cannot be read');
    });

    test('altered entries are still detected after others have expired', async () => {
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
});

/** An evidence row that is not an entry: each reader reports it and continues with the other rows. */
describe('unreadable', () => {
  let attacker: TableAttacker;
  const admin = 'admin-token-1';
  const root = '/admin/v1';

  const gateway = useStarted(() => keptGateway({ extra: 'evidence: { retention_days: 30 }' }), 'test');
  beforeEach(() => {
    attacker = new TableAttacker(gateway.store);
  });

  const { call } = gateway;
  const got = async (path: string) => (await call('GET', root + path)).body;
  async function asks(session: string, tool: string, target: string): Promise<string> {
    const capability = tool.includes('get_') ? 'read' : 'write';
    const body = { protocol: 'git', tool, target, capability, actor: { agent: 'writer', session } };
    const answer = await call('POST', `${root}/test-action`, keys.agent, body);
    return answer.body.envelope_id;
  }
  const breaks = (session: string, index: number, entry: string) =>
    attacker.set('evidence', { chain: `default#${session}`, position: String(index).padStart(12, '0') }, { entry });

  const texts: [name: string, text: string, reason: string][] = [
    ['contains no JSON', 'not JSON', 'the entry cannot be read: its row contains no JSON'],
    ['holds another object', '{"kind":"chat","envelope_id":"e"}', 'the field version is missing'],
    ['holds null', 'null', 'this is not an entry: an object was expected'],
  ];

  describe.each(texts)('[evidence.readers-survive] with a row that %s', (_name, text, reason) => {
    const row = { tenant: 'default', session_id: 's', index: 2 };

    /** Creates two sessions of two reads each; entry 2 of `s` is the decision on its second read. */
    async function sessions(): Promise<{ lost: string; kept: string }> {
      const ids: string[] = [];
      for (const session of ['s', 't']) {
        ids.push(await asks(session, 'scm.get_file_contents', 'acme/a'));
        ids.push(await asks(session, 'scm.get_file_contents', 'acme/b'));
      }
      await gateway.projected();
      await breaks('s', 2, text);
      return { lost: ids[1]!, kept: ids[3]! };
    }

    test('reports, exports, why and the audit name the row, and still show the other entries', async () => {
      const { lost, kept } = await sessions();
      for (const format of ['report', 'report.html']) {
        const report = await call('GET', `${root}/evidence/sessions/s/${format}`);
        expect(report.status).toBe(200);
        expect(report.text).toContain('this row cannot be read');
        expect(report.text).toContain('broken at entry 2');
      }
      expect((await got('/evidence/sessions/s/verify?entries=true')).broken_link).toEqual({ index: 2, reason });
      expect((await call('GET', `${root}/evidence/sessions/s/export`)).status).toBe(500);
      expect(await verifyBundle((await call('GET', `${root}/evidence/sessions/t/export`)).body)).toMatchObject({
        valid: true,
      });
      const why = await call('GET', `${root}/actions/${lost}/why`);
      expect(why).toMatchObject({
        status: 404,
        body: { error: { message: expect.stringContaining('entry 2 of session s') } },
      });
      expect(await call('GET', `${root}/actions/${kept}/why`)).toMatchObject({ status: 200 });
      const query = '{ audit { nodes { hash } unreadable { sessionId index } } }';
      const { body } = await call('POST', `${root}/graphql`, admin, { query });
      expect(body.data.audit.unreadable).toEqual([{ sessionId: 's', index: 2 }]);
      expect(body.data.audit.nodes).toHaveLength(7);
    });

    test('the in-force comparison, the risk replay and the rebuild of views name the row', async () => {
      await sessions();
      const { agrees, differences } = await got('/audit/in-force');
      expect(agrees).toBe(false);
      // The configuration of this test was put in force without an evidence entry.
      expect(differences.filter(({ of }: { of: string }) => of !== 'configuration')).toEqual([
        expect.objectContaining({ of: 'session', what: 'entry 2 of session s' }),
      ]);
      const replay = async (session: string) => (await got(`/sessions/${session}/risk?replay=true`)).replay;
      expect(await replay('s')).toMatchObject({ agrees: false, unreadable: [2] });
      expect(await replay('t')).not.toHaveProperty('unreadable');
      const rebuilt = await call('POST', `${root}/observations/rebuild?tenant=default`);
      expect(rebuilt).toMatchObject({ status: 200, body: { unreadable: [row] } });
      expect(rebuilt.body.entries).toBeGreaterThanOrEqual(8);
    });

    test("the daily run keeps the row's session, reports it, and lets rows in other sessions expire", async () => {
      await sessions();
      gateway.pass(31 * 24 * 3600);
      expect(await archiveCheck(gateway.ports())()).toMatchObject({
        complete: true,
        contradictions: 1,
        expired_entries: 5,
      });
      expect((await attacker.entries('t')).map(({ index }) => index)).toEqual([3]);
      const repaired = await call('POST', `${root}/archive/repair?tenant=default`);
      expect(repaired).toMatchObject({ status: 200, body: { archived_entries: 0, refused: [{ session_id: 's' }] } });
    });

    test('a reservation that the row may belong to is charged in full; one in another session is charged from its record', async () => {
      await sessions();
      const settled: unknown[][] = [];
      const open = (session_id: string) =>
        ({
          id: 'e',
          tenant: 'default',
          session_id,
          from_index: 0,
          tokens: 100,
          cost_microusd: 50,
          begun: false,
          lease_expires_at: '',
        }) as OpenReservation;
      const counters = {
        expired: async () => [open('s'), open('t')],
        settle: async (...given: unknown[]) => void settled.push(given),
        reclaim: async () => undefined,
      };
      expect(await healReservations({ ...gateway.ports(), counters: counters as never }, ['default'])).toBe(2);
      expect(settled.map(([, , settlement]) => settlement)).toEqual([
        { tokens: 100, cost_microusd: 50, counted: true, lease_expires_at: '' },
        { tokens: 0, cost_microusd: 0, counted: false, lease_expires_at: '' },
      ]);
    });

    test("an approval in the row's session cannot be used; one in another session can", async () => {
      const uses = async (session: string) => {
        const approval_ref = await asks(session, 'scm.create_pull_request', 'acme/a');
        const { status } = await call('POST', `${root}/approvals/${approval_ref}/approve`, keys.human, {
          reviewer: 'Ana',
        });
        expect(status).toBe(200);
        if (session === 's') await breaks('s', 1, text);
        const body = { protocol: 'git', tool: 'scm.create_pull_request', target: 'acme/a', capability: 'write' };
        const actor = { agent: 'writer', session };
        return (await call('POST', `${root}/test-action`, keys.agent, { ...body, actor, approval_ref })).body.decision;
      };
      expect(await uses('t')).toBe('allow');
      expect(await uses('s')).toBe('review');
    });
  });

  test('[evidence.readers-survive] an approval whose row cannot be read is named in the lists, and the others are still listed', async () => {
    const [lost, kept] = [
      await asks('s', 'scm.create_pull_request', 'a/b'),
      await asks('s', 'scm.create_pull_request', 'a/c'),
    ];
    expect((await got('/approvals')).pending).toHaveLength(2);
    expect(await got('/approvals')).not.toHaveProperty('unreadable');
    await attacker.set('approvals', { id: lost }, { parameters_json: '{' });
    const { pending, unreadable } = await got('/approvals');
    expect([pending.map(({ envelope_id }: { envelope_id: string }) => envelope_id), unreadable]).toEqual([
      [kept],
      [lost],
    ]);
    const vote = await call('POST', `${root}/approvals/${lost}/approve`, keys.human, { reviewer: 'Ana' });
    expect(vote.status).toBe(500);
  });
});
