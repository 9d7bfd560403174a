/** The rules of a rollout: which calls go where, when it moves, and what its states allow. */
import fc from 'fast-check';
import { rolloutSchema } from '#core/contracts/answers/rollouts.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { durationMs, type Rollout } from '#core/contracts/rollout.ts';
import { createRolloutSchema, rolloutDefaultsSchema } from '#core/contracts/rollout-schema.ts';
import { assign, rolloutPosition } from '#core/models/rollouts/assign.ts';
import { rolloutsInForce } from '#core/models/rollouts/in-force.ts';
import { judge, leastRequests, lowerBound } from '#core/models/rollouts/judge.ts';
import { applyMove, type RolloutMove } from '#core/models/rollouts/moves.ts';
import type { RoutePlan } from '#core/models/routing/plan.ts';

const t0 = Date.UTC(2026, 0, 1);
const at = (ms: number) => new Date(t0 + ms).toISOString();
const rollout = (more: Partial<Rollout> = {}): Rollout => ({
  id: 'r1',
  tenant: '*',
  route_model: 'gpt-4o',
  baseline_providers: ['old'],
  canary_provider: 'new',
  stages: [5, 25, 50, 100],
  current_stage: 0,
  current_percentage: 5,
  state: 'running',
  observation: 1,
  revision: 1,
  observation_window_ms: 300_000,
  error_threshold: 5,
  latency_p95_threshold: 2_000,
  stage_started_at: at(0),
  created_at: at(0),
  created_by: 'alice',
  created_in: 'default',
  ...more,
});
const healthy = { requests: 100, errors: 0, timed: 100, p95_latency_ms: 100 };
const after = 300_000;

describe('[rollout.states] moves by time', () => {
  it.each([
    ['healthy, the window has passed', healthy, after, 'promote'],
    ['healthy, the window has not passed', healthy, after - 1, undefined],
    ['too few calls to know', { ...healthy, requests: leastRequests - 1 }, after * 100, undefined],
    ['failing, at once', { ...healthy, errors: 30 }, 1, 'rollback'],
    ['failing, with too few calls', { requests: 19, errors: 19, timed: 19, p95_latency_ms: 1 }, after, undefined],
    ['above the threshold, but not beyond doubt', { ...healthy, requests: 20, errors: 2 }, 1, undefined],
    ['slow, at once', { ...healthy, p95_latency_ms: 2_001 }, 1, 'rollback'],
    ['slow, with too few timed calls', { ...healthy, timed: 19, p95_latency_ms: 9_999 }, 1, undefined],
    ['exactly at the threshold of latency', { ...healthy, p95_latency_ms: 2_000 }, after, 'promote'],
  ])('%s', (_, figures, ms, move) => {
    expect(judge(rollout(), figures, t0 + ms)?.type).toBe(move);
  });

  it('starts a pending rollout at its start time, and does not change a rollout in any other state', () => {
    const pending = rollout({ state: 'pending', start_at: at(1_000), current_percentage: 0 });
    expect([judge(pending, healthy, t0 + 999), judge(pending, healthy, t0 + 1_000)]).toEqual([
      undefined,
      { type: 'start' },
    ]);
    for (const state of ['paused', 'completed', 'rolled_back'] as const)
      expect(judge(rollout({ state }), { ...healthy, errors: 100 }, t0 + after)).toBeUndefined();
  });

  it('an unhealthy canary is never promoted', () => {
    const figures = fc.record({
      requests: fc.nat(5_000),
      errors: fc.nat(5_000),
      timed: fc.nat(5_000),
      p95_latency_ms: fc.option(fc.nat(10_000)),
    });
    fc.assert(
      fc.property(figures, fc.nat(1e9), fc.nat(3), ({ errors, ...rest }, ms, stage) => {
        const canary = { ...rest, errors: Math.min(errors, rest.requests) };
        const move = judge(rollout({ current_stage: stage }), canary, t0 + ms);
        if (move?.type !== 'promote' && move?.type !== 'complete') return;
        expect(ms).toBeGreaterThanOrEqual(after);
        expect(canary.requests).toBeGreaterThanOrEqual(leastRequests);
        expect(lowerBound(canary.errors, canary.requests)).toBeLessThanOrEqual(0.05);
        expect(canary.timed >= leastRequests && (canary.p95_latency_ms ?? 0) > 2_000).toBe(false);
      }),
    );
  });

  it.each([
    [0, 0, 0],
    [0, 100, 0],
    [10, 100, 0.0552],
    [100, 100, 0.963],
  ])('the lower bound of the error rate for %i of %i is about %d', (errors, requests, bound) => {
    expect(lowerBound(errors, requests)).toBeCloseTo(bound, 3);
  });

  it('a rollout completes after its last stage, and a rollback states its reason', () => {
    expect(judge(rollout({ current_stage: 3, current_percentage: 100 }), healthy, t0 + after)).toEqual({
      type: 'complete',
    });
    const failing = judge(rollout(), { ...healthy, errors: 30 }, t0);
    expect(failing).toMatchObject({ reason: expect.stringMatching(/^error rate: 30 of 100 .* the limit is 5 %$/) });
    expect(judge(rollout(), { ...healthy, p95_latency_ms: 3_000 }, t0)).toMatchObject({
      reason: expect.stringContaining('3000 ms'),
    });
  });
});

