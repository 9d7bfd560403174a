/** Answers what a program is for, by its name (`program-kinds.yaml`). */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { shells } from './program-words.ts';

/** Names of a kind, and prefixes of names. */
interface Kind {
  readonly names: ReadonlySet<string>;
  readonly prefixes: readonly string[];
}

const kinds = new RecentMap<string, Kind>({ max: 64 });
const kindOf = (words: string): Kind =>
  kinds.getOrInsertComputed(words, () => ({ names: wordSet(words), prefixes: words.match(/\S+(?=\*)/g) ?? [] }));

/** Checks whether a program, named without its folder, is of one of the kinds. @param wanted lists of the catalog. */
export const isOfKind = (program: string, ...wanted: readonly string[]): boolean =>
  wanted
    .map(kindOf)
    .some(({ names, prefixes }) => names.has(program) || prefixes.some((each) => program.startsWith(each)));

/** Checks for a shell whose language is read: `bash`, `/bin/sh`. */
export const isShell = (program: string): boolean => isOfKind(program.slice(program.lastIndexOf('/') + 1), shells.read);
