/** The committed Unicode tables equal the data packages, and folding leaves everyday text unchanged. */
import { execFileSync } from 'node:child_process';
import * as z from 'zod';
import { foldUnicode } from '#core/text/matching/fold-unicode.ts';
import * as committed from '#core/text/matching/unicode-tables.ts';
import { readCases, rows, text, texts } from '../../../support/yaml.ts';

const { readAsAscii, unchanged } = readCases(
  'test/unit/text/matching/unicode-tables.yaml',
  z.strictObject({ readAsAscii: rows(text, text, text), unchanged: texts }),
);

describe('[content.every-text]', () => {
  test('the tables are those that `npm run unicode` writes', () => {
    const printed = execFileSync(process.execPath, ['bin/unicode-tables.ts', '--json'], { encoding: 'utf8' });
    expect({ ...committed }).toEqual(JSON.parse(printed));
  });

  test.each(readAsAscii)('%s read as ASCII', (_, written, read) => {
    expect(foldUnicode(written)).toBe(read);
  });

  test.each(unchanged)('%s stays unchanged', (text) => {
    expect(foldUnicode(text)).toBe(text);
  });
});
