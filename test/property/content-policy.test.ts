/** Streams compared with whole text: however the text is split, the filters see the same text. */
import fc from 'fast-check';
import { RE2JS } from 're2js';
import * as z from 'zod';
import type { ContentFilter } from '#core/contracts/config.ts';
import { compileContentPolicy } from '#core/models/content-policy/compile.ts';
import { newWalk, PartialMatches, type PatternMatch } from '#core/models/content-policy/partial-match.ts';
import { patternSet, regexProblem } from '#core/models/content-policy/pattern-set.ts';
import { pieces, readingOf, withoutCase, writtenRange } from '#core/models/content-policy/reading.ts';
import { foldText } from '#core/text/fold/visible.ts';
import { codePoint } from '../support/code-point.ts';
import { cutAt, policyOf, streamed, whole } from '../support/content-policy.ts';
import { runs } from '../support/extent.ts';
import { readCases, texts } from '../support/yaml.ts';

const { shards } = readCases('test/property/content-policy.yaml', z.strictObject({ shards: texts }));

const shard = fc.constantFrom(...shards, '\ud83d');
const text = fc.array(shard, { maxLength: 24 }).map((shards) => shards.join(''));
const cuts = fc.array(fc.nat(80), { maxLength: 12 });

const entities = ['email', 'ssn', 'credit_card', 'phone', 'iban', 'ip', 'api_key'] as const;
const redacting: ContentFilter[] = [{ name: 'pii', type: 'pii', action: 'redact', entities: [...entities] }];

test('[chat.input-policy] redaction of a stream equals redaction of the whole text, wherever it is split', async () => {
  const policy = policyOf({ output: redacting });
  await fc.assert(
    fc.asyncProperty(text, cuts, async (written, where) => {
      const stream = streamed(policy, cutAt(written, where));
      const once = await whole(policy, written);
      expect(stream.released).toBe(once.text);
      expect(stream.verdict).toEqual(once.verdict);
    }),
    { numRuns: runs(4000, 800) },
  );
});

test('[chat.input-policy] redacts each kind of personal data in a character-by-character stream as in the whole text', async () => {
  for (const entity of entities) {
    const policy = policyOf({ output: [{ name: 'pii', type: 'pii', action: 'redact', entities: [entity] }] });
    await fc.assert(
      fc.asyncProperty(text, async (written) => {
        const stream = streamed(policy, written.split(''));
        expect(stream.released).toBe((await whole(policy, written)).text);
      }),
      { numRuns: runs(500, 100) },
    );
  }
});

const phrase = fc.array(fc.constantFrom('a', 'b', 'ab', ' ', '  ', '\n', 'é', 'А', '\u200b', 'ß'), {
  minLength: 1,
  maxLength: 4,
});
const running = fc
  .array(fc.constantFrom('a', 'b', 'A', ' ', '\n', 'é', 'e\u0301', '\u0301', 'а', '\u200b', 'ß', 'ẞ', '𝐚', 'ab'), {
    maxLength: 16,
  })
  .map((parts) => parts.join(''));

test('[chat.input-policy] finds keywords in streams as in the whole text, and keeps clean text complete', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(phrase, { minLength: 1, maxLength: 3 }),
      running,
      cuts,
      async (phrases, written, where) => {
        const keywords = phrases
          .map((parts) => parts.join(''))
          .filter((keyword) => readingOf(keyword).text.trim() !== '');
        fc.pre(keywords.length > 0);
        const policy = policyOf({ output: [{ name: 'words', type: 'keyword', action: 'block', keywords }] });
        const stream = streamed(policy, cutAt(written, where));
        const once = await whole(policy, written);
        expect(stream.verdict.decision).toBe(once.verdict.decision);
        if (once.verdict.decision === 'allow') expect(stream.released).toBe(written);
      },
    ),
    { numRuns: runs(3000, 600) },
  );
});

