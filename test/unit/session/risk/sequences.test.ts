/** The six rules on sequences of real calls: what must reach the kill switch, what must be reported, and what is only work. */
import type { EffectReader } from '#core/effects/ports.ts';
import { play, readers } from './play.ts';
import { harmful, harmless } from './sequences.ts';

let effectsOf: EffectReader;
beforeAll(async () => {
  effectsOf = await readers();
});
describe('[behavior.rules] what must be reported', () => {
  test.each(harmful)('%s', async (_name, steps, rules, stopped) => {
    const played = await play(effectsOf, steps);
    expect(played.rules).toEqual(expect.arrayContaining([...rules]));
    expect(played.refused.length > 0).toBe(stopped);
  });
});
describe('[behavior.rules] [behavior.false-positives] what is only work stays far below the kill switch', () => {
  test.each(harmless.map(([name, steps, most = 0]) => [name, steps, most] as const))(
    '%s',
    async (_name, steps, most) => {
      const { refused, highest } = await play(effectsOf, steps);
      expect(refused).toEqual([]);
      expect(highest).toBeLessThanOrEqual(most);
    },
  );
});
test('the tables hold at least sixty sequences', () => {
  expect(harmful.length + harmless.length).toBeGreaterThanOrEqual(60);
});
