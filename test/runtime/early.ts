/** Work of a function while it loads (composition, configuration) and after a failure or pause. */
import assert from 'node:assert/strict';
import type { FunctionName } from '#core/contracts/functions.ts';
import { type Check, check } from '../support/checks.ts';
import { asCaller } from './front.ts';
import type { Lambda } from './lambda.ts';
import { type StoreGate, storeGate } from './store-gate.ts';
import { restEvent, type World } from './world.ts';

const chat = restEvent('POST /v1/chat/completions', {
  caller: 'agent',
  headers: { 'x-session-id': 'early' },
  body: { model: 'mock', max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] },
});
const models = restEvent('GET /v1/models', { caller: 'agent' });

export function earlyChecks(world: World): Check[] {
  const fresh = async (name: FunctionName, prove: (lambda: Lambda, gate: StoreGate) => Promise<void>, down = false) => {
    const gate = await storeGate(world.store, undefined);
    gate.refuses(down);
    const lambda = await world.anotherLambda(name, { AWS_ENDPOINT_URL_DYNAMODB: gate.url });
    try {
      await lambda.loaded;
      await prove(lambda, gate);
    } finally {
      await lambda.stop();
      await gate.close();
    }
  };
  const answers = async (lambda: Lambda, event: object) => {
    const { status, text } = asCaller(await lambda.invoke(event));
    assert.equal(status, 200, text);
  };

  return [
    check('a function reads the configuration before its first call, whether streamed or buffered', async () => {
      for (const [name, event] of [
        ['chat-completions', chat],
        ['models', models],
      ] as const)
        await fresh(name, async (lambda, gate) => {
          assert.equal(gate.calls.length, 1, gate.calls.join());
          await answers(lambda, event);
        });
    }),
    check(
      'a function started without its store refuses a call, and handles the next one once the store is available',
      () =>
        fresh(
          'messages',
          async (lambda, gate) => {
            const event = restEvent('POST /v1/messages', {
              caller: 'agent',
              body: { model: 'mock', max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] },
            });
            assert.equal(asCaller(await lambda.invoke(event)).status, 503);
            gate.refuses(false);
            await answers(lambda, event);
          },
          true,
        ),
    ),
  ];
}
