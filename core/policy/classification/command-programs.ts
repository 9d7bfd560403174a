/**
 * Tools that run a program with its own command line (`core/catalog/tool-names.yaml`), and the arguments that supply
 * parts of that command line.
 */
import { programs } from '#core/catalog/tool-names.ts';
import { commandLists, textKeys } from './argument-words.ts';

const set = (words: string): readonly string[] => words.split(' ');

const programOfWord: ReadonlyMap<string, string> = new Map([
  ...Object.entries(programs.names).flatMap(([program, names]) => set(names).map((name) => [name, program] as const)),
  ...set(programs.others).map((name) => [name, name] as const),
]);
const started = new Set(set(programs.commands));

export interface NamedProgram {
  readonly program: string;
  /** The other words of the tool's name. */
  readonly rest: readonly string[];
}

/** Returns the first program named in the tool's name: `git_diff` runs git. */
export function programNamed(tool: readonly string[]): NamedProgram | undefined {
  // `k8s` was split at its digit.
  const joined = tool
    .join(' ')
    .replace(/(?<=^| )k 8 s(?= |$)/g, 'k8s')
    .split(' ');
  const first = joined.find((word) => programOfWord.has(word));
  const program = first === undefined ? undefined : programOfWord.get(first)!;
  return program === undefined
    ? undefined
    : { program, rest: joined.filter((word) => programOfWord.get(word) !== program) };
}

/** Checks whether a word is the program name at the start of its command line. */
export const startsProgram = (program: string, word = ''): boolean =>
  word === program || (started.has(word) && programOfWord.get(word) === program);

/** `certain`: words of a command line. `possible`: often data, but a command line if one of the words is an option. */
const listNames: ReadonlyMap<string, 'certain' | 'possible'> = new Map([
  ...set('args argv flags switches').map((name) => [name, 'certain'] as const),
  ...set('arg arguments flag opt option options opts parameters params').map((name) => [name, 'possible'] as const),
]);

/**
 * Returns how an argument list with this name (given as words) relates to a command line, or undefined if it is
 * unrelated.
 */
export const listKind = (key: readonly string[]): 'certain' | 'possible' | undefined => listNames.get(key.at(-1) ?? '');

/** Checks for an option: `-o`, `--output`, `-destroy`, but not `-5`, `--` or `---`. */
export const isOptionWord = (word: string): boolean => /^-{1,2}[A-Za-z]/.test(word);

const showing = new Set(set(programs.showing_options));

/** Splits an argument string into words. */
export const wordsOfText = (text: string): readonly string[] => text.split(/\s+/).filter((word) => word !== '');

/**
 * Checks whether an argument list contains any option other than those known to only format, limit or filter the
 * output.
 */
export function holdsOption(key: readonly string[], value: string): boolean {
  const kind = listKind(key);
  const showsOnly = (word: string): boolean => showing.has(word) || showing.has(word.split('=')[0]!);
  const options = wordsOfText(value).filter((word) => isOptionWord(word) && !showsOnly(word));
  // In a list that may be data, only an option with a value counts.
  return kind === 'certain' ? options.length > 0 : kind !== undefined && options.some(isAssigned);
}

const isAssigned = (word: string): boolean => /^--[a-z][a-z-]*=/i.test(word);

const optionReaders = new Set(set(programs.option_readers));
const negating = new Set(set(programs.negating));
const orders = new Set(['by', 'order', 'sort']);

/**
 * Checks whether a value could be parsed as an option. If a server passes it to a program that expects a revision or a
 * host, `--output=x` writes a file, and `--upload-pack=x` or `-oProxyCommand=x` runs another program.
 */
export function isOptionInPlace(tool: readonly string[], key: readonly string[], value: string): boolean {
  const last = key.at(-1) ?? '';
  if (textKeys.has(last) || commandLists.has(last) || listKind(key) !== undefined) return false;
  const word = value.trim();
  if (isAssigned(word)) return true;
  const program = tool.find((each) => optionReaders.has(each));
  if (program === undefined || orders.has(last)) return false;
  return /(?:^|\s)--[a-z]/i.test(word) || (!negating.has(program) && isOptionWord(word));
}
