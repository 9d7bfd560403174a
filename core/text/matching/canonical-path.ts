/**
 * Normalises paths. The result contains no `.` or `//`, and has `..` only at the start, if the path climbs above its
 * root.
 */

/**
 * Treatment of `..`. `resolve` also removes the name before it. `keep` only drops the `..`, so that all names stay
 * visible: the name may not be a folder, and `--force=a/../b` must not lose its flag.
 */
export type ParentFolders = 'resolve' | 'keep';

/** Resolves one path. A relative path that climbs above its root keeps its leading `..`. */
export function resolvePath(path: string, dotDot: ParentFolders): string {
  const absolute = path.startsWith('/');
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') kept.push(segment);
    else if (kept.length > 0 && kept.at(-1) !== '..') {
      if (dotDot === 'resolve') kept.pop();
    } else if (!absolute) kept.push('..');
  }
  if (kept.length > 0) return (absolute ? '/' : '') + kept.join('/');
  if (absolute) return '/';
  return path === '' ? '' : '.';
}
