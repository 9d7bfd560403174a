/** Determines from its path what a file is used for. */
import { plainPath } from './canonical-text.ts';
import { pathGlob } from './path-pattern.ts';

/**
 * Checks whether a path, in any case and spelling, is of a given kind. @param globs a list from
 * `core/catalog/file-kinds.yaml`.
 */
export const isFileOfKind = (path: string, globs: readonly string[]): boolean =>
  pathGlob({ globs, except: [], wholePath: true }).matches(plainPath(path));