describe('[rollout.states] moves', () => {
  const moves: RolloutMove[] = [
    { type: 'start' },
    { type: 'promote' },
    { type: 'complete' },
    { type: 'pause' },
    { type: 'resume' },
    { type: 'rollback', reason: 'manual rollback' },
  ];
  const allowed: Record<string, string> = {
    pending: 'start rollback',
    running: 'promote complete pause rollback',
    paused: 'resume rollback',
    completed: '',
    rolled_back: '',
  };

  const { options: states } = rolloutSchema.shape.state;
  it.each(states)('only the moves in the table are allowed on a rollout that is %s', (state) => {
    const possible = moves.filter((move) => {
      try {
        return applyMove(rollout({ state }), move, at(1));
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(`is ${state}`) });
        return false;
      }
    });
    expect(possible.map(({ type }) => type).join(' ')).toBe(allowed[state]);
  });

  it('pausing keeps the traffic share, and resuming starts a new observation window', () => {
    const paused = applyMove(rollout({ current_percentage: 25, current_stage: 1 }), { type: 'pause' }, at(5));
    expect(paused).toMatchObject({ state: 'paused', current_percentage: 25, stage_started_at: at(0), observation: 1 });
    const resumed = { state: 'running', stage_started_at: at(9), observation: 2, revision: 3 };
    expect(applyMove(paused, { type: 'resume' }, at(9))).toMatchObject(resumed);
  });

  it('a promotion raises the percentage, and a rollback sets it to zero', () => {
    const promoted = { current_stage: 1, current_percentage: 25, observation: 2 };
    expect(applyMove(rollout(), { type: 'promote' }, at(5))).toMatchObject(promoted);
    const back = { state: 'rolled_back', current_percentage: 0, rollback_reason: 'x', completed_at: at(5) };
    expect(applyMove(rollout(), { type: 'rollback', reason: 'x' }, at(5))).toMatchObject(back);
  });
});

