/** The message sent to an evaluator. */
import fc from 'fast-check';
import { excerptOf, isSampled } from '../excerpt.ts';

describe('[evaluation.webhook] an excerpt', () => {
  test('is truncated between code points, never within one', () => {
    expect(excerptOf('a😀b😀c', 4)).toEqual({ text: 'a😀b😀', truncated: true });
    expect(excerptOf('a😀b', 3)).toEqual({ text: 'a😀b', truncated: false });
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 50 }), (text, most) => {
        const cut = excerptOf(text, most);
        expect(cut.text.isWellFormed()).toBe(true);
        expect([...cut.text].length).toBeLessThanOrEqual(most);
        expect(cut.truncated).toBe([...text].length > most);
      }),
    );
  });

  test('contains no secret, not even part of a truncated one', () => {
    const key = `ghp_${'a1B2'.repeat(9)}`;
    expect(excerptOf(`token ${key} end`, 100).text).toBe('token [redacted] end');
    expect(excerptOf(`${'x'.repeat(90)} ${key}`, 100).text).not.toContain('ghp_a');
    expect(excerptOf('password: hunter2-hunter2', 100).text).not.toContain('hunter2');
  });

  test('is marked as truncated if the text is much longer', () => {
    expect(excerptOf('word '.repeat(100_000), 10)).toEqual({ text: 'word word ', truncated: true });
  });
});

test('[evaluation.webhook] the share of sampled calls matches the rate, and the decision for a given call is always the same', () => {
  const ids = Array.from({ length: 20_000 }, (_, n) => `envelope-${n}`);
  for (const rate of [0, 0.01, 0.25, 1]) {
    const share = ids.filter((id) => isSampled(id, rate)).length / ids.length;
    expect(Math.abs(share - rate)).toBeLessThan(0.02);
  }
  const some = ids.filter((id) => isSampled(id, 0.1));
  expect(some.every((id) => isSampled(id, 0.2))).toBe(true);
});
