/** Interruptions of a function: freezing, timeout, lost stream reader, lost store. */
import assert from 'node:assert/strict';
import { type Check, check } from '../support/checks.ts';
import { asCaller } from './front.ts';
import { restEvent, type World } from './world.ts';

const route = 'POST /v1/chat/completions';
const ask = (model: string, stream: boolean, session: string) => ({
  caller: 'agent' as const,
  headers: { 'x-session-id': session },
  body: { model, stream, max_tokens: 50, messages: [{ role: 'user', content: 'hello' }] },
});

export function interruptionChecks(world: World): Check[] {
  const entries = async (session: string) => {
    const { text } = await world.call('evidence', `GET /admin/v1/audit?session=${session}`, { caller: 'human' });
    return text;
  };
  return [
    check(
      'a function frozen after startup and between calls still responds, although its connections were closed',
      async () => {
        const fresh = await world.anotherLambda('chat-completions');
        try {
          for (const round of [1, 2, 3]) {
            fresh.freeze();
            world.aws.dropConnections();
            fresh.thaw();
            const answer = asCaller(await fresh.invoke(restEvent(route, ask('mock', false, `frozen-${round}`))));
            assert.equal(answer.status, 200, answer.text);
          }
        } finally {
          await fresh.stop();
        }
      },
    ),
    check('a stream that runs out of time ends and releases the provider, and the next call succeeds', async () => {
      const closed = world.provider.nextClosedStream();
      const cut = await world.call('chat-completions', route, {
        ...ask('endless', true, 'out-of-time'),
        remainingMs: 12_000,
      });
      assert.equal(cut.status, 200);
      assert.ok(cut.text.includes('more words'), cut.text.slice(0, 200));
      await closed;
      assert.match(await entries('out-of-time'), /"aborted"/);
      const next = await world.call('chat-completions', route, ask('mock', false, 'out-of-time'));
      assert.equal(next.status, 200, next.text);
    }),
    check(
      'a stream whose reader disconnects releases the provider; the runtime ends that environment, and another one responds',
      async () => {
        const closed = world.provider.nextClosedStream();
        const lost = await world.anotherLambda('chat-completions');
        try {
          const event = restEvent(route, ask('endless', true, 'reader-gone'));
          const cut = asCaller(await lost.invoke(event, { cutAfterBytes: 5_000 }));
          assert.equal(cut.status, 200);
          await lost.gone;
        } finally {
          await lost.stop();
        }
        const next = await world.call('chat-completions', route, ask('mock', false, 'reader-gone'));
        assert.equal(next.status, 200, next.text);
        await closed;
      },
    ),
  ];
}
