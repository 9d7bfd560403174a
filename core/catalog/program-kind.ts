/** Determines what a program is for, by its name (`program-kinds.yaml`). */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { shells } from './program-words.ts';

const kinds = new RecentMap<string, ReadonlySet<string>>({ max: 64 });

/** Checks whether a program, given without its folder, is of one of the wanted kinds. @param wanted lists from the catalog. */
export const isOfKind = (program: string, ...wanted: readonly string[]): boolean =>
  wanted
    .map((words) => kinds.getOrInsertComputed(words, wordSet))
    .some((names) => names.has(program) || names.has(program.replace(/\..*/, '*')));

/** Checks for a shell whose language the gateway can read: `bash`, `/bin/sh`. */
export const isShell = (program: string): boolean => isOfKind(program.slice(program.lastIndexOf('/') + 1), shells.read);
