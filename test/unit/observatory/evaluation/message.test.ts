/** What an evaluator is told, and how its answer is read. */
import fc from 'fast-check';
import { excerptOf, isSampled } from '#core/observatory/evaluation/message.ts';
import { scoreOf } from '#core/observatory/evaluation/score.ts';

describe('[evaluation.webhook] an excerpt', () => {
  test('is cut between code points, never within one', () => {
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

  test('contains no secret, also not the half of one that is cut', () => {
    const key = `ghp_${'a1B2'.repeat(9)}`;
    expect(excerptOf(`token ${key} end`, 100).text).toBe('token [redacted] end');
    expect(excerptOf(`${'x'.repeat(90)} ${key}`, 100).text).not.toContain('ghp_a');
    expect(excerptOf('password: hunter2-hunter2', 100).text).not.toContain('hunter2');
  });

  test('of a much longer text is marked as cut', () => {
    expect(excerptOf('word '.repeat(100_000), 10)).toEqual({ text: 'word word ', truncated: true });
  });
});

test('[evaluation.webhook] the share of sampled calls is the rate, and a call is always judged the same', () => {
  const ids = Array.from({ length: 20_000 }, (_, n) => `envelope-${n}`);
  for (const rate of [0, 0.01, 0.25, 1]) {
    const share = ids.filter((id) => isSampled(id, rate)).length / ids.length;
    expect(Math.abs(share - rate)).toBeLessThan(0.02);
  }
  const some = ids.filter((id) => isSampled(id, 0.1));
  expect(some.every((id) => isSampled(id, 0.2))).toBe(true);
});

describe('[evaluation.webhook] a reply', () => {
  test.each<[string, object]>([
    [
      '{"score":0.5,"labels":["helpful"],"feedback":"fine","other":1}',
      { score: 0.5, labels: ['helpful'], feedback: 'fine' },
    ],
    ['{"score":-3}', { score: -3 }],
    ['{"feedback":"see password=abcdef123456"}', { feedback: 'see password=[redacted]' }],
  ])('%s is read', (text, expected) => {
    expect(scoreOf(text)).toEqual(expected);
  });

  test.each(['', 'ok', '[]', '{}', 'null', '"x"', '{"labels":[]}'])('%j has no score', (text) => {
    expect(scoreOf(text)).toBeUndefined();
  });

  test.each([
    ['{"score":"high"}', 'score'],
    ['{"score":1e9}', 'score'],
    ['{"labels":"good"}', 'labels'],
    [`{"labels":["${'x'.repeat(65)}"]}`, 'labels'],
    ['{"feedback":{}}', 'feedback'],
  ])('%s is refused with the member that is wrong', (text, member) => {
    expect(() => scoreOf(text)).toThrow(`wrong ${member}`);
  });
});
