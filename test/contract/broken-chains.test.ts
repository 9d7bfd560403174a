/** Chains that contradict their evidence, sessions that the projection sets aside, and blocked calls in evidence. */
import { createHandler as alerts, createHandler as alertsOf } from '#lambdas/alerts/event.ts';
import { createHandler as archiveCheck } from '#lambdas/archive-check/event.ts';
import { createHandler as project } from '#lambdas/project/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { type KeptGateway, keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';
import { TableAttacker } from '../support/table-attacker.ts';
import { unannounced } from '../support/unannounced.ts';
import { useStarted } from '../support/use-started.ts';

/**
 * Chains that contradict their evidence: each one is reported once, other chains continue, and restoring the chain ends
 * the alert.
 */
describe('contradicted chains', () => {
  let gateway: KeptGateway;
  let attacker: TableAttacker;
  beforeEach(async () => {
    gateway = await keptGateway();
    attacker = new TableAttacker(gateway.store);
  });
  afterEach(() => gateway.stop());

  const admin = 'admin-token-1';
  const call = (method: string, path: string, key = admin, body?: unknown) =>
    caller(gateway.ports())(method, path, { key, ...(body !== undefined && { body }) });
  async function act(...sessions: readonly string[]): Promise<void> {
    for (const session of sessions)
      await call('POST', '/admin/v1/test-action', keys.agent, {
        protocol: 'git',
        tool: 'scm.get_file_contents',
        target: 'acme/a',
        capability: 'read',
        actor: { agent: 'writer', session },
      });
    await gateway.projected();
  }
  /** Rewrites the whole chain of a session, including its hashes. */
  async function rewrite(session: string): Promise<void> {
    const entries = await attacker.entries(session);
    await attacker.tell(
      session,
      entries.map((entry) => ({ ...entry, body: { ...entry.body, reason: 'another story' } })),
    );
  }
  const minute = async (count = 1) => {
    for (let each = 0; each < count; each++) {
      gateway.pass(60);
      await alertsOf(gateway.ports())();
    }
  };
  const alerts = async () => {
    const all = (await call('GET', '/admin/v1/alerts')).body.alerts as { metric: string; dimension: string }[];
    return all.filter(({ metric }) => metric === 'contradicted').sort((a, b) => (a.dimension < b.dimension ? -1 : 1));
  };
  const chains = async () => {
    const { status, dependencies } = (await call('GET', '/admin/v1/health/detailed')).body;
    return [status, dependencies.filter(({ name }: { name: string }) => name === 'chains')];
  };
  const counted = () => /^svc_chains_contradicted_total (\d+)$/m.exec(gateway.telemetry.metricsText())?.[1];

  test('[evidence.contradicted] each contradicted chain raises one alert, other chains get their checkpoints, and health names the bad chain', async () => {
    await act('a', 'b', 'c');
    await minute();
    expect([await alerts(), await chains(), counted()]).toEqual([[], ['ok', []], undefined]);

    await rewrite('a');
    await rewrite('b');
    await act('a', 'b', 'c');
    await act('a', 'b', 'c');
    await minute(3);
    expect(counted()).toBe('2');
    expect(await alerts()).toMatchObject(
      ['a', 'b'].map((session) => ({
        type: 'evidence',
        severity: 'critical',
        state: 'active',
        dimension: `session:${session}`,
        evidence: { session_id: session },
      })),
    );
    expect(await gateway.ports().checkpoints.last('default', 'c')).toMatchObject({ point: { index: 5 } });
    expect(await chains()).toMatchObject([
      'degraded',
      [{ kind: 'projection', state: 'degraded', reason: expect.stringContaining('1 more chains do, too') }],
    ]);
  });

  test('[evidence.contradicted] the contradiction ends once the rows match the archive again, through the repair or the daily check', async () => {
    await act('a', 'b');
    const rows = { a: await attacker.entries('a'), b: await attacker.entries('b') };
    const heads = { a: await attacker.head('a'), b: await attacker.head('b') };
    for (const session of ['a', 'b']) await rewrite(session);
    await archiveCheck(gateway.ports())();
    await minute();
    const repair = () => call('POST', '/admin/v1/archive/repair?tenant=default&session=a');
    expect((await repair()).body).toMatchObject({
      refused: [{ session_id: 'a', reason: expect.stringContaining('entry 0') }],
    });
    await archiveCheck(gateway.ports())();
    expect((await gateway.ports().contradictions.list('default', 9)).map(({ session_id }) => session_id)).toEqual([
      'a',
      'b',
    ]);
    expect(counted()).toBe('2');

    for (const session of ['a', 'b'] as const) {
      await attacker.tell(session, rows[session]);
      await attacker.setHead(heads[session]);
    }
    expect((await repair()).body).toMatchObject({ refused: [] });
    expect((await gateway.ports().contradictions.list('default', 9)).map(({ session_id }) => session_id)).toEqual([
      'b',
    ]);
    await archiveCheck(gateway.ports())();
    expect(await chains()).toEqual(['ok', []]);
    await minute(5);
    expect(await alerts()).toMatchObject([{ state: 'resolved' }, { state: 'resolved' }]);
  });

  test('[evidence.contradicted] with more than a hundred chains, one alert covers the rest, and repairing a session ends its own alert', async () => {
    const { contradictions } = gateway.ports();
    const row = (session_id: string) => ({
      tenant: 'default',
      session_id,
      index: 0,
      found_at: '',
      reason: 'rewritten',
    });
    for (let n = 0; n < 100; n++) await contradictions.put(row(`a-${n}`));
    await minute(3);
    expect(await alerts()).toHaveLength(100);

    await act('z');
    await contradictions.put(row('z'));
    await minute(3);
    expect((await alerts()).filter(({ dimension }) => !dimension.startsWith('session:a-'))).toMatchObject([
      { dimension: 'tenant:default', severity: 'critical', state: 'active' },
    ]);

    expect((await call('POST', '/admin/v1/archive/repair?tenant=default&session=z')).body).toMatchObject({
      refused: [],
    });
    expect(await contradictions.ofSessions('default', ['z', 'a-7'])).toMatchObject([{ session_id: 'a-7' }]);
    await minute(5);
    expect((await alerts()).filter(({ dimension }) => dimension === 'tenant:default')).toMatchObject([
      { state: 'resolved' },
    ]);
  });
});

