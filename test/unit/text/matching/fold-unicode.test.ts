/** Folding text in runs gives the same result as folding the whole text. */
import fc from 'fast-check';
import { foldText } from '#core/text/fold/visible.ts';
import { confusables } from '#core/text/matching/confusables.ts';
import { foldUnicode } from '#core/text/matching/fold-unicode.ts';
import { codePoint } from '../../../support/code-point.ts';
import { runs } from '../../../support/extent.ts';

/** Folds the whole text, as the definition says. */
function foldedWhole(text: string): string {
  let folded = text;
  for (let round = 0; round < 4; round++) {
    const visible = folded
      .normalize('NFKC')
      .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
      .replace(/([!-~])[\p{Mn}\p{Me}]+/gu, '$1');
    const next = [...visible].map((char) => confusables.get(char) ?? char).join('');
    if (next === folded) break;
    folded = next;
  }
  return folded;
}

/** Composable letters, combining marks, invisible characters, look-alikes, lone surrogates, and line endings. */
const pieces = [
  ...['a', 'e', 'K', ' ', '\n', '\0', '\u0001', '\u0002', '=', '<', '~', '0'],
  ...['\u0301', '\u0338', '\u20dd', '\u0327', '\u05b0', '\u200b', '\u200d', '\u00ad', '\u034f', '\ufe0f', '\u{e0061}'],
  ...['é', 'ß', 'İ', 'ſ', 'к', 'о', 'ａ', 'ﬁ', '①', '⑳', '…', '’', '“', 'Ω', '㍿', '가', 'ᄀ', 'ᅡ', 'ᆨ', 'あ', 'ﾞ', '中'],
  ...['\u09c7', '\u09be', '\u0dd9', '\u0dcf', '𝒜', '👨', '\ud800', '\udc00', '\uffff'],
];

test('[policy.case-folding] folding text in runs gives the same result as folding it as a whole', () => {
  const text = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: codePoint, maxLength: 2 })), {
    maxLength: 24,
  });
  fc.assert(
    fc.property(text, (parts) => {
      const whole = parts.join('');
      expect(foldUnicode(whole)).toBe(foldedWhole(whole));
    }),
    { numRuns: runs(5_000, 500) },
  );
});

test('[policy.case-folding] the folding of a run does not depend on earlier text', () => {
  const runs = pieces.flatMap((first) => pieces.map((second) => `a${first}${second}`));
  for (const times of [1, 2])
    for (const run of runs) expect([times, foldUnicode(run)]).toEqual([times, foldedWhole(run)]);
});

/** Digits of other scripts, control characters, and special line endings and blanks, with their normalised form. */
const seen: Readonly<Record<string, string>> = {
  '٣': '3',
  '०': '0',
  '𝟗': '9',
  '\u0000': '',
  '\u0001': '',
  '\u0002': '',
  '\u0007': '',
  '\u009b': '',
  '\u2028': '\n',
  '\u0085': '\n',
  '\u2800': ' ',
  '\u115f': ' ',
};

test('[content.every-text] normalising characters during folding gives the same result as normalising them first', () => {
  const text = fc.array(fc.constantFrom(...pieces, ...Object.keys(seen)), { maxLength: 16 });
  fc.assert(
    fc.property(text, (parts) => {
      const read = parts.map((part) => seen[part] ?? (part === '\0' ? '' : part)).join('');
      expect(foldText(parts.join(''))).toBe(foldedWhole(read));
    }),
    { numRuns: runs(2_000, 300) },
  );
});
