/**
 * Rollouts through the handlers: traffic moves between real HTTP providers, and the clock decides based on evidence.
 */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { advanceRollouts } from '#core/models/rollouts/advance.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { createHandler as createSweep } from '../../lambdas/sweep/event.ts';
import { caller } from '../support/call-endpoint.ts';
import { refuse, say, startFakeProvider } from '../support/fake-providers.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';
import { useStarted } from '../support/use-started.ts';

const admin = 'admin-token-1';
const projected = new Set<string>();

const old = useStarted(() => startFakeProvider({ kind: 'openai' }));
const fresh = useStarted(() => startFakeProvider({ kind: 'openai' }));
const gateway = useGateway(() => ({
  secrets: { KEY: 'k' },
  extra: `
cache: { enabled: false }
providers:
  - { name: old, type: openai, models: ["gpt-*"], base_url: "${old.baseUrl}", api_key_env: KEY }
  - { name: new, type: openai, models: ["gpt-*"], base_url: "${fresh.baseUrl}", api_key_env: KEY, breaker: { min_requests: 1000 } }
routes:
  - { match: { model: "gpt-*" }, providers: [old] }
`,
}));
const { call } = gateway;
beforeEach(() => {
  old.answers(say('old'));
  fresh.answers(say('new'));
});

let model = 0;
const create = (more: object = {}, key = admin) =>
  call('POST', '/admin/v1/rollouts', {
    key,
    body: { route_model: `gpt-${++model}`, canary_provider: 'new', stages: [100], observation_window: '5m', ...more },
  });
const chat = async (name: string, session: string, more: object = {}) => {
  const answer = await call('POST', '/v1/chat/completions', {
    key: keys.agent,
    headers: { 'x-session-id': session },
    body: { model: name, messages: [{ role: 'user', content: 'hi' }], ...more },
  });
  return answer;
};
const textOf = (answer: Awaited<ReturnType<typeof chat>>) => String(answer.body.choices[0].message.content);
const act = (id: string, what: string, key = admin) => call('POST', `/admin/v1/rollouts/${id}/${what}`, { key });
const get = async (id: string) => (await call('GET', `/admin/v1/rollouts/${id}`, { key: admin })).body;

/** Projects every entry once, as the table's stream does. */
async function project(...sessions: string[]): Promise<void> {
  const { evidence, observations } = gateway.ports;
  for (const session of sessions) {
    for await (const page of evidence.entries('default', session)) {
      for (const entry of [page].flat() as EvidenceEntry[]) {
        if (projected.has(entry.hash)) continue;
        projected.add(entry.hash);
        await observations.apply([projectEntry(entry)]);
      }
    }
  }
}
const noticed = () => gateway.pass(10);

test('[rollout.create] creating a rollout returns all its fields, and a model can have only one rollout', async () => {
  const { status, body } = await create({ stages: [5, 25], error_threshold: 7, latency_p95_threshold: 900 });
  expect([status, body]).toEqual([
    201,
    {
      id: expect.any(String),
      tenant: '*',
      route_model: body.route_model,
      baseline_providers: ['old'],
      canary_provider: 'new',
      stages: [5, 25],
      current_stage: 0,
      current_percentage: 5,
      state: 'running',
      observation_window_ms: 300_000,
      error_threshold: 7,
      latency_p95_threshold: 900,
      stage_started_at: expect.any(String),
      created_at: expect.any(String),
      created_by: 'platform-admin',
    },
  ]);
  const again = await create({ route_model: body.route_model });
  expect([again.status, again.body.error.type]).toEqual([409, 'conflict']);
  const both = await Promise.all([create({ route_model: 'gpt-race' }), create({ route_model: 'gpt-race' })]);
  expect(both.map((one) => one.status).sort()).toEqual([201, 409]);
  const listed = await call('GET', '/admin/v1/rollouts', { key: admin });
  expect(listed.body.rollouts[0].route_model).toBe('gpt-race');
});