const atom = fc.constantFrom(
  'a',
  'b',
  '[ab]',
  '[^a]',
  '.',
  '\\w',
  '\\s',
  '\\d',
  '\\b',
  '\\B',
  '^',
  '$',
  '(?i)A',
  'é',
  '\\pL',
  '\\n',
);
const regex: fc.Arbitrary<string> = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4 },
    atom,
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => a + b),
    fc.tuple(tie('pattern'), tie('pattern')).map(([a, b]) => `(?:${a}|${b})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '*?'))
      .map(([a, times]) => `(?:${a})${times}`),
    fc.tuple(tie('pattern'), fc.constantFrom('(?i:', '(?m:', '(?s:', '(')).map(([a, open]) => `${open}${a})`),
  ),
})).pattern;

test('the pattern matcher finds a match exactly when re2js does', () => {
  fc.assert(
    fc.property(regex, running, (pattern, written) => {
      fc.pre(regexProblem(pattern) === undefined);
      const set = patternSet([pattern]);
      const matches = new PartialMatches(set.program, [true], 256);
      const walk = newWalk();
      const hits: PatternMatch[] = [];
      let at = 0;
      for (const char of written) matches.step(walk, char.codePointAt(0)!, at++, hits);
      matches.finish(walk, hits);
      expect(hits.length > 0).toBe(set.matching(written).length > 0);
    }),
    { numRuns: runs(5000, 1000) },
  );
});

test('[chat.input-policy] finds patterns in streams as in the whole text, and sends no match, not even part of one', async () => {
  await fc.assert(
    fc.asyncProperty(regex, running, cuts, async (pattern, written, where) => {
      fc.pre(regexProblem(pattern) === undefined);
      const policy = policyOf({ output: [{ name: 'pattern', type: 'regex', action: 'block', patterns: [pattern] }] });
      const stream = streamed(policy, cutAt(written, where));
      const once = await whole(policy, written);
      expect(stream.verdict.decision).toBe(once.verdict.decision);
      if (once.verdict.decision === 'allow') expect(stream.released).toBe(written);
      else expect(stream.released.length).toBeLessThanOrEqual(firstMatch(pattern, written));
    }),
    { numRuns: runs(3000, 600) },
  );
});

/** Returns the start of the first match, in the folded or the original text. */
function firstMatch(pattern: string, written: string): number {
  const reading = readingOf(written);
  const start = (text: string): number => {
    const matcher = RE2JS.compile(pattern).matcher(text);
    return matcher.find() ? matcher.start() : Infinity;
  };
  const asRead = start(reading.text);
  if (!reading.at || asRead === Infinity) return Math.min(start(written), asRead);
  // A mark that does not compose is separate: the letter before it is not part of the match.
  const isMark = asRead > 0 && reading.at[asRead - 1] === reading.at[asRead];
  return Math.min(start(written), isMark ? writtenRange(reading, asRead, asRead + 1)[1] : reading.at[asRead]!);
}

test('folding letter by letter equals folding the whole text, and every letter keeps its original position', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(shard, fc.string({ unit: codePoint, maxLength: 3 })), { maxLength: 12 }),
      (shards) => {
        const written = shards.join('');
        const reading = readingOf(written);
        expect(reading.text).toBe(foldText(written));
        expect([...pieces(written)].map(([piece]) => piece).join('')).toBe(written);
        expect([...pieces(written)].map(([piece]) => withoutCase(foldText(piece))).join('')).toBe(
          withoutCase(reading.text),
        );
        if (reading.at) expect(reading.at.length).toBe(reading.text.length + 1);
      },
    ),
    { numRuns: runs(3000, 600) },
  );
});

test('any configured pattern compiles into a policy without throwing', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 12 }), (pattern) => {
      const policies = {
        governance_mode: 'governance',
        break_glass: false,
        output: [],
        input: [{ name: 'r', type: 'regex', action: 'block', patterns: [pattern] }],
      };
      compileContentPolicy({ policies, transform: {} } as never, undefined, {
        wasm: { check: async () => ({ flagged: false }) },
        texts: undefined,
      });
    }),
  );
});
