/**
 * Actions whose function is killed at each point: the upstream is called at most once per request, and every allow gets
 * an outcome.
 */
import assert from 'node:assert/strict';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import { type Stop, storeGate } from './store-gate.ts';
import { restEvent, type World } from './world.ts';

const route = 'POST /admin/v1/test-action';
const post = (session: string, path = 'notes') => ({
  caller: 'agent' as const,
  headers: { 'idempotency-key': `key-of-${session}` },
  body: {
    protocol: 'http',
    tool: 'http.post',
    target: `notes/${path}`,
    capability: 'write',
    parameters: { json: { session } },
    actor: { agent: 'runtime', session },
  },
});

interface Point {
  readonly says: string;
  readonly stop?: Stop;
  /** Number of calls that the upstream received before the function is killed. */
  readonly called: number;
  /** The response to the repeated request before the sweep, and the outcome after it. */
  readonly repeated: 200 | 409;
  readonly outcome: 'executed' | 'unknown';
}

const unsure = { repeated: 409, outcome: 'unknown' } as const;
const done = { repeated: 200, outcome: 'executed' } as const;
const points: readonly Point[] = [
  { says: 'before the allow entry', stop: { kind: 'allow', when: 'before' }, called: 0, ...done },
  { says: 'after the allow entry, before the call', stop: { kind: 'allow', when: 'after' }, called: 0, ...unsure },
  { says: 'during the call', called: 1, ...unsure },
  { says: 'after the answer, before the result entry', stop: { kind: 'result', when: 'before' }, called: 1, ...unsure },
  { says: 'after the result entry, before the answer', stop: { kind: 'result', when: 'after' }, called: 1, ...done },
];

export function killedChecks(world: World): Check[] {
  const callsOf = (session: string) => world.upstream.calls.filter((body) => body.includes(`"${session}"`)).length;
  const outcomes = async (session: string): Promise<[string, string | undefined][]> => {
    const { body } = await world.call('evidence', `GET /admin/v1/audit?session=${session}`, { caller: 'human' });
    return body.entries.map(({ kind, body: said }: Loose) => [kind, said.outcome]).reverse();
  };

  const killedAt = (point: Point, index: number) =>
    check(`test-action killed ${point.says}: at most one call, and the allow gets its end`, async () => {
      const session = `killed-${index}`;
      const call = point.stop ? post(session) : post(session, 'hang');
      const gate = await storeGate(world.store, point.stop);
      const doomed = await world.anotherLambda('test-action', { AWS_ENDPOINT_URL_DYNAMODB: gate.url });
      try {
        const cut = doomed.invoke(restEvent(route, call)).then(
          () => assert.fail('it answered'),
          () => undefined,
        );
        await Promise.race([point.stop ? gate.stopped : world.upstream.hanging(), cut]);
        assert.equal(callsOf(session), point.called);
        await doomed.kill();
        await cut;
      } finally {
        await doomed.stop();
        await gate.close();
      }

      const again = await world.call('test-action', route, call);
      assert.equal(again.status, point.repeated, again.text);
      await world.passDueTimes();
      await (await world.lambda('sweep')).invoke({});
      const told = await world.call('test-action', route, call);
      assert.equal(told.status, 200, told.text);
      assert.equal(told.body.replayed, true, told.text);
      assert.equal(told.body.error?.data.outcome ?? 'executed', point.outcome);
      assert.ok(callsOf(session) <= 1, `the upstream was called ${callsOf(session)} times`);
      assert.deepEqual(await outcomes(session), [
        ['allow', undefined],
        ['result', point.outcome],
      ]);
    });

  return [
    ...points.map(killedAt),
    check(
      'an action that would outlast its function is ended early with an unknown outcome, and the caller is informed',
      async () => {
        await world.call('test-action', route, post('warm'));
        const late = await world.call('test-action', route, { ...post('late', 'hang'), remainingMs: 8_000 });
        assert.equal(late.status, 200, late.text);
        assert.equal(late.body.error.data.outcome, 'unknown', late.text);
        assert.deepEqual(await outcomes('late'), [
          ['allow', undefined],
          ['result', 'unknown'],
        ]);
        assert.equal(callsOf('late'), 1);
      },
    ),
  ];
}