describe("[rollout.traffic] the canary's share", () => {
  const entry = (name: string, enabled = true) => ({ name, enabled, type: 'mock', models: ['*'] });
  const configuration = { providers: [entry('old'), entry('new'), entry('off', false)] } as unknown as Configuration;
  const plan = (...names: string[]): RoutePlan =>
    ({
      model: 'gpt-4o',
      route: 'gpt-*',
      candidates: names.map((name) => ({ entry: entry(name), region: undefined })),
    }) as unknown as RoutePlan;
  const names = (rollouts: Rollout[], session: string, base = plan('old', 'spare'), tenant = 't') => {
    const { plan: taken, mark } = assign(base, rollouts, { tenant, session }, configuration);
    return [taken.candidates.map((candidate) => candidate.entry.name).join(' '), mark?.arm];
  };

  it('a session on the canary stays there as the percentage grows, and the share is approximately correct', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.integer({ min: 1, max: 99 }), (tenant, session, percentage) => {
        const arm = (current_percentage: number) =>
          names([rollout({ current_percentage })], session, undefined, tenant)[1];
        if (arm(percentage) === 'canary') expect(arm(percentage + 1)).toBe('canary');
        expect([arm(0), arm(100)]).toEqual(['baseline', 'canary']);
      }),
    );
    const share =
      Array.from({ length: 20_000 }, (_, n) => rolloutPosition('r1', 't', `s${n}`)).filter((place) => place < 25)
        .length / 20_000;
    expect(share).toBeGreaterThan(0.235);
    expect(share).toBeLessThan(0.265);
  });

  it('the canary comes first with the baseline as fallback, and baseline calls never reach the canary', () => {
    expect(names([rollout({ current_percentage: 100 })], 's')).toEqual(['new old spare', 'canary']);
    expect(names([rollout({ current_percentage: 0 })], 's', plan('old', 'new'))).toEqual(['old', 'baseline']);
    const both = rollout({ current_percentage: 0, baseline_providers: ['old', 'new'] });
    expect(names([both], 's', plan('old', 'new'))).toEqual(['old new', 'baseline']);
  });

  it.each([
    ['another tenant', rollout({ tenant: 'other', current_percentage: 100 })],
    ['another model', rollout({ route_model: 'claude-*', current_percentage: 100 })],
    ['a pending one', rollout({ state: 'pending', current_percentage: 100 })],
    ['one that is rolled back', rollout({ state: 'rolled_back', current_percentage: 100 })],
    ['a completed one whose route has changed', rollout({ state: 'completed', current_percentage: 100 })],
  ])('a rollout leaves the plan unchanged: %s', (_, other) => {
    expect(names([other], 's')).toEqual(['old spare', undefined]);
  });

  it('a completed rollout stays in effect while its route exists, and a disabled canary is skipped', () => {
    const done = rollout({ state: 'completed', current_percentage: 100, baseline_providers: ['spare', 'old'] });
    expect(names([done], 's')).toEqual(['new old spare', 'canary']);
    expect(names([rollout({ canary_provider: 'off', current_percentage: 100 })], 's')).toEqual([
      'old spare',
      'baseline',
    ]);
  });
});

describe('[rollout.create] creation', () => {
  const valid = { route_model: 'm', canary_provider: 'p' };
  it.each<[string, unknown[]]>([
    ['stages', [[], [5, 5], [50, 25], [0, 10], [10, 101], [5.5]]],
    ['observation_window', ['5', '0m', '169h', '-5m']],
    ['error_threshold', [101]],
    ['latency_p95_threshold', [0]],
    ['start_at', ['tomorrow']],
    ['stage', [[5]]],
    ['route_model', ['']],
  ])('refuses each invalid value of %s: %j', (member, values) => {
    for (const value of values)
      expect(createRolloutSchema.safeParse({ ...valid, [member]: value }).success).toBe(false);
  });

  it('only two members are required, and defaults come from the configuration', () => {
    expect(createRolloutSchema.parse(valid)).toEqual(valid);
    expect(rolloutDefaultsSchema.parse({})).toEqual({
      stages: [5, 25, 50, 100],
      observation_window: '5m',
      error_threshold: 5,
      latency_p95_threshold: 2_000,
    });
    expect(['90s', '5m', '1h'].map(durationMs)).toEqual([90_000, 300_000, 3_600_000]);
  });
});

describe('[rollout.states] the rollouts cached by a process', () => {
  it('are read at most once every five seconds, and are kept if the store fails', async () => {
    let now = 0;
    let asked = 0;
    const answers: (() => Promise<Rollout[]>)[] = [
      async () => [rollout()],
      async () => Promise.reject(new Error('down')),
    ];
    const known = rolloutsInForce({ inForce: () => answers[Math.min(asked++, 1)]!() }, { now: () => now });
    expect(await known()).toHaveLength(1);
    now = 4_999;
    await known();
    expect(asked).toBe(1);
    now = 5_000;
    expect(await known()).toHaveLength(1);
    expect(asked).toBe(2);
    expect(await known()).toHaveLength(1);
  });

  it('[rollout.states] are reloaded by the first call after a change, and a late older response is ignored', async () => {
    const slow = Promise.withResolvers<Rollout[]>();
    const answers = [
      async () => [],
      () => slow.promise,
      async () => [rollout()],
      async () => Promise.reject(new Error()),
    ];
    let asked = 0;
    let now = 0;
    const known = rolloutsInForce({ inForce: () => answers[asked++]!() }, { now: () => now });
    expect(await known()).toEqual([]);
    now = 6_000;
    expect(await known()).toEqual([]);
    known.forget();
    expect(await known()).toHaveLength(1);
    slow.resolve([]);
    await slow.promise;
    expect(await known()).toHaveLength(1);
    known.forget();
    expect(await known()).toHaveLength(1);
  });
});
