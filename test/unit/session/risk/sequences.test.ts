/**
 * The six rules on sequences of calls: sequences that trigger the kill switch, sequences that are reported, and
 * ordinary work.
 */
import * as z from 'zod';
import type { EffectReader } from '#core/effects/ports.ts';
import { readCases } from '../../../support/yaml.ts';
import { play, readers, stepsOf } from './play.ts';

const { harmful, harmless } = readCases(
  'test/unit/session/risk/sequences.yaml',
  z.strictObject({
    harmful: z.array(z.tuple([z.string(), z.array(z.string()), z.array(z.string())], z.boolean())).min(45),
    harmless: z.array(z.tuple([z.string(), z.array(z.string())], z.number())).min(40),
  }),
);

let effectsOf: EffectReader;
beforeAll(async () => {
  effectsOf = await readers();
});

test.each(harmful)('[behavior.rules] is reported: %s', async (_name, steps, rules, stopped = false) => {
  const played = await play(effectsOf, stepsOf(steps));
  expect(played.rules).toEqual(expect.arrayContaining(rules));
  expect(played.refused.length > 0).toBe(stopped);
});

test.each(harmless)(
  '[behavior.rules] ordinary work stays far below the kill switch: %s',
  async (_name, steps, most = 0) => {
    const { refused, highest } = await play(effectsOf, stepsOf(steps));
    expect(refused).toEqual([]);
    expect(highest).toBeLessThanOrEqual(most);
  },
);
