/** Calls cancelled from another environment. */
import assert from 'node:assert/strict';
import { type Check, check } from '../support/checks.ts';
import type { Loose } from '../support/loose.ts';
import type { World } from './world.ts';

const agent = { caller: 'agent' } as const;

export function cancellationChecks(world: World): Check[] {
  return [
    check(
      'an action run by one function can be cancelled through another, and evidence records who cancelled it',
      async () => {
        const session = 'cancelled-elsewhere';
        const called = world.upstream.hanging();
        const body = {
          protocol: 'http',
          tool: 'http.post',
          target: 'notes/hang',
          capability: 'write',
          parameters: { json: {} },
          actor: { agent: 'runtime', session },
        };
        const running = world.call('test-action', 'POST /admin/v1/test-action', { ...agent, body });
        await called;
        const [allowed] = await entriesOf(session);
        const cancel = `POST /v1/requests/${allowed!.envelope_id}/cancel`;
        assert.equal((await world.call('models', cancel, { caller: 'human' })).status, 404);
        const cancelled = await world.call('models', cancel, agent);
        assert.equal(cancelled.status, 202, cancelled.text);
        assert.equal((await running).body.error.data.outcome, 'unknown');
        const result = (await entriesOf(session)).find(({ kind }) => kind === 'result')!;
        assert.equal(result.body.aborted_by, result.actor.key_id);
      },
    ),
  ];

  async function entriesOf(session: string): Promise<Loose[]> {
    const { body, text } = await world.call('evidence', `GET /admin/v1/audit?session=${session}`, { caller: 'human' });
    assert.ok(body.entries, text);
    return body.entries;
  }
}
