/** Task manifests and their budgets. */
import { keyRisksTable } from '#adapters/tables/key-risks-table.ts';
import { manifestsTable } from '#adapters/tables/task-manifests-table.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { TaskManifest } from '#core/contracts/task-manifest.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { driftVerdict, taskNote } from '#core/session/tasks/decide-manifests.ts';
import { openManifest } from '#core/session/tasks/manifest.ts';
import type { TaskManifests } from '#core/session/tasks/ports.ts';
import { caller } from '../support/call-endpoint.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

/**
 * Task manifests in a real table and over HTTP: addressed by digest, attached, checked, deleted; drift over a session's
 * history.
 */
describe('manifests', () => {
  let tasks: TaskManifests;
  let call: ReturnType<typeof caller>;
  let names = 0;

  const gateway = useGateway();
  beforeAll(() => {
    tasks = manifestsTable(gateway.store);
    call = caller({ ...gateway.ports, tasks, keyRisks: keyRisksTable(gateway.store) });
  });

  const admin = '/admin/v1/manifests';
  const fresh = (what = 's') => `${what}-${++names}`;
  const declare = (body: object, key = keys.human) =>
    call('POST', admin, { key, body: { name: fresh('task'), ...body } });
  const now = () => gateway.ports.clock.now();
  const made = (body: object, tenant = 'default'): TaskManifest =>
    openManifest({ name: fresh('task'), risk_tier: 'high', ...body }, tenant, 'alice', now());

  /** Writes a decision entry as a governed call would. */
  async function act(
    session: string,
    tool: string,
    target: string,
    capability: string,
    more: object = {},
    kind = 'allow',
  ) {
    const agent = (await gateway.ports.snapshots.current()).identities;
    const writer = [...agent.byKeyId.values()].find(({ name }) => name === 'writer')!;
    const outcome = await gateway.ports.ledger.commit({
      draft: {
        tenant: 'default',
        session_id: session,
        timestamp: isoTime(now()),
        kind: kind as 'allow',
        envelope_id: gateway.ports.ids.uuid(),
        actor: { key_id: writer.key_id },
        body: { protocol: 'git', tool, target, capability, ...more },
      },
      owner: writer.key_id,
    });
    if (!outcome.ok) throw new Error('no conditions');
    return outcome.head;
  }

  describe('the store', () => {
    test('stores a manifest once, however often it is declared and with whichever key', async () => {
      const manifest = made({ sessions: [fresh()] });
      const others = await Promise.all(Array.from({ length: 8 }, () => tasks.create(manifest)));
      expect(others).toEqual(Array(8).fill(manifest));
      expect(await tasks.get('default', manifest.id)).toEqual(manifest);
      expect(await tasks.get('elsewhere', manifest.id)).toBeUndefined();
    });

    test('[evidence.secrets-redacted] removes secrets from names and descriptions', () => {
      const token = `ghp_${'a1B2'.repeat(9)}`;
      const words = { name: `use ${token}`, description: `with ${token}` };
      expect(made(words)).toMatchObject({ name: 'use [withheld]', description: 'with [withheld]' });
    });

    test('[manifest.drift] finds the manifests for a session, a key and a call in one store step', async () => {
      const session = fresh();
      const bySession = await tasks.create(made({ sessions: [session, fresh()] }));
      const byKey = await tasks.create(made({ key_id: 'k-1' }));
      const byBoth = await tasks.create(made({ key_id: 'k-2', sessions: [session] }));
      const free = await tasks.create(made({}));
      const ids = async (to: { session: string; key_id: string; named?: string }) => {
        const { manifests, unknown } = await tasks.attached('default', to);
        return [manifests.map(({ id }) => id).sort(), unknown];
      };
      expect(await ids({ session, key_id: 'k-0' })).toEqual([[bySession.id], undefined]);
      expect(await ids({ session, key_id: 'k-1' })).toEqual([[bySession.id, byKey.id].sort(), undefined]);
      expect(await ids({ session, key_id: 'k-2' })).toEqual([[bySession.id, byBoth.id].sort(), undefined]);
      expect(await ids({ session: fresh(), key_id: 'k-2' })).toEqual([[], undefined]);
      expect(await ids({ session: fresh(), key_id: 'k-0', named: free.id })).toEqual([[free.id], undefined]);
      expect(await ids({ session: fresh(), key_id: 'k-0', named: 'task-none' })).toEqual([[], 'task-none']);
      expect(await ids({ session, key_id: 'k-0', named: bySession.id })).toEqual([[bySession.id], undefined]);
      const { steps } = await gateway.steps.during(() =>
        tasks.attached('default', { session, key_id: 'k-1', named: free.id }),
      );
      expect(steps).toBe(1);
    });

    test('removes a manifest once, and accepts the same task again afterwards', async () => {
      const session = fresh();
      const manifest = await tasks.create(made({ sessions: [session], key_id: 'k-3' }));
      const removed = await Promise.all([1, 2, 3].map(() => tasks.remove('default', manifest.id, isoTime(now()))));
      expect(removed.filter(Boolean)).toHaveLength(1);
      expect(await tasks.get('default', manifest.id)).toBeUndefined();
      expect(await tasks.attached('default', { session, key_id: 'k-3', named: manifest.id })).toEqual({
        manifests: [],
        unknown: manifest.id,
      });
      await tasks.create(manifest);
      expect((await tasks.attached('default', { session, key_id: 'k-3' })).manifests).toEqual([manifest]);
    });

    test('attaches at most eight manifests to a session and does not store a ninth', async () => {
      const session = fresh();
      for (let i = 0; i < 8; i++) await tasks.create(made({ sessions: [session] }));
      const ninth = made({ sessions: [session, fresh()] });
      await expect(tasks.create(ninth)).rejects.toMatchObject({ code: 'conflict' });
      expect(await tasks.get('default', ninth.id)).toBeUndefined();
      expect((await tasks.attached('default', { session, key_id: 'k' })).manifests).toHaveLength(8);
    });

    test('lists manifests page by page, newest first, and only those of the tenant', async () => {
      const far = await tasks.create(made({ sessions: [fresh()] }, 'elsewhere'));
      for (let i = 0; i < 9; i++) await tasks.create(made({ sessions: [fresh()] }));
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await tasks.list('default', { limit: 3, ...(cursor !== undefined && { cursor }) });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.cursor;
      } while (cursor !== undefined);
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen.length).toBeGreaterThan(8);
      expect(seen).not.toContain(far.id);
      await expect(tasks.list('default', { limit: 3, cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_request' });
    });
  });

  describe('over HTTP', () => {
    test('[manifest.drift] is declared by a human, shown, and deleted; the declaration and the deletion are fully recorded in evidence', async () => {
      const session = fresh();
      const body = { name: 'docs', tools: ['scm.get_*'], resources: ['acme/web'], sessions: [session], max_actions: 3 };
      const first = await call('POST', admin, { key: keys.human, body });
      expect(first).toMatchObject({ status: 201, body: { name: 'docs', created_by: 'alice', max_actions: 3 } });
      const { id } = first.body;
      expect(id).toMatch(/^task-[0-9a-f]{32}$/);
      expect(Date.parse(first.body.expires_at)).toBe(now() + 24 * 3_600_000);
      const shown = await call('GET', `${admin}/${id}`, { key: keys.human });
      const { evidence_hash: _hash, ...manifest } = first.body;
      expect(shown.body).toEqual(manifest);
      expect((await call('POST', admin, { key: keys.human, body })).body).toEqual(manifest);

      expect(await call('DELETE', `${admin}/${id}`, { key: keys.human })).toMatchObject({ status: 200, body: { id } });
      expect((await call('GET', `${admin}/${id}`, { key: keys.human })).status).toBe(404);
      expect((await call('DELETE', `${admin}/${id}`, { key: keys.human })).status).toBe(404);
      const acts: unknown[] = [];
      for await (const entry of gateway.ports.evidence.entries('default', 'admin-default-2026-01-01'))
        if ((entry.body.manifest as TaskManifest | undefined)?.id === id)
          acts.push([entry.body.action, entry.body.manifest]);
      expect(acts).toEqual([
        ['manifest.create', manifest],
        ['manifest.delete', manifest],
      ]);
    });

    test.each([
      ['no name', { name: undefined }, 400],
      ['a member it does not know', { verbs: ['read'] }, 400],
      ['a glob that cannot be read', { tools: ['scm.[a'] }, 400],
      ['an end in the past', { expires_at: '2025-12-31T00:00:00Z' }, 400],
      ['an end too far away', { expires_at: '2027-01-01T00:00:00Z' }, 400],
      ['no time at all', { expires_at: 'tomorrow' }, 400],
      ['a session of another form', { sessions: ['a b'] }, 400],
      ['a negative budget', { budget_usd: -1 }, 400],
      ['a tier there is none of', { risk_tier: 'extreme' }, 400],
    ])('refuses %s', async (_what, body, status) => {
      const answer = await declare(body);
      expect(answer.status).toBe(status);
      expect(answer.body.error.type).toBe('invalid_request');
    });

    test('agents cannot declare or delete manifests but can see their own', async () => {
      const session = fresh();
      await act(session, 'scm.get_file_contents', 'acme/web', 'read');
      const { id } = (await declare({ sessions: [session] })).body;
      expect((await declare({ sessions: [session] }, keys.agent)).status).toBe(403);
      expect((await call('DELETE', `${admin}/${id}`, { key: keys.agent })).status).toBe(403);
      expect((await call('GET', `${admin}/${id}`, { key: keys.agent })).status).toBe(200);
      expect((await call('GET', `${admin}/${id}`, { key: keys.other })).status).toBe(404);
      expect((await call('GET', `${admin}/${id}/drift`, { key: keys.other })).status).toBe(404);
      const listed = await call('GET', `${admin}?limit=200`, { key: keys.other });
      expect(listed.body.manifests.map((each: TaskManifest) => each.id)).not.toContain(id);
      expect((await call('GET', `${admin}/${id}`, { key: 'elsewhere-key' })).status).toBe(404);
      expect((await call('GET', admin, {})).status).toBe(401);
      expect((await call('GET', admin, { key: keys.viewer })).status).toBe(403);
    });

    test("[manifest.drift] finds every kind of drift in a session's history, even from before the manifest was declared", async () => {
      const session = fresh();
      await act(session, 'scm.get_file_contents', 'acme/web', 'read');
      await act(session, 'scm.delete_repo', 'acme/web', 'delete', {}, 'block');
      await act(session, 'scm.get_file_contents', 'acme/other', 'read');
      await act(session, 'shell.run', '', 'execute', {
        protocol: 'shell',
        ...taskNote({
          parts: [{ protocol: 'shell', tool: 'shell.rm', target: 'src', capability: 'delete', parameters: {} }],
          carrier: true,
        }),
      });
      gateway.pass(3600);
      await act(session, 'scm.get_file_contents', 'acme/web', 'read');
      gateway.pass(-3600);
      const { id } = (
        await declare({
          sessions: [session],
          protocols: ['git'],
          tools: ['scm.get_*'],
          resources: ['acme/web'],
          capabilities: ['read'],
          max_actions: 2,
          expires_at: isoTime(now() + 1800_000),
        })
      ).body;
      const { status, body } = await call('GET', `${admin}/${id}/drift`, { key: keys.agent });
      expect(status).toBe(200);
      expect(body).toMatchObject({ manifest_id: id, enforcement_mode: 'warn', drift: true, total_drifted: 4 });
      const [report] = body.sessions;
      expect(report).toMatchObject({ session_id: session, actions: 5, complete: true });
      const kinds = report.drifted.map((row: { index: number; drift: { kind: string }[] }) => [
        row.index,
        row.drift.map(({ kind }) => kind),
      ]);
      expect(kinds).toEqual([
        [1, ['tool', 'capability']],
        [2, ['resource']],
        [3, ['protocol', 'tool', 'resource', 'capability', 'count']],
        [4, ['expired', 'count']],
      ]);
      expect((await call('GET', `${admin}/${id}/drift?session=nowhere`, { key: keys.human })).status).toBe(404);
      const free = (await declare({})).body.id;
      expect((await call('GET', `${admin}/${free}/drift`, { key: keys.human })).status).toBe(400);
      expect((await call('GET', `${admin}/${free}/drift?session=${session}`, { key: keys.human })).body.drift).toBe(
        false,
      );
    });
  });

  test('[manifest.drift] warn mode records the drift; enforce mode blocks the call and names the manifest', () => {
    const drift = [{ manifest_id: 'task-1', kind: 'tool', found: 'scm.delete_repo', allowed: 'scm.get_*' } as const];
    expect(driftVerdict(drift, { enforcement_mode: 'warn' })).toBeUndefined();
    expect(driftVerdict([], { enforcement_mode: 'enforce' })).toBeUndefined();
    expect(driftVerdict(drift, { enforcement_mode: 'enforce' })).toMatchObject({
      decision: 'block',
      matched_rule: 'manifest:task-1',
      reason: expect.stringContaining('scm.delete_repo'),
    });
  });
});

/** A task's budget, spent by real chat calls: the next tool call then exceeds the task's budget. */
describe('budgets', () => {
  describe.each(['warn', 'enforce'] as const)('[manifest.drift] enforcement_mode %s', (mode) => {
    let asked = 0;

    const gateway = useGateway(() => ({
      // Responses are priced like the model of that name.
      extra: `
providers: [{ name: mock, type: mock, models: ["gpt-4o"] }]
cache: { enabled: false }
manifests: { enforcement_mode: ${mode} }`,
    }));
    const { call } = gateway;

    const chat = async (session: string) => {
      const content = `question ${String(++asked).padStart(4, '0')}`;
      const body = { model: 'gpt-4o', messages: [{ role: 'user', content }] };
      return (
        await call('POST', '/v1/chat/completions', { key: keys.agent, headers: { 'x-session-id': session }, body })
      ).status;
    };
    const spent = async (session: string) =>
      (await gateway.ports.evidence.head('default', session))?.spent_microusd ?? 0;
    const act = async (session: string) => {
      const action = { protocol: 'git', tool: 'scm.list_branches', target: 'acme/web', capability: 'read' };
      return (await call('POST', '/admin/v1/test-action', { key: keys.agent, body: { ...action, actor: { session } } }))
        .body;
    };
    const lastDecision = async (session: string): Promise<EvidenceEntry> => {
      const found = await evidenceOf(gateway.ports, session);
      return found.findLast(({ kind }) => kind === 'allow' || kind === 'block')!;
    };

    test("in a session whose budget was spent on model calls, the next tool call exceeds the task's budget", async () => {
      expect(await chat('measure')).toBe(200);
      const cost = await spent('measure');
      expect(cost).toBeGreaterThan(0);

      const body = { name: 'frugal', tools: ['scm.*'], sessions: ['frugal'], budget_usd: (1.5 * cost) / 1_000_000 };
      const declared = await call('POST', '/admin/v1/manifests', { key: keys.human, body });
      expect(declared.status).toBe(201);
      const { id } = declared.body;

      expect(await chat('frugal')).toBe(200);
      expect(await act('frugal')).toMatchObject({ decision: 'allow' });
      expect((await lastDecision('frugal')).body.drift).toBeUndefined();

      expect(await chat('frugal')).toBe(200);
      expect(await spent('frugal')).toBe(2 * cost);
      const answer = await act('frugal');
      const entry = await lastDecision('frugal');
      expect(entry.body.drift).toEqual([
        {
          manifest_id: id,
          kind: 'budget',
          found: `${(2 * cost) / 1_000_000} USD spent`,
          allowed: `${body.budget_usd} USD`,
        },
      ]);
      if (mode === 'warn') {
        expect(answer).toMatchObject({ decision: 'allow' });
        expect(entry.kind).toBe('allow');
      } else {
        expect(answer).toMatchObject({ decision: 'block', matched_rule: `manifest:${id}`, error: { code: -32001 } });
        expect(entry.kind).toBe('block');
      }

      const history = await call('GET', `/admin/v1/manifests/${id}/drift`, { key: keys.human });
      expect(history.body).toMatchObject({ enforcement_mode: mode, drift: true, total_drifted: 1 });
      expect(history.body.sessions[0].drifted[0].drift[0].kind).toBe('budget');
      // The task limits tool calls; `budgets` limits model calls.
      expect(await chat('frugal')).toBe(200);
      expect(await act('elsewhere')).toMatchObject({ decision: 'allow' });
    });
  });
});
