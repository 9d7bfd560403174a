/** Streamed text: blocked text is never sent, however it is chunked, and other text is sent as soon as possible. */

import * as z from 'zod';
import type { ContentFilter } from '#core/contracts/config.ts';
import type { WasmRunner } from '#core/models/content-policy/ports.ts';
import { context, cutAt, policyOf, streamed, whole } from '../../../support/content-policy.ts';
import { casesOf, runs } from '../../../support/extent.ts';
import { readCases } from '../../../support/yaml.ts';

const anObject = z.record(z.string(), z.unknown());
const { blocked } = readCases(
  'test/unit/models/content-policy/streams.yaml',
  z.strictObject({
    blocked: z.array(z.tuple([anObject, z.string(), z.string(), z.string()])),
  }),
);

const block = { name: 'no', action: 'block' } as const;
const words = (...keywords: string[]): ContentFilter => ({ ...block, type: 'keyword', keywords });
const patterns = (...list: string[]): ContentFilter => ({ ...block, type: 'regex', patterns: list });
/** Yields the text whole, one character at a time, and with every split into two and three pieces. */
function* allCuts(text: string): Iterable<string[]> {
  yield [text];
  yield text.split('');
  yield* casesOf(cutsInPieces(text), 11);
}

function* cutsInPieces(text: string): Iterable<string[]> {
  for (let first = 1; first < text.length; first++) {
    yield cutAt(text, [first]);
    for (let second = first + 1; second < text.length; second++) yield cutAt(text, [first, second]);
  }
}

test.each(blocked)(
  '[chat.input-policy] a match is never sent, however the text is split: %j',
  (filter, before, match, after) => {
    const policy = policyOf({ output: [{ ...block, ...filter } as ContentFilter] });
    const text = before + match + after;
    for (const cut of allCuts(text)) {
      const { released, verdict } = streamed(policy, cut);
      expect(verdict).toMatchObject({ decision: 'block', matched_rule: 'content:no' });
      if (!before.startsWith(released)) throw new Error(`${JSON.stringify(released)} left of ${JSON.stringify(cut)}`);
    }
  },
);

const clean = [
  'Hello world, this is an ordinary sentence. It ignores previous advice.',
  'naïve café — e\u0301te\u0301, 日本語のテキスト 😀👍🏽 ok\r\n\ttabs',
  'AKIA 0123, CONF-12, 415-555, 1.2.3, a@b and 2024-01-15 10:30',
  'lone \ud83d surrogate, İstanbul ﬁn ẞ \u200b\u200d \u0301',
];
const all: ContentFilter[] = [
  words('ignore previous instructions', 'café noir'),
  patterns('AKIA[0-9A-Z]{16}', '\\bCONF-\\d{4}\\b', 'x{300}'),
  {
    name: 'pii',
    type: 'pii',
    action: 'redact',
    entities: ['email', 'ssn', 'credit_card', 'phone', 'iban', 'ip', 'api_key'],
  },
];

test.each(clean)('[chat.input-policy] clean text is sent unchanged, however it is split: %j', (text) => {
  const policy = policyOf({ output: all });
  for (const cut of allCuts(text))
    expect(streamed(policy, cut)).toEqual({ released: text, verdict: { decision: 'allow', findings: [] } });
});

test.each([
  'Mail ann@example.com, call +49 30 1234567.',
  'pay 4111 1111 1111 1111 to DE89 3704 0044 0532 0130 00',
  'from 10.0.0.1 token=abc\u200bdef. x 078-05-1120',
  '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\nbye',
])('[chat.input-policy] text split into pieces is redacted just like the whole text: %j', async (text) => {
  const policy = policyOf({ output: all });
  const once = await whole(policy, text);
  expect(once.text).toContain('[REDACTED:');
  for (const cut of allCuts(text))
    expect(streamed(policy, cut)).toEqual({ released: once.text, verdict: once.verdict });
});

