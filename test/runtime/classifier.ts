/**
 * The tool guard's classifier in the functions that call servers: a module from the object store in the bundle's
 * threads, or a model over HTTP. Text that it flags or could not check is withheld.
 */
import assert from 'node:assert/strict';
import type { FunctionName } from '#core/contracts/functions.ts';
import { functions } from '#features/functions.ts';
import { type Check, check } from '../support/checks.ts';
import { say } from '../support/fake-providers.ts';
import { attack, byModel, byModule, digest, harmless, inScene, type Scene } from './classifier-scene.ts';
import { judgeKey, type World } from './world.ts';

const calling = ['mcp', 'test-action', 'approval-steps'] as const satisfies readonly FunctionName[];

export function classifierChecks(world: World): Check[] {
  const each = (
    says: string,
    classifier: object,
    prove: (name: (typeof calling)[number], scene: Scene) => Promise<void>,
  ) =>
    calling.map((name) => check(`${says}: ${name}`, () => inScene(world, classifier, (scene) => prove(name, scene))));

  return [
    ...each(
      '[guard.classifier] the module of a filter looks at results, within the memory',
      byModule,
      async (name, scene) => {
        const session = `module-${name}`;
        assert.equal(await scene.repeat(name, harmless, session), harmless);
        assert.equal(await scene.repeat(name, attack, session), undefined);
        const module = { classifier: 'wasm:injections', version: digest };
        assert.deepEqual(await scene.looks(session), [
          { ...module, score: 0, flagged: false },
          { ...module, score: 1, flagged: true },
        ]);
        const long = 'A line about the weather. '.repeat(2_400);
        for (let time = 0; time < 5; time++) assert.equal(await scene.repeat(name, long, session), long);
        const used = (await scene.lambda(name)).peakMemoryMb();
        const { memoryMb } = functions[name];
        console.log(`  ${name} held ${Math.round(used)} of ${memoryMb} MB`);
        assert.ok(used < (memoryMb * 2) / 3, `it held ${Math.round(used)} of ${memoryMb} MB`);
      },
    ),
    ...each(
      '[guard.classifier] a configured model looks at results, and its call is paid for',
      byModel,
      async (name, scene) => {
        const session = `model-${name}`;
        assert.equal(await scene.repeat(name, harmless, session), harmless);
        assert.equal(world.judge.requests[0]?.headers.authorization, `Bearer ${judgeKey}`);
        world.judge.answers(say('{"injection": 0.9}'));
        assert.equal(await scene.repeat(name, harmless, session), undefined);
        const [first, second] = await scene.looks(session);
        for (const look of [first, second]) {
          assert.equal(look.classifier, 'model:judge-1');
          assert.equal(look.provider, 'judge');
          assert.ok(look.cost_microusd > 0, JSON.stringify(look));
        }
        assert.deepEqual([first.flagged, second.flagged], [false, true]);
      },
    ),
  ];
}
