/**
 * Functions have enough memory for the largest calls: bodies near Lambda's 6 MB limit, complete and streamed, one after
 * the other.
 */
import assert from 'node:assert/strict';
import type { FunctionName } from '#core/contracts/functions.ts';
import { functions } from '#features/functions.ts';
import { type Check, check } from '../support/checks.ts';
import type { World } from './world.ts';

/** Characters in a body, which stays below 6 MB in JSON and base64. */
const largest = 4_000_000;
const routes = { 'chat-completions': 'POST /v1/chat/completions', messages: 'POST /v1/messages' } as const;

export function memoryChecks(world: World): Check[] {
  return (Object.keys(routes) as (keyof typeof routes)[]).map((name) =>
    check(`${name} answers the largest bodies within two thirds of its memory`, async () => {
      const lambda = await world.lambda(name satisfies FunctionName);
      for (const stream of [false, true, false])
        for (const word of ['many words and ', '4111 1111 ', 'é\u0301\u200b', '[1,2],']) {
          const content = word.repeat(largest / Buffer.byteLength(word));
          const body = { model: 'mock', max_tokens: 50, stream, messages: [{ role: 'user', content }] };
          const { status, text } = await world.call(name, routes[name], { caller: 'agent', body });
          assert.ok([200, 403, 413, 503].includes(status), `${status} ${text.slice(0, 300)}`);
        }
      const used = lambda.peakMemoryMb();
      const { memoryMb } = functions[name];
      console.log(`  ${name} held ${Math.round(used)} of ${memoryMb} MB`);
      assert.ok(used < (memoryMb * 2) / 3, `it held ${Math.round(used)} of ${memoryMb} MB`);
    }),
  );
}
