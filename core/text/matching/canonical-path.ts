/** One spelling for a path: no `.`, no `//`, and `..` only at the front, where it climbs out. */

/**
 * `resolve` walks `..` back; `keep` drops it instead, so that every name passed through stays visible. The second
 * reading matters where the name before `..` is not a folder: `--force=a/../b` must not lose its flag.
 */
export type DotDot = 'resolve' | 'keep';

/** Resolves one path. A relative path that climbs above its root keeps its leading `..`. */
export function resolvePath(path: string, dotDot: DotDot): string {
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