/** A session that cannot be projected any further is reported to operators, and the repair restores it. */
describe('sessions set aside', () => {
  const gateway = useStarted(() => keptGateway(), 'test');

  const admin = 'admin-token-1';
  const { call, read: act } = gateway;
  const health = async (key: string) => (await call('GET', '/admin/v1/health/detailed', key)).body;

  /** Projects the committed entries, with the given step failing for the session. */
  async function projectedBut(session: string, step: 'archive' | 'views'): Promise<void> {
    const Records = gateway.queue.splice(0).map((entry) => ({
      eventName: 'INSERT' as const,
      dynamodb: { SequenceNumber: entry.hash, NewImage: { entry: { S: JSON.stringify(entry) } } },
    }));
    const ports = gateway.ports();
    const refuses = (of: readonly { session_id?: string; counter?: unknown; hash: string }[], hashes: Set<string>) => {
      if (of.some(({ hash }) => hashes.has(hash))) throw new Error('this one fails');
    };
    const hashes = new Set<string>();
    for await (const { hash } of ports.evidence.entries('default', session)) hashes.add(hash);
    const handler = project({
      ...ports,
      cover: gateway.ports().cover,
      views: undefined,
      announce: unannounced,
      archive: {
        keep: async (entries) => {
          if (step === 'archive') refuses(entries, hashes);
          await ports.archived.keep(entries);
        },
      },
      observations: {
        apply: async (projections) => {
          if (step === 'views') refuses(projections, hashes);
          await ports.observations.apply(projections);
        },
      },
    });
    expect(await handler({ Records })).toEqual({ batchItemFailures: [] });
  }

  test.each(['archive', 'views'] as const)(
    '[audit.set-aside] a session set aside at step %s appears in health, status and an alert; the repair brings it back',
    async (step) => {
      for (const target of ['acme/a', 'acme/b']) for (const session of ['bad', 'good']) await act(session, target);
      await projectedBut('bad', step);
      const checkpoints = gateway.ports().checkpoints;
      expect(await checkpoints.last('default', 'good')).toMatchObject({ point: { index: 3 } });
      expect(await checkpoints.last('default', 'bad')).toMatchObject({ point: { index: 3 } });

      for (const key of [admin, keys.viewer]) {
        const { status, dependencies } = await health(key);
        expect(status).toBe('degraded');
        expect(dependencies).toContainEqual(
          expect.objectContaining({
            kind: 'projection',
            state: 'degraded',
            reason: expect.stringMatching(`the first bad from entry 0 on, at the step ${step}: this one fails`),
          }),
        );
      }
      await alerts(gateway.ports())();
      const open = (await call('GET', '/admin/v1/alerts?state=active', keys.human)).body.alerts;
      expect(open).toContainEqual(
        expect.objectContaining({ type: 'evidence', severity: 'critical', metric: 'set_aside', value: 1 }),
      );

      const repaired = await call('POST', '/admin/v1/archive/repair?tenant=default');
      expect(repaired.body).toMatchObject({
        refused: [],
        left_entries: 0,
        archived_entries: step === 'archive' ? 4 : 0,
      });
      expect((await health(keys.viewer)).dependencies).toContainEqual(
        expect.objectContaining({ kind: 'projection', state: 'up' }),
      );
      expect((await call('GET', '/admin/v1/evidence/sessions/bad/verify')).body).toMatchObject({
        valid: true,
        archived_entries: 4,
        not_checked: [],
        checkpoint: { index: 3 },
      });
      expect((await gateway.ports().observations.usage('default', {})).total).toBe(4);
    },
  );

  test.each([
    [2_000, 'up'],
    [12_000, 'degraded'],
  ])('[audit.views-worker] with the projection %d ms behind, health reports it as %s', async (lagMs, state) => {
    const lagging = caller({ ...gateway.ports(), projectionLagMs: () => lagMs });
    const { body } = await lagging('GET', '/admin/v1/health/detailed', { key: admin });
    expect(body.status).toBe(state === 'up' ? 'ok' : 'degraded');
    expect(body.dependencies).toContainEqual(expect.objectContaining({ kind: 'projection', state }));
  });
});

