/** Parameter names that determine which strings may be paths. */

import { RecentMap } from '#core/kernel/recent-map.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';

/**
 * `all`: all strings, including keys. `path-named`: strings under a path name (`filePath`, `target_file`). Or
 * `not-text`: strings under any name except free-text names (`content`, `query`, `message`).
 */
export type Places = 'all' | 'path-named' | 'not-text';

/** Words that make a parameter a path if they occur anywhere in its name. */
const pathWords = wordSet(`
  cwd dest destination destinations dir directories directory dirname dirs file filename filenames filepath filepaths files
  folder folders glob globs include includes path pathname pathnames paths root roots src uri uris url urls workdir workspace`);

/** Words that indicate that a search selects files: `include_pattern`. */
const choosingWords = wordSet('glob include includes file files path paths');

/** Words in the names of parameters that exclude files, which are therefore not read. */
const leavingOutWords = wordSet('except exclude excluded excludes ignore ignored ignores');

/**
 * Last words in the names of parameters that hold free text, a search, a command (parsed by its own grammar), or the
 * name of something else.
 */
const textWords = wordSet(`
  argv args base body branch cmd code command comment comments commit content contents data description diff env
  explanation expression head html instruction instructions justification label labels markdown message messages note
  notes patch prompt question reason ref regex regexp replace replacement script sha snippet sql
  statement str string subject summary tag tags task text thought thoughts title topic topics`);

const searchWords = wordSet('pattern patterns q query search');

/**
 * Checks whether a string under this name is at one of the places. A key counts under its parent's name, or "" at the
 * top level.
 */
export function isPlace(places: Places, name: string): boolean {
  if (places === 'all') return true;
  const { kind } = readName(name);
  return places === 'not-text' ? kind !== 'text' : kind === 'path';
}

type ParameterKind = 'text' | 'path' | 'other';

interface ReadName {
  readonly kind: ParameterKind;
  readonly lastWord: string;
}
/** Cache of parsed names, limited in size because callers choose the names. */
const readNames = new RecentMap<string, ReadName>({ max: 4096 });

const readName = (name: string): ReadName =>
  readNames.getOrInsertComputed(name, () => {
    const words = wordsIn(name);
    return { kind: parameterKind(words), lastWord: words.at(-1) ?? '' };
  });

/** Checks whether a parameter with this name holds this part of a path. */
const isPart = (part: keyof typeof partWords, name: string): boolean => partWords[part].has(readName(name).lastWord);

function parameterKind(words: readonly string[]): ParameterKind {
  const last = words.at(-1) ?? '';
  if (textWords.has(last) || words.some((word) => leavingOutWords.has(word))) return 'text';
  if (searchWords.has(last)) return words.some((word) => choosingWords.has(word)) ? 'path' : 'text';
  return words.some((word) => pathWords.has(word)) ? 'path' : 'other';
}

/** Names of all kinds, used for example calls. */
export const exampleNames: readonly string[] =
  'path file dir uri src root paths files folder glob url cwd text query title body note content message prompt'.split(
    ' ',
  );

/** Checks whether some string at the places matches, keys included. List elements count under the list's name. */
export function anyTextMatches(places: Places, value: unknown, holds: (text: string) => boolean, name = ''): boolean {
  if (typeof value === 'string') return isPlace(places, name) && holds(value);
  if (Array.isArray(value)) return value.some((item) => anyTextMatches(places, item, holds, name));
  if (value === null || typeof value !== 'object') return false;
  return (
    Object.keys(value).some(
      (key) =>
        (isPlace(places, name) && holds(key)) ||
        anyTextMatches(places, (value as Record<string, unknown>)[key], holds, key),
    ) ||
    (places !== 'all' && pathsInParts(value as Record<string, unknown>).some(holds))
  );
}

const partWords = {
  folder: wordSet('base basedir cwd dir directory folder location parent path prefix root workdir'),
  name: wordSet('basename file filename key leaf name object path'),
  ending: wordSet('ext extension suffix'),
};
const maxParts = 8;

/** Returns paths that are given in parts: a folder and a file name (`dir`, `file`), with or without an extension. */
function pathsInParts(value: Readonly<Record<string, unknown>>): string[] {
  const keys = Object.keys(value).filter((key) => typeof value[key] === 'string');
  if (keys.length < 2) return [];
  const under = (part: keyof typeof partWords) => keys.filter((key) => isPart(part, key)).slice(0, maxParts);
  const text = (key: string) => value[key] as string;
  const endings = under('ending').map((key) => `.${text(key).replace(/^\./, '')}`);
  const files = under('name').flatMap((key) => ['', ...endings].map((ending) => ({ key, file: text(key) + ending })));
  const below = under('folder').flatMap((folder) =>
    files.filter(({ key }) => key !== folder).map(({ file }) => `${text(folder).replace(/[/\\]{1,64}$/, '')}/${file}`),
  );
  return endings.length > 0 ? [...files.map(({ file }) => file), ...below] : below;
}
