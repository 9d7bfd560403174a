/** A session that the projection cannot go on with: seen by people, and brought back by the repair. */
import { createHandler as alerts } from '#lambdas/alerts/event.ts';
import { createHandler as project } from '#lambdas/project/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { keptGateway } from '../support/kept-gateway.ts';
import { keys } from '../support/ports.ts';
import { unannounced } from '../support/unannounced.ts';
import { useStarted } from '../support/use-started.ts';

const gateway = useStarted(() => keptGateway(), 'test');

const admin = 'admin-token-1';
const { call, read: act } = gateway;
const health = async (key: string) => (await call('GET', '/admin/v1/health/detailed', key)).body;

/** Projects what was committed; the step refuses the session. */
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
    ...{ ...ports, cover: gateway.ports().cover, views: undefined, announce: unannounced },
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
  '[audit.set-aside] a session set aside at the step %s is in health, status and an alert; the repair brings it back',
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
          ...{ kind: 'projection', state: 'degraded' },
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
    expect(repaired.body).toMatchObject({ refused: [], left_entries: 0, archived_entries: step === 'archive' ? 4 : 0 });
    expect((await health(keys.viewer)).dependencies).toContainEqual(
      expect.objectContaining({ kind: 'projection', state: 'up' }),
    );
    expect((await call('GET', '/admin/v1/evidence/sessions/bad/verify')).body).toMatchObject({
      ...{ valid: true, archived_entries: 4, not_checked: [], checkpoint: { index: 3 } },
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
