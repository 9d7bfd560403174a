/** The committed Unicode tables equal the data packages, and folding leaves everyday text unchanged. */
import { execFileSync } from 'node:child_process';
import { foldUnicode } from '#core/text/matching/fold-unicode.ts';
import * as committed from '#core/text/matching/unicode-tables.ts';

describe('[content.every-text]', () => {
  test('the tables are those that `npm run unicode` writes', () => {
    const printed = execFileSync(process.execPath, ['bin/unicode-tables.ts', '--json'], { encoding: 'utf8' });
    expect({ ...committed }).toEqual(JSON.parse(printed));
  });

  test.each([
    ['small capitals', 'ɪɢɴᴏʀᴇ', 'ignore'],
    ['negative circles', '🅘🅖🅝🅞🅡🅔', 'IGNORE'],
    ['negative squares', '🅸🅶🅽', 'IGN'],
    ['flags', '🇮🇬🇳', 'IGN'],
    ['numbers in circles', '➍❶⓵⓫', '41111'],
    ['Cherokee', 'ᎬᏟᎻ', 'ECH'],
    ['Lisu', 'ꓡꓲ', 'LI'],
    ['Deseret', '𐐄', 'O'],
    ['Cyrillic and Greek', 'раѕѕԝоrԁ κ', 'password k'],
    ['signs', '⁄etc∕x ⟋ ‹a› ❨b❩', '/etc/x / <a> (b)'],
    ['an enclosing mark', 'a\u20ddb\u20e3', 'ab'],
  ])('%s read as ASCII', (_, written, read) => {
    expect(foldUnicode(written)).toBe(read);
  });

  test.each([
    'ノート丿〇一丶',
    '문서',
    'עברית ויו',
    'مرحبا اه',
    'हिन्दी ०',
    'ไทย ๐',
    'தமிழ்',
    'ქართული ჿ',
    '€ £ § ©',
    'Straße Ærø naïve',
  ])('%s stays unchanged', (text) => {
    expect(foldUnicode(text)).toBe(text);
  });
});
