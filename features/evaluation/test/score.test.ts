/** Parsing of an evaluator's response. */
import { scoreOf } from '../score.ts';

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
  ])('%s is refused, naming the invalid member', (text, member) => {
    expect(() => scoreOf(text)).toThrow(`wrong ${member}`);
  });
});
