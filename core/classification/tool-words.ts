/** The words of a tool's name, however it is written: dots, underscores, dashes, camelCase, digits. */
import { rememberedText } from '#core/kernel/remembered.ts';
import { foldUnicode, isAscii } from '#core/matching/fold-unicode.ts';

interface ToolWords {
  /** Words before the last dot, slash or colon: the family, as `scm` of `scm.get_file`. */
  readonly family: readonly string[];
  /** Words of the operation, in lower case. */
  readonly words: readonly string[];
  /** False where letters outside ASCII remain: such a word is not in any table. */
  readonly ascii: boolean;
}

/** `fs.readFile2Write` has the family `fs` and the words `read`, `file`, `2`, `write`. */
export const toolWords = rememberedText((name: string): ToolWords => {
  const plain = foldUnicode(name);
  const end = Math.max(...['.', '/', ':'].map((separator) => plain.lastIndexOf(separator)));
  return {
    family: wordsIn(plain.slice(0, end + 1)),
    words: wordsIn(plain.slice(end + 1)),
    ascii: isAscii(plain),
  };
});

/** Words of any name: `get_secret-value`, `sendEmail`, `parseHTTPResponse`. */
export const wordsIn = rememberedText((name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2') // one letter before it: a run of them would be walked again from each
    .replace(/([A-Za-z])([0-9])/g, '$1 $2')
    .replace(/([0-9])([A-Za-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== ''),
);
