/** Splits tool names into words at dots, underscores, dashes, camelCase and digits. */
import { rememberedText } from '#core/kernel/remembered.ts';
import { foldUnicode, isAscii } from '#core/text/matching/fold-unicode.ts';

export interface ToolWords {
  /** Words before the last dot, slash or colon: `scm` in `scm.get_file`. */
  readonly family: readonly string[];
  /** Words of the operation, in lower case. */
  readonly words: readonly string[];
  /** False if the words contain letters outside ASCII, because no table contains such words. */
  readonly ascii: boolean;
}

/**
 * Returns the words of a tool name: `fs.readFile2Write` has the family `fs` and the words `read`, `file`, `2`, `write`.
 */
export const toolWords = rememberedText((name: string): ToolWords => cutWith(name, wordsIn));

/**
 * Returns the words of a name for each way to split its runs of capitals. `getDELETErepo` is either `get`, `delet`,
 * `erepo` (as in `parseHTTPResponse`) or `get`, `delete`, `repo`; `getURLDELETE` ends with `urldelete` or `delete`.
 * Returns one entry if the name has no such run.
 */
export const toolWordCuts = rememberedText((name: string): readonly ToolWords[] => [
  toolWords(name),
  ...(capitalRun.test(name)
    ? [wordsAfterRuns, wordsAfterAbbreviations, wordsBeforeAbbreviations].map((cut) => cutWith(name, cut))
    : []),
]);

function cutWith(name: string, cut: (text: string) => readonly string[]): ToolWords {
  const plain = foldUnicode(name);
  const end = Math.max(...['.', '/', ':'].map((separator) => plain.lastIndexOf(separator)));
  return { family: cut(plain.slice(0, end + 1)), words: cut(plain.slice(end + 1)), ascii: isAscii(plain) };
}

/** Returns the words of any name: `get_secret-value`, `sendEmail`, `parseHTTPResponse`. */
export const wordsIn = rememberedText((name: string): readonly string[] =>
  lowerWords(
    name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z][a-z])/g, '$1 $2'), // matches only one letter before it, because a run would be rescanned from each of its letters
  ),
);

const capitalRun = /[A-Z]{2}/;
/** Abbreviations that appear in names next to a verb in capitals: `getURLDELETE`, `getDELETEURL`. */
const abbreviations = 'HTTPS?|URL|URI|API|DB|SQL|JSON|XML|AWS|GCP|DNS|HTML|CSS|UI|VM|PR|MCP|ID|IPS?';
const leading = new RegExp(`(?<![A-Z])(?:${abbreviations})(?=[A-Z]{2})`, 'g');
const trailing = new RegExp(`(?<=[A-Z]{2})(?:${abbreviations})(?![A-Z])`, 'g');

/** Splits off a run of capitals as one word, with the following lower-case letters as the next word: `DELETErepo`. */
const wordsAfterRuns = (name: string): readonly string[] => lowerWords(afterRuns(name));
const wordsAfterAbbreviations = (name: string): readonly string[] =>
  lowerWords(afterRuns(name).replace(leading, '$& '));
const wordsBeforeAbbreviations = (name: string): readonly string[] =>
  lowerWords(afterRuns(name).replace(trailing, ' $&'));

const afterRuns = (name: string): string =>
  name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z])([A-Z])([a-z])/g, '$1$2 $3');

const lowerWords = (parted: string): readonly string[] =>
  parted
    .replace(/([A-Za-z])([0-9])/g, '$1 $2')
    .replace(/([0-9])([A-Za-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