test('[rollout.create] an invalid setting is refused, and the error lists the valid ones', async () => {
  const refused = async (more: object, says: RegExp) => {
    const { status, body } = await create(more);
    expect([status, body.error.type]).toEqual([400, 'invalid_request']);
    expect(body.error.message).toMatch(says);
  };
  await refused({ canary_provider: 'none' }, /not an enabled provider; the enabled ones are: old, new/);
  await refused({ canary_provider: 'old' }, /is already the only provider of this model/);
  await refused({ route_model: 'unknown-model' }, /which no provider serves/);
  await refused({ stages: [50, 25] }, /stages/);
  await refused({ observation_window: 'soon' }, /observation_window/);
  expect((await call('GET', '/admin/v1/rollouts/nothing', { key: admin })).status).toBe(404);
});

test('[rollout.traffic] traffic goes to the canary according to the percentage of the stage, and is recorded with the side that served it', async () => {
  const { body } = await create({ stages: [50, 100] });
  noticed();
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => chat(body.route_model, `half-${n}`)));
  const sides = answers.map(textOf);
  expect(new Set(sides)).toEqual(new Set(['old', 'new']));
  const again = await Promise.all(Array.from({ length: 40 }, (_, n) => chat(body.route_model, `half-${n}`)));
  expect(again.map(textOf)).toEqual(sides);
  await project(...Array.from({ length: 40 }, (_, n) => `half-${n}`));
  const { metrics } = await get(body.id);
  expect(metrics.canary.requests).toBe(2 * sides.filter((side) => side === 'new').length);
  expect(metrics.baseline.requests).toBe(2 * sides.filter((side) => side === 'old').length);
  expect(metrics.canary.errors + metrics.baseline.errors).toBe(0);
});

test('[rollout.states] a failing canary does not affect callers and is rolled back', async () => {
  const { body } = await create();
  noticed();
  fresh.answers(refuse('openai', 500));
  const names = Array.from({ length: 25 }, (_, n) => `fails-${n}`);
  for (const name of names) expect(textOf(await chat(body.route_model, name))).toBe('old');
  await project(...names);
  expect((await get(body.id)).metrics.canary).toMatchObject({ requests: 25, errors: 25 });
  expect(await advanceRollouts(gateway.ports)).toBeGreaterThan(0);
  const { rollout } = await get(body.id);
  expect(rollout).toMatchObject({
    state: 'rolled_back',
    current_percentage: 0,
    rollback_reason: expect.stringMatching(/^error rate/),
  });
  noticed();
  fresh.answers(say('new'));
  expect(textOf(await chat(body.route_model, 'later'))).toBe('old');
  // The model has no open rollout any more.
  expect((await create({ route_model: body.route_model })).status).toBe(201);
});

test("[rollout.states] the caller's own faults and blocks count for no side", async () => {
  const { body } = await create();
  noticed();
  fresh.answers(refuse('openai', 400));
  const answer = await chat(body.route_model, 'caller-fault');
  expect(answer.status).toBe(400);
  await project('caller-fault');
  expect((await get(body.id)).metrics.canary).toMatchObject({ errors: 0 });
});

test('[rollout.states] a healthy canary is promoted stage by stage and stays in use after the rollout is done', async () => {
  const { body } = await create({ stages: [50, 100], observation_window: '60s' });
  const round = async (name: string) => {
    noticed();
    const names = Array.from({ length: 60 }, (_, n) => `${name}-${n}`);
    await Promise.all(names.map((session) => chat(body.route_model, session)));
    await project(...names);
    await advanceRollouts(gateway.ports);
    const before = (await get(body.id)).rollout;
    gateway.pass(60);
    await advanceRollouts(gateway.ports);
    return [before, (await get(body.id)).rollout].map(
      ({ state, current_percentage }) => `${state} ${current_percentage}`,
    );
  };
  expect(await round('first')).toEqual(['running 50', 'running 100']);
  expect(await round('second')).toEqual(['running 100', 'completed 100']);
  noticed();
  expect(textOf(await chat(body.route_model, 'done'))).toBe('new');
  const kinds: string[] = [];
  for await (const page of gateway.ports.evidence.entries('default', `rollout-${body.id}`))
    for (const entry of [page].flat() as EvidenceEntry[]) kinds.push(String(entry.body.action));
  expect(kinds).toEqual(['rollout.create', 'rollout.promote', 'rollout.complete']);
});

