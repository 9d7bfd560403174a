/** Folding maps look-alikes to ASCII and leaves everyday text unchanged. `.ci/run` regenerates the tables. */
import * as z from 'zod';
import { foldUnicode } from '#core/text/matching/fold-unicode.ts';
import { readCases, rows, text, texts } from '../../../support/yaml.ts';

const { readAsAscii, unchanged } = readCases(
  'test/unit/text/matching/unicode-tables.yaml',
  z.strictObject({ readAsAscii: rows(text, text, text), unchanged: texts }),
);

describe('[content.every-text]', () => {
  test.each(readAsAscii)('%s is folded to ASCII', (_, written, read) => {
    expect(foldUnicode(written)).toBe(read);
  });

  test.each(unchanged)('%s stays unchanged', (text) => {
    expect(foldUnicode(text)).toBe(text);
  });
});
