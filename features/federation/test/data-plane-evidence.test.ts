/** Reports of a data plane: minutes of traffic, the heads of its chains, and truncated and forked chains. */

import type { EntryDraft } from '#core/contracts/evidence.ts';
import { Turns } from '#core/kernel/turns.ts';
import { ChainWatch } from '#core/operations/alerts/chain-watch.ts';
import { evaluateAlerts } from '#core/operations/alerts/evaluate.ts';
import { RefusalWatch } from '#core/operations/alerts/refusal-watch.ts';
import { TrafficWatch } from '#core/operations/alerts/traffic-watch.ts';
import { conditionsOf } from '#features/features.ts';
import { TableAttacker } from '../../../test/support/table-attacker.ts';
import { ControlPlaneRefusal } from '../ports.ts';
import { Reports } from '../report.ts';
import { act, both, hour, useDataPlane } from './data-plane.ts';

useDataPlane();

const planeRow = async () =>
  (await both.atControl('GET', '/admin/v1/federation/planes', { key: 'admin-token-1' })).body.planes[0];

test("[federation.metrics] the plane's status, minutes and heads arrive; a chain truncated at the plane is detected", async () => {
  await both.poll();
  await act();
  await act('scm.list_issues');
  await both.report();
  expect(await planeRow()).toMatchObject({ state: 'ok', version: 1, behind: 0 });
  const known = await both.control.ports.planes.walk('eu', undefined, 100);
  expect(known.heads.map(({ session_id }) => session_id)).toContain('work');
  await act();
  for (let n = 0; n < 3; n++) await both.report();
  expect((await planeRow()).state).toBe('ok');
});

test('[federation.metrics] after an hour-long partition, every minute of data arrives exactly once', async () => {
  await both.poll();
  await both.report();
  both.network.cut = true;
  const { clock, observations } = both.plane.ports;
  for (let minute = 0; minute < 60; minute++) {
    const at = new Date(clock.now()).toISOString();
    // A busy minute has hundreds of sums, so that the whole hour does not fit in one request.
    const bins = Object.fromEntries(Array.from({ length: 500 }, (_, bin) => [`ms:${bin}`, 1]));
    await observations.replaceMinutes('global', [{ at, measures: { requests: 500, errors: 5, ...bins } }]);
    both.pass(60);
  }
  await expect(both.report()).rejects.toThrow('ECONNREFUSED');
  both.network.cut = false;
  await both.report();
  await both.report();
  const from = new Date(clock.now() - 2 * hour * 1000).toISOString();
  const path = `/admin/v1/analytics?dimension=plane:eu&step=1h&from=${from}`;
  const { body } = await both.atControl('GET', path, { key: 'admin-token-1' });
  const hours: { requests: number; errors: number }[] = body.summary['plane:eu'];
  expect(hours.reduce((sum, { requests }) => sum + requests, 0)).toBe(60 * 500);
  expect(hours.reduce((sum, { errors }) => sum + errors, 0)).toBe(60 * 5);
});

/** Attacks that change the plane's tables while bypassing the gateway, but keep them consistent with each other. */
const attacks: [string, 'cut' | 'fork', (attacker: TableAttacker, story: EntryDraft[]) => Promise<void>][] = [
  ['cut at its end', 'cut', (attacker, story) => attacker.tell('work', story.slice(0, 2))],
  [
    'rewritten',
    'fork',
    (attacker, story) => attacker.tell('work', story.with(0, { ...story[0]!, body: { tool: 'other' } })),
  ],
  [
    'rewritten and grown',
    'fork',
    (attacker, story) => attacker.tell('work', [...story.with(0, { ...story[0]!, body: {} }), ...story]),
  ],
  ['removed', 'cut', (attacker) => attacker.remove('work')],
];
const schedules = [
  ['[federation.on-aws] a plane on AWS', () => both.reportOnSchedule()],
  // Reports are ten seconds apart, so three of them fall within a minute.
  [
    '[federation.metrics] a plane',
    async () => {
      for (let n = 0; n < 3; n++) await both.report();
    },
  ],
] as const;