test('[rollout.create] pause, resume and rollback return the rollout; in any other state they return 400', async () => {
  const { body } = await create();
  expect((await act(body.id, 'resume')).status).toBe(400);
  expect((await act(body.id, 'pause')).body.state).toBe('paused');
  gateway.pass(3_600);
  await advanceRollouts(gateway.ports);
  expect((await get(body.id)).rollout.state).toBe('paused');
  expect((await act(body.id, 'pause')).status).toBe(400);
  expect((await act(body.id, 'resume')).body.state).toBe('running');
  const back = await act(body.id, 'rollback');
  expect([back.status, back.body.state, back.body.rollback_reason]).toEqual([200, 'rolled_back', 'manual rollback']);
  expect((await act(body.id, 'rollback')).status).toBe(400);
});

test('[rollout.create] a rollout with a start time does not begin before that time', async () => {
  const start_at = new Date(gateway.ports.clock.now() + 60_000).toISOString();
  const { body } = await create({ start_at });
  expect([body.state, body.current_percentage]).toEqual(['pending', 0]);
  noticed();
  expect(textOf(await chat(body.route_model, 'waits'))).toBe('old');
  gateway.pass(60);
  await advanceRollouts(gateway.ports);
  expect((await get(body.id)).rollout).toMatchObject({ state: 'running', current_percentage: 100 });
});

test('[rollout.create] a tenant can move only its own traffic, and agents cannot move any', async () => {
  const { status, body } = await create({}, keys.human);
  expect([status, body.tenant]).toEqual([201, 'default']);
  expect((await create({}, keys.agent)).status).toBe(403);
  expect((await create({}, keys.viewer)).status).toBe(403);
  const global = (await create()).body;
  const refused = await act(global.id, 'rollback', keys.human);
  expect([refused.status, refused.body.error.type]).toEqual([403, 'forbidden']);
});

describe('[rollout.states] the clock of a rollout', () => {
  const handler = () => createSweep(gateway.ports);

  test('starts with the rollout; if the clock fails to start, the rollout is still created', async () => {
    const started: string[] = [];
    const made = caller({ ...gateway.ports, rolloutClock: { start: async (id) => void started.push(id) } });
    const broken = caller({ ...gateway.ports, rolloutClock: { start: () => Promise.reject(new Error('away')) } });
    const body = (name: string) => ({
      route_model: name,
      canary_provider: 'new',
      stages: [100],
      observation_window: '5m',
    });
    const one = await made('POST', '/admin/v1/rollouts', { key: admin, body: body('gpt-clock-1') });
    const other = await broken('POST', '/admin/v1/rollouts', { key: admin, body: body('gpt-clock-2') });
    expect([one.status, started, other.status]).toEqual([201, [one.body.id], 201]);
  });

  test.each([
    ['5m', 10],
    ['10s', 5],
    ['168h', 3600],
  ])(
    'checks thirty times within a window of %s, at most every 5 s and at least every hour: every %i s',
    async (window, seconds) => {
      const { body } = await create({ observation_window: window });
      expect(await handler()({ rollout_id: body.id })).toEqual({ seconds });
      expect(await handler()({ rollout_id: body.id })).toEqual({ seconds });
    },
  );

  test('advances the rollout based on its data and ends with it', async () => {
    const { body } = await create({ observation_window: '10s' });
    noticed();
    const names = Array.from({ length: 25 }, (_, n) => `clocked-${n}`);
    await Promise.all(names.map((name) => chat(body.route_model, name)));
    await project(...names);
    gateway.pass(60);
    expect(await handler()({ rollout_id: body.id })).toEqual({ seconds: 0 });
    expect((await get(body.id)).rollout.state).toBe('completed');
    expect(await handler()({ rollout_id: '0199f0a0-0000-7000-8000-000000000000' })).toEqual({ seconds: 0 });
  });

  test('keeps running while the rollout is paused', async () => {
    const { body } = await create();
    await act(body.id, 'pause');
    expect(await handler()({ rollout_id: body.id })).toEqual({ seconds: 10 });
  });
});
