/** How text sent by agents is escaped for people. */
import { spelledText, visibleText } from '#core/text/secrets/visible-text.ts';

test('[approval.card] fillers, blanks, selectors and marks without a letter are escaped, and letters, accents and emoji are not', () => {
  for (const char of [
    '\u115f',
    '\u1160',
    '\u3164',
    '\uffa0',
    '\u00ad',
    '\u00a0',
    '\u3000',
    '\u2800',
    '\u034f',
    '\u17b4',
    '\ufffc',
    '\ue000',
    '\u{e0101}',
    '\u{1d159}',
    '\u{13441}',
    '\u{16fe4}',
    '\ufe0f',
    '\u0301',
    '\u180e',
  ])
    expect(visibleText(` ${char}`)).toBe(` \\u{${char.codePointAt(0)!.toString(16)}}`);
  for (const seen of ['Grüße', 'e\u0301', 'हिन्दी', 'ไทยนี้', 'עִבְרִית', '日本語', '⚠\ufe0f', '🇩🇪', '€ → │ ✓', '한국어'])
    expect(visibleText(seen)).toBe(seen);
  expect(new Set(['a b', 'a\nb', 'a\tb', 'a\\u{a}b', 'a\\u{9}b'].map(spelledText)).size).toBe(5);
});
