/** Which texts of the parameters may be paths, by the names they stand under. */
import { wordsIn } from '#core/classification/tool-words.ts';

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
  const known = kinds.get(name) ?? remember(name);
  return places === 'not-text' ? known !== 'text' : known === 'path';
}

type Kind = 'text' | 'path' | 'other';
const kinds = new Map<string, Kind>();
const maxKnown = 4096;

function remember(name: string): Kind {
  const words = wordsIn(name);
  const kind = kindOf(words);
  // Callers choose names, so what is remembered must not grow with them.
  if (kinds.size >= maxKnown) kinds.clear();
  kinds.set(name, kind);
  return kind;
}

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
export function someTextAt(places: Places, value: unknown, holds: (text: string) => boolean, name = ''): boolean {
  if (typeof value === 'string') return isPlace(places, name) && holds(value);
  if (Array.isArray(value)) return value.some((item) => someTextAt(places, item, holds, name));
  if (value === null || typeof value !== 'object') return false;
  return Object.keys(value).some(
    (key) =>
      (isPlace(places, name) && holds(key)) || someTextAt(places, (value as Record<string, unknown>)[key], holds, key),
  );
}
