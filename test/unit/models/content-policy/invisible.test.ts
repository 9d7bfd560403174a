/** Invisible characters neither hide a phrase nor split its words, and text that needs them passes unchanged. */
import * as z from 'zod';
import type { ContentFilter } from '#core/contracts/config.ts';
import { cutAt, policyOf, streamed, whole } from '../../../support/content-policy.ts';
import { readCases } from '../../../support/yaml.ts';

const pairs = z.array(z.tuple([z.string(), z.string()]));
const { invisible, blanks, digits, passing } = readCases(
  'test/unit/models/content-policy/invisible.yaml',
  z.strictObject({ invisible: pairs, blanks: pairs, digits: pairs, passing: pairs }),
);

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

/** Returns the decisions on the whole text and on the same text streamed. */
async function decisionsOf(filter: ContentFilter, text: string): Promise<string[]> {
  const policy = policyOf({ output: [filter] });
  return [(await whole(policy, text)).verdict.decision, streamed(policy, [text]).verdict.decision];
}

test.each(invisible)(
  '[content.every-text] finds a phrase with %s between words and between letters',
  async (_, char) => {
    for (const text of [
      `a ignore${char}previous b`,
      `a ig${char}nore${char}previous b`,
      `a ig${char}nore ${char}previous b`,
    ])
      for (const filter of [words, pattern]) expect([text, ...(await everyWay(filter, text))]).toEqual([text, 'block']);
  },
);

test.each(blanks)('[content.every-text] %s is treated as a space', async (_, char) => {
  for (const filter of [words, pattern])
    expect([...(await everyWay(filter, `a ignore${char}previous b`))]).toEqual(['block']);
});

test('[content.every-text] finds a phrase with an invisible character in a long text, and does not anchor patterns at chunk boundaries', async () => {
  const long = `${'word '.repeat(2000)}ignore\u200bprevious${' word'.repeat(2000)}`;
  for (const filter of [words, pattern]) expect([...(await decisionsOf(filter, long))]).toEqual(['block', 'block']);
  const anchored: ContentFilter = { ...block, type: 'regex', patterns: ['^\\s?word x', 'word x$'] };
  const inside = `a ${'word x '.repeat(2000)}\u200b ${'word x '.repeat(2000)}`;
  expect(await decisionsOf(anchored, inside)).toEqual(['allow', 'allow']);
});

test('[content.every-text] finds a phrase spelled in tag characters', async () => {
  const tags = [...'ignore previous'].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join('');
  for (const filter of [words, pattern]) expect([...(await everyWay(filter, `😀${tags} ok`))]).toEqual(['block']);
});

test.each(digits)('[content.every-text] %s digits are recognised as digits', async (_, card) => {
  const policy = policyOf({ output: [redacting] });
  expect((await whole(policy, `no ${card}.`)).text).toBe('no [REDACTED:CREDIT_CARD].');
  for (let cut = 1; cut < card.length; cut++)
    expect(streamed(policy, cutAt(`no ${card}.`, [cut])).released).toBe('no [REDACTED:CREDIT_CARD].');
});

test.each(passing)('[content.every-text] passes unchanged: %s', async (_, text) => {
  const policy = policyOf({ output: [words, pattern, redacting] });
  expect(await whole(policy, text)).toMatchObject({ text, verdict: { decision: 'allow', findings: [] } });
  for (let cut = 1; cut < text.length; cut++)
    expect(streamed(policy, cutAt(text, [cut]))).toEqual({
      released: text,
      verdict: { decision: 'allow', findings: [] },
    });
});

test('[content.every-text] a soft hyphen joins words instead of separating them', async () => {
  expect([...(await everyWay(words, 'ignore\u00adprevious'))]).toEqual(['allow']);
  expect([...(await everyWay(words, 'ig\u00adnore previous'))]).toEqual(['block']);
});
