/** Replaces `node:path` for the policy engine in a browser, with only the functions that the engine calls. */
const parts = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

const isAbsolute = (path: string): boolean => path.startsWith('/');

function normalize(path: string): string {
  const kept: string[] = [];
  for (const part of parts(path)) {
    if (part !== '..') kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!isAbsolute(path)) kept.push(part);
  }
  const text = (isAbsolute(path) ? '/' : '') + kept.join('/');
  if (text === '' || text === '/') return text === '/' ? '/' : path !== '' && path.endsWith('/') ? './' : '.';
  return path.endsWith('/') ? `${text}/` : text;
}

const join = (...paths: string[]): string => normalize(paths.filter((path) => path !== '').join('/'));

const basename = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '')
    .at(-1) ?? '';

/**
 * Returns the relative path between two paths, which must be absolute because the browser does not have a working
 * folder.
 */
function relative(from: string, to: string): string {
  const [here, there] = [parts(normalize(from)), parts(normalize(to))];
  let same = 0;
  while (same < here.length && same < there.length && here[same] === there[same]) same++;
  return [...here.slice(same).map(() => '..'), ...there.slice(same)].join('/');
}

export const posix = { basename, isAbsolute, join, normalize, relative };
