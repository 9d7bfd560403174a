/** Which texts of the parameters may be paths, by the names they stand under. */

import { RecentMap } from '#core/kernel/recent-map.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';

/**
 * `all` texts, keys included; those under the name of a path (`path-named`: `filePath`, `target_file`); those under any name
 * but that of a text (`not-text`: not `content`, `query`, `message`).
 */
export type Places = 'all' | 'path-named' | 'not-text';

const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/).filter((word) => word !== ''));

/** Words that make a parameter the name of a path wherever they stand in it. */
const pathWords = set(`
  cwd dest destination destinations dir directories directory dirname dirs file filename filenames filepath filepaths files
  folder folders glob globs path pathname pathnames paths root roots src uri uris url urls workdir`);

/** Words that make a search a choice of files: `include_pattern`. */
const choosingWords = set('glob include includes file files path paths');

/** Words of parameters that leave files out, which reads nothing. */
const leavingOutWords = set('except exclude excluded excludes ignore ignored ignores');

/** Last words of parameters that hold a text, a search, a command that is read by its grammar, or a name of something else. */
const textWords = set(`
  argv args base body branch cmd code command comment comments commit content contents data description diff env
  explanation expression head html instruction instructions justification label labels markdown message messages note
  notes patch prompt question reason ref regex regexp replace replacement script sha snippet sql
  statement str string subject summary tag tags task text thought thoughts title topic topics`);

const searchWords = set('pattern patterns q query search');

/** Whether a text under this name is one of the places. A key stands under the name of what holds it; at the top under "". */
export function isPlace(places: Places, name: string): boolean {
  if (places === 'all') return true;
  const { kind } = readName(name);
  return places === 'not-text' ? kind !== 'text' : kind === 'path';
}

type Kind = 'text' | 'path' | 'other';

interface ReadName {
  readonly kind: Kind;
  readonly lastWord: string;
}
/** Callers choose names, so what is remembered must not grow with them. */
const known = new RecentMap<string, ReadName>({ max: 4096 });

const readName = (name: string): ReadName =>
  known.getOrInsertComputed(name, () => {
    const words = wordsIn(name);
    return { kind: kindOf(words), lastWord: words.at(-1) ?? '' };
  });

/** Whether a parameter of this name holds this part of a path. */
const isPart = (part: keyof typeof partWords, name: string): boolean => partWords[part].has(readName(name).lastWord);

function kindOf(words: readonly string[]): Kind {
  const last = words.at(-1) ?? '';
  if (textWords.has(last) || words.some((word) => leavingOutWords.has(word))) return 'text';
  if (searchWords.has(last)) return words.some((word) => choosingWords.has(word)) ? 'path' : 'text';
  return words.some((word) => pathWords.has(word)) ? 'path' : 'other';
}

/** Names of both kinds, for examples of calls. */
export const exampleNames: readonly string[] =
  'path file dir uri src root paths files folder glob url cwd text query title body note content message prompt'.split(
    ' ',
  );

/** Whether some text of a value at the places holds, keys included. Elements of a list stand under the name of the list. */
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
  folder: set('base basedir cwd dir directory folder location parent path prefix root workdir'),
  name: set('basename file filename key leaf name object path'),
  ending: set('ext extension suffix'),
};
const maxParts = 8;

/** Paths that are given in parts: a folder and a name, with or without an ending (`dir`, `file`). */
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