describe.each(schedules)('[federation.status] %s', (_plane, reported) => {
  test.each(attacks)('reports a chain that was %s', async (_what, kind, attack) => {
    await both.poll();
    await act();
    await act('scm.list_issues');
    await reported();
    const attacker = new TableAttacker(both.plane.store);
    await attack(attacker, await attacker.entries('work'));
    await reported();
    expect(await planeRow()).toMatchObject({
      state: 'diverged',
      divergences: 1,
      divergence: { session_id: 'work', kind },
    });
    const watches = {
      traffic: new TrafficWatch(),
      chains: new ChainWatch(),
      refusals: new RefusalWatch(),
      turns: new Turns(),
    };
    await evaluateAlerts({ ...both.control.ports, conditions: conditionsOf(both.control.ports) }, watches);
    const { body } = await both.atControl('GET', '/admin/v1/alerts', { key: 'admin-token-1' });
    expect(body.alerts).toMatchObject([
      { severity: 'critical', type: 'evidence', dimension: 'plane:eu', metric: 'evidence_heads' },
    ]);
  });
});

test('[federation.status] an entry edited in place is detected by the plane and reported to its control plane', async () => {
  await both.poll();
  await act();
  await both.report();
  await both.report();
  const attacker = new TableAttacker(both.plane.store);
  const [first, ...rest] = await attacker.entries('work');
  const head = await attacker.head('work');
  await attacker.tell('work', [{ ...first!, body: { tool: 'other' } }, ...rest]);
  await attacker.setHead(head); // the last hash is the reported one
  for (let n = 0; n < 3; n++) await both.report();
  expect(await planeRow()).toMatchObject({ state: 'diverged', divergence: { session_id: 'work', kind: 'broken' } });
});

test('[store.sweep] [federation.metrics] an unreadable chain is reported as broken, and the others are still reported', async () => {
  await both.poll();
  await act();
  await both.report();
  await new TableAttacker(both.plane.store).set(
    'evidence',
    { chain: 'default#work', position: '0'.repeat(12) },
    { entry: 'not JSON' },
  );
  await act();
  await both.atPlane('POST', '/admin/v1/test-action', {
    key: 'plane-agent',
    body: {
      protocol: 'git',
      tool: 'scm.get_issue',
      target: 'acme/web',
      capability: 'read',
      actor: { session: 'after' },
    },
  });
  for (let n = 0; n < 3; n++) await both.report();
  const known = await both.control.ports.planes.walk('eu', undefined, 100);
  expect(known.heads.map(({ session_id }) => session_id)).toContain('after');
  expect(await planeRow()).toMatchObject({ state: 'diverged', divergence: { kind: 'broken', session_id: 'work' } });
});

test.each([
  [400, true],
  [413, true],
  [503, false],
])('[store.sweep] [federation.metrics] minutes refused with %s are left out: %s', async (status, leftOut) => {
  await both.poll();
  const { ports } = both.plane;
  const at = new Date(ports.clock.now()).toISOString();
  await ports.observations.replaceMinutes('global', [{ at, measures: { requests: 1 } }]);
  const lines: string[] = [];
  const sent: string[] = [];
  const refusing = {
    ...both.plane.ports,
    instance: 'one',
    everySeconds: undefined,
    telemetry: { ...ports.telemetry, log: (_: string, message: string) => void lines.push(message) },
    controlPlane: {
      config: () => Promise.reject(new Error('not polled')),
      post: async (_: unknown, what: string) => {
        if (what === 'status') return {};
        sent.push(what);
        throw new ControlPlaneRefusal(status, 'not these minutes');
      },
    },
  };
  const reports = new Reports();
  if (!leftOut) {
    await expect(reports.send(refusing)).rejects.toThrow('not these minutes');
    return;
  }
  await reports.send(refusing);
  expect(lines).toContain('the control plane does not accept minutes of traffic');
  // Minutes too old to change are not sent again.
  both.pass(hour);
  await reports.send(refusing);
  both.pass(hour);
  await reports.send(refusing);
  expect(sent).toHaveLength(2);
});