describe('blocks', () => {
  const gateway = useStarted(() => keptGateway(), 'test');

  const { call } = gateway;
  const act = (tool: string, parameters: object) =>
    call('POST', '/admin/v1/test-action', keys.agent, {
      protocol: 'git',
      tool,
      target: 'acme/web',
      capability: tool.includes('delete') ? 'write' : 'read',
      parameters,
      actor: { session: 's' },
    });
  const decisionsOf = async () => (await evidenceOf(gateway.ports(), 's')).filter(({ kind }) => kind !== 'result');

  test('[evidence.block-bounded] a blocked call stores a digest and the first kilobyte of long parameters', async () => {
    const long = { path: 'README.md', text: 'é'.repeat(60_000) };
    await act('scm.delete_repo', long);
    const [entry] = await decisionsOf();
    expect(entry?.kind).toBe('block');
    expect(JSON.stringify(entry).length).toBeLessThan(4_000);
    const { parameters, parameters_head, parameters_sha256, call_digest, withheld } = entry!.body;
    expect(parameters).toBeUndefined();
    expect(parameters_head).toMatch(/^\{"path":"README\.md","text":"é+$/);
    expect(parameters_head).toHaveLength(1_024);
    for (const digest of [parameters_sha256, call_digest]) expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(withheld).toEqual(['$.parameters']);

    expect((await call('GET', '/admin/v1/evidence/sessions/s/verify', keys.human)).body).toMatchObject({ valid: true });
    const why = await call('GET', `/admin/v1/actions/${entry!.envelope_id}/why`, keys.human);
    expect(why.status).toBe(200);
    expect(why.body).toMatchObject({ decision: 'block', not_replayed: ['$.parameters'] });
    const report = await call('GET', '/admin/v1/evidence/sessions/s/report', keys.human);
    expect([report.status, String(report.body).includes('README.md')]).toEqual([200, true]);
  });

  test('[evidence.block-bounded] short parameters of a blocked call and long parameters of an allowed call are stored in full', async () => {
    const short = { path: 'README.md', text: 'x'.repeat(3_000) };
    await act('scm.delete_repo', short);
    const long = { path: 'docs/'.repeat(2_000) };
    await act('scm.get_file_contents', long);
    const [block, allow] = await decisionsOf();
    expect([block?.kind, block?.body.parameters, block?.body.withheld]).toEqual(['block', short, undefined]);
    expect([allow?.kind, allow?.body.parameters]).toEqual(['allow', long]);
  });
});
