/** A task's budget, spent by real chat calls: the next tool call leaves the task. */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { evidenceOf } from '../support/evidence-of.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

describe.each(['warn', 'enforce'] as const)('[manifest.drift] enforcement_mode %s', (mode) => {
  let asked = 0;

  const gateway = useGateway(() => ({
    // Answers cost what the model of that name costs.
    extra: `
providers: [{ name: mock, type: mock, models: ["gpt-4o"] }]
cache: { enabled: false }
manifests: { enforcement_mode: ${mode} }`,
  }));
  const { call } = gateway;

  const chat = async (session: string) => {
    const content = `question ${String(++asked).padStart(4, '0')}`;
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content }] };
    return (await call('POST', '/v1/chat/completions', { key: keys.agent, headers: { 'x-session-id': session }, body }))
      .status;
  };
  const spent = async (session: string) => (await gateway.ports.evidence.head('default', session))?.spent_microusd ?? 0;
  const act = async (session: string) => {
    const action = { protocol: 'git', tool: 'scm.list_branches', target: 'acme/web', capability: 'read' };
    return (await call('POST', '/admin/v1/test-action', { key: keys.agent, body: { ...action, actor: { session } } }))
      .body;
  };
  const lastDecision = async (session: string): Promise<EvidenceEntry> => {
    const found = await evidenceOf(gateway.ports, session);
    return found.findLast(({ kind }) => kind === 'allow' || kind === 'block')!;
  };

  test('a session that has spent its budget on model calls leaves its task with the next tool call', async () => {
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
    // The task holds tool calls; model calls are held by `budgets`.
    expect(await chat('frugal')).toBe(200);
    expect(await act('elsewhere')).toMatchObject({ decision: 'allow' });
  });
});
