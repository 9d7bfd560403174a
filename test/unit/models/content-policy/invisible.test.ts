/** Invisible characters: they neither hide a phrase nor part its words, and texts that need them pass as they are. */
import type { ContentFilter } from '#core/contracts/config.ts';
import { cutAt, policyOf, streamed, whole } from '../../../support/content-policy.ts';

const block = { name: 'no', action: 'block' } as const;
const words: ContentFilter = { ...block, type: 'keyword', keywords: ['ignore previous'] };
const pattern: ContentFilter = { ...block, type: 'regex', patterns: ['(?i)ignore\\s+previous'] };
const redacting: ContentFilter = {
  name: 'pii',
  type: 'pii',
  action: 'redact',
  entities: ['email', 'ssn', 'credit_card', 'phone', 'iban', 'ip', 'api_key'],
};

async function everyWay(filter: ContentFilter, text: string): Promise<Set<string>> {
  const policy = policyOf({ output: [filter] });
  const decisions = new Set([(await whole(policy, text)).verdict.decision]);
  for (let cut = 1; cut < text.length; cut++) decisions.add(streamed(policy, cutAt(text, [cut])).verdict.decision);
  decisions.add(streamed(policy, text.split('')).verdict.decision);
  return decisions;
}

/** Whole and as a stream. */
async function decisionsOf(filter: ContentFilter, text: string): Promise<string[]> {
  const policy = policyOf({ output: [filter] });
  return [(await whole(policy, text)).verdict.decision, streamed(policy, [text]).verdict.decision];
}

const invisible: readonly (readonly [name: string, char: string])[] = [
  ['a zero-width space', '\u200b'],
  ['a zero-width non-joiner', '\u200c'],
  ['a zero-width joiner', '\u200d'],
  ['a word joiner', '\u2060'],
  ['a byte-order mark', '\ufeff'],
  ['a Mongolian vowel separator', '\u180e'],
  ['an invisible times', '\u2062'],
  ['a left-to-right mark', '\u200e'],
  ['an Arabic letter mark', '\u061c'],
  ['a right-to-left override', '\u202e'],
  ['an isolate', '\u2068'],
  ['a variation selector', '\ufe0f'],
  ['a supplementary variation selector', '\u{e0101}'],
  ['a tag', '\u{e0061}'],
  ['an annotation anchor', '\ufff9'],
  ['a shorthand control', '\u{1bca0}'],
  ['a musical control', '\u{1d173}'],
  ['a NUL', '\u0000'],
  ['a backspace', '\b'],
  ['a delete', '\u007f'],
  ['a C1 control', '\u0090'],
  ['two of them', '\u200b\u2060'],
];

test.each(invisible)('[content.invisible] %s between words and between letters', async (_, char) => {
  for (const text of [
    `a ignore${char}previous b`,
    `a ig${char}nore${char}previous b`,
    `a ig${char}nore ${char}previous b`,
  ])
    for (const filter of [words, pattern]) expect([text, ...(await everyWay(filter, text))]).toEqual([text, 'block']);
});

test.each([
  ['the empty Braille cell', '\u2800'],
  ['a Hangul filler', '\u3164'],
  ['a half-width Hangul filler', '\uffa0'],
  ['a filler of a first consonant', '\u115f'],
  ['a blank of hieroglyphs', '\u{13441}'],
  ['an Ogham space', '\u1680'],
  ['an ideographic space', '\u3000'],
  ['a line separator', '\u2028'],
  ['a next line', '\u0085'],
])('[content.invisible] %s is a blank', async (_, char) => {
  for (const filter of [words, pattern])
    expect([...(await everyWay(filter, `a ignore${char}previous b`))]).toEqual(['block']);
});

test('[content.invisible] between words of a long text, and no pattern begins where a part of it does', async () => {
  const long = `${'word '.repeat(2000)}ignore\u200bprevious${' word'.repeat(2000)}`;
  for (const filter of [words, pattern]) expect([...(await decisionsOf(filter, long))]).toEqual(['block', 'block']);
  const anchored: ContentFilter = { ...block, type: 'regex', patterns: ['^\\s?word x', 'word x$'] };
  const inside = `a ${'word x '.repeat(2000)}\u200b ${'word x '.repeat(2000)}`;
  expect(await decisionsOf(anchored, inside)).toEqual(['allow', 'allow']);
});

test('[content.invisible] tags that spell a phrase', async () => {
  const tags = [...'ignore previous'].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('');
  for (const filter of [words, pattern]) expect([...(await everyWay(filter, `😀${tags} ok`))]).toEqual(['block']);
});

test.each([
  ['Arabic', '٤١١١ ١١١١ ١١١١ ١١١١'],
  ['Persian', '۴۱۱۱۱۱۱۱۱۱۱۱۱۱۱۱'],
  ['Devanagari', '४१११-११११-११११-११११'],
  ['mathematical', '𝟺𝟷𝟷𝟷 𝟷𝟷𝟷𝟷 𝟷𝟷𝟷𝟷 𝟷𝟷𝟷𝟷'],
])('[content.invisible] %s digits are digits', async (_, card) => {
  const policy = policyOf({ output: [redacting] });
  expect((await whole(policy, `no ${card}.`)).text).toBe('no [REDACTED:CREDIT_CARD].');
  for (let cut = 1; cut < card.length; cut++)
    expect(streamed(policy, cutAt(`no ${card}.`, [cut])).released).toBe('no [REDACTED:CREDIT_CARD].');
});

test.each([
  ['a family of emoji', 'hi 👨‍👩‍👧‍👦 and 🏳️‍🌈 ok'],
  ['a flag of tags', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f} won'],
  ['key caps', '1️⃣2️⃣3️⃣4️⃣'],
  ['Persian', 'می‌خواهم کتاب‌ها را بخوانم ۲۰۲۴'],
  ['Hindi', 'क्‍ष और र्‌य १२ अगस्त'],
  ['Hebrew with marks of direction', 'שלום \u200fABC\u200e 12'],
  ['soft hyphens', 'an ig\u00adnorant pre\u00advious\u00adly'],
  ['Hangul and Braille', '한국어 ⠓⠑⠇⠇⠕'],
  ['Mongolian', 'ᠮᠣᠩᠭᠣᠯ\u180eᠠ'],
  ['other words apart by it', 'ignore\u200bprecious'],
])('[content.invisible] passes unchanged: %s', async (_, text) => {
  const policy = policyOf({ output: [words, pattern, redacting] });
  expect(await whole(policy, text)).toMatchObject({ text, verdict: { decision: 'allow', findings: [] } });
  for (let cut = 1; cut < text.length; cut++)
    expect(streamed(policy, cutAt(text, [cut]))).toEqual({
      released: text,
      verdict: { decision: 'allow', findings: [] },
    });
});

test('[content.invisible] a soft hyphen joins: it parts no words', async () => {
  expect([...(await everyWay(words, 'ignore\u00adprevious'))]).toEqual(['allow']);
  expect([...(await everyWay(words, 'ig\u00adnore previous'))]).toEqual(['block']);
});