describe('only the longest partial match is held back', () => {
  const pieces = (output: ContentFilter[], ...texts: string[]) => {
    const scan = policyOf({ output }).streamOutput(context);
    return [...texts.map((text) => scan.push('0', text)), scan.end('0')];
  };

  test('[chat.input-policy] a word is sent once the space after it arrives, and a number once the next word arrives', () => {
    const output = pieces(all, 'Hel', 'lo', ' wor', 'ld', '. ', 'In 2024 ', 'we');
    expect(output).toEqual(['', '', 'Hello ', '', 'world. ', 'In ', '2024 ', 'we']);
  });

  test('[chat.input-policy] keyword filters hold back only text that could start a keyword', () => {
    expect(pieces([words('secret plan')], 'a sec', 'ond', ' secret', ' plane')).toEqual(['a ', 'second', ' ', '', '']);
    expect(pieces([words('secret plan')], 'a secret', ' play', ' on')).toEqual(['a ', 'secret play', ' on', '']);
  });

  test('[chat.input-policy] pattern filters hold back only text that could be part of a match', () => {
    expect(pieces([patterns('AKIA[0-9A-Z]{16}')], 'A', 'K', 'I', 'x', 'AKIA01', ' z')).toEqual([
      '',
      '',
      '',
      'AKIx',
      '',
      'AKIA01 z',
      '',
    ]);
    expect(pieces([patterns('\\bfoo\\b')], 'foo', 'd ', 'x')).toEqual(['', 'food ', 'x', '']);
  });

  test('an unbounded pattern holds back at most 256 characters and still matches', () => {
    const scan = policyOf({ output: [patterns('(?s)begin.*end')] }).streamOutput(context);
    expect(scan.push('0', 'a begin')).toBe('a ');
    const released = scan.push('0', 'x'.repeat(1000)) as string;
    expect(released).toHaveLength('begin'.length + 1000 - 256);
    expect(scan.push('0', 'en')).toHaveLength(2);
    // The last letter might still get a combining mark; the next character, or the end, decides.
    expect(scan.push('0', 'd')).toBe('');
    expect(scan.end('0')).toBe('');
    expect(scan.verdict().decision).toBe('block');
  });

  test('a long word, a long run of combining marks and invisible characters are eventually sent', () => {
    const policy = policyOf({ output: all });
    for (const text of [
      'w'.repeat(runs(5000, 1000)),
      `x${'\u0301'.repeat(runs(3000, 600))}`,
      `AK${'\u200b'.repeat(runs(60_000, 12_000))}b`,
      '1'.repeat(runs(3000, 600)),
      'eyJ'.repeat(runs(5000, 1000)),
    ]) {
      const { released, verdict } = streamed(policy, text.match(/.{1,7}/gsu)!);
      expect(released === text && verdict.decision).toBe('allow');
    }
  });

  test('filters that only warn or log still match but do not hold back text', () => {
    const scan = policyOf({
      output: [
        { name: 'w', type: 'keyword', action: 'warn', keywords: ['ignore previous'] },
        { name: 'r', type: 'regex', action: 'log', patterns: ['foo+ bar'] },
        { name: 'p', type: 'pii', action: 'warn', entities: ['email', 'api_key'] },
      ],
    }).streamOutput(context);
    const texts = ['ignore', ' prev', 'ious fo', 'oo bar, ', 'bob@exam', 'ple.com token=ab', 'c '];
    expect(texts.map((text) => scan.push('0', text))).toEqual(texts);
    expect(scan.end('0')).toBe('');
    expect(scan.verdict().findings.map(({ policy, count }) => [policy, count])).toEqual([
      ['w', 1],
      ['r', 1],
      ['p', 2],
    ]);
  });
});

test('[chat.input-policy] channels are scanned separately, but a block ends all of them', () => {
  const scan = policyOf({ output: [words('alpha beta')] }).streamOutput(context);
  expect(scan.push('a', 'one alpha')).toBe('one ');
  expect(scan.push('b', ' beta two')).toBe(' beta two');
  expect(scan.open()).toEqual(['a']);
  expect(scan.end('a')).toBe('alpha');
  expect(scan.open()).toEqual([]);
  expect(scan.end('never seen')).toBe('');
  expect(scan.push('b', ' alpha beta')).toBe(' ');
  expect([scan.push('b', 'x'), scan.push('c', 'y'), scan.end('b'), scan.end('c')]).toEqual(['', '', '', '']);
  expect(scan.verdict()).toMatchObject({ decision: 'block', matched_rule: 'content:no', findings: [{ count: 1 }] });
});

describe('WASM filters on streams', () => {
  const plugin: ContentFilter = {
    name: 'plugin',
    type: 'wasm',
    action: 'block',
    path: 'p.wasm',
    timeout: '100ms',
    on_error: 'block',
  };
  const reading = (seen: string[], verdict: (text: string) => boolean): WasmRunner => ({
    check: async ({ content }) => {
      seen.push(new TextDecoder().decode(content));
      return { flagged: verdict(seen.at(-1)!), message: 'rude' };
    },
  });

  test('[chat.input-policy] all text up to this point is checked before any new text is sent', async () => {
    const seen: string[] = [];
    const scan = policyOf(
      { output: [plugin] },
      reading(seen, (text) => text.includes('rude')),
    ).streamOutput(context);
    const pushed = ['how ', 'ru', 'de', ' of you'].map((text) => scan.push('0', text));
    expect(await Promise.all(pushed)).toEqual(['how ', 'ru', '', '']);
    expect(seen).toEqual(['how ', 'how ru', 'how rude']);
    expect(await scan.end('0')).toBe('');
    expect(scan.verdict()).toMatchObject({
      decision: 'block',
      matched_rule: 'content:plugin',
      findings: [{ count: 1, detail: 'rude' }],
    });
  });

  test('the module gets at most the last 64 Ki characters, and runs only when text is sent', async () => {
    const seen: string[] = [];
    const scan = policyOf(
      { output: [plugin, words('zz top')] },
      reading(seen, () => false),
    ).streamOutput(context);
    await scan.push('0', 'a'.repeat(100_000));
    expect(await scan.push('0', 'zz')).toBe('');
    expect(seen.map(({ length }) => length)).toEqual([65_536]);
    expect(await scan.end('0')).toBe('zz');
  });

  test('[policy.fails-closed] a failing module blocks the stream, or the failure is logged once and the module is not called again', async () => {
    let calls = 0;
    const failing: WasmRunner = {
      check: () => {
        calls++;
        return Promise.reject(new Error('trap'));
      },
    };
    const strict = policyOf({ output: [plugin] }, failing).streamOutput(context);
    expect(await strict.push('0', 'x')).toBe('');
    expect(strict.verdict()).toMatchObject({ decision: 'block', findings: [{ erred: true, action: 'block' }] });
    calls = 0;
    const lax = policyOf({ output: [plugin], break_glass: true }, failing).streamOutput(context);
    expect([await lax.push('0', 'x'), await lax.push('0', 'y'), await lax.end('0')].join('')).toBe('xy');
    expect(calls).toBe(1);
    expect(lax.verdict()).toMatchObject({ decision: 'allow', findings: [{ erred: true, action: 'log' }] });
  });
});
