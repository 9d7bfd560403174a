/** Where a path leads, by its text alone: `.`, `..`, `//` and `~` read against a working directory, POSIX rules. */
import { resolvePath } from '#core/text/matching/canonical-path.ts';

/**
 * Resolves `path` against `cwd`; both may be relative, and a result above the start keeps its leading `..`. Links are not
 * followed. The folder above a home is called `/home`, so that whatever lies there is outside for every rule.
 */
export function resolveAt(cwd: string, path: string): string {
  const joined = isRooted(path) || cwd === '' ? path : path === '' ? cwd : `${cwd}/${path}`;
  if (!joined.startsWith('~')) return resolvePath(joined, 'resolve') || '.';
  const [home = '', ...rest] = joined.split('/');
  const below = resolvePath(rest.filter((name) => name !== '').join('/'), 'resolve');
  if (below === '' || below === '.') return home;
  return below === '..' || below.startsWith('../')
    ? resolvePath(`/home/${below.slice(3)}`, 'resolve')
    : `${home}/${below}`;
}

/** Begins at the root or at a home, so that no working directory stands before it. */
export const isRooted = (path: string): boolean => path.startsWith('/') || path.startsWith('~');

/** The last name of a path. */
export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
