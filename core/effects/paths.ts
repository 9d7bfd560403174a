/** Resolves `.`, `..`, `//` and `~` in paths against a working directory, using only the text of the path (POSIX). */
import { resolvePath } from '#core/text/matching/canonical-path.ts';

/**
 * Resolves `path` against `cwd`. Both may be relative; a result above the starting point keeps its leading `..`. Links
 * are not followed. The parent of a home directory is `/home`, so every rule treats paths there as outside.
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

/** Checks for a path that starts at the root or a home directory, so that no working directory applies. */
export const isRooted = (path: string): boolean => path.startsWith('/') || path.startsWith('~');

export const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/**
 * Checks for a plain name or a path in a system folder. In any other folder, the name does not identify the program.
 */
export const isSystemPath = (command: string): boolean =>
  !command.includes('/') ||
  /^(?:\/usr)?(?:\/local)?\/s?bin\/+[^/]+$|^\/opt\/homebrew\/bin\/[^/]+$/.test(resolveAt('', command));
