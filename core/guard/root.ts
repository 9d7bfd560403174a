/** A declared root, and whether a place lies at it or below [guard.roots]. */
import { resolvePath } from '#core/text/matching/canonical-path.ts';

export interface Root {
  /** `file` for paths; otherwise scheme and host, such as `https://api.example.com`. */
  readonly space: string;
  /** Resolved; begins with `/` or a drive. */
  readonly path: string;
}

/** An address of the web. Roots that have none leave these free. */
export const isWeb = (text: string): boolean => /^(?:https?|wss?):\/\/[^\s\\]/i.test(text);

/** @returns undefined for what is not an absolute path and not a URI. */
export function rootOf(text: string): Root | undefined {
  const place = placeOf(text.replaceAll('\\', '/'));
  return place === 'relative' ? undefined : place;
}

/** A relative name is one of the server's working folder. Readings with a step up are sorted out before. */
export function isBelowRoot(reading: string, roots: readonly Root[]): boolean {
  const place = placeOf(reading);
  if (place === 'relative') return true;
  return roots.some(
    ({ space, path }) =>
      place?.space === space && (place.path === path || place.path.startsWith(path.endsWith('/') ? path : `${path}/`)),
  );
}

function placeOf(text: string): Root | 'relative' | undefined {
  const [, drive, onDrive = ''] = /^([A-Za-z]):(.*)$/s.exec(text) ?? [];
  if (drive !== undefined) return onDrive.startsWith('/') ? fileAt(`/${text}`) : undefined;
  // Two slashes name a host on some systems, and so does a name in front of a colon.
  if (text.startsWith('//') || /^[\w.+-]+@[\w.-]+:/.test(text)) return undefined;
  if (text.startsWith('/')) return fileAt(text);
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]{1,31}):(.*)$/is.exec(text) ?? [];
  if (scheme.toLowerCase() === 'file') return fileOf(rest);
  if (rest.startsWith('//')) return otherOf(scheme.toLowerCase(), rest.slice(2));
  return rest.startsWith('/') || rest.includes(':/') ? undefined : 'relative';
}

/** @param path absolute, with a slash in front of a drive. */
function fileAt(path: string): Root {
  const [, drive, rest = ''] = /^\/([A-Za-z]):(\/.*|)$/s.exec(path) ?? [];
  if (drive === undefined) return { space: 'file', path: resolvePath(path, 'resolve') };
  return { space: 'file', path: `${drive.toLowerCase()}:${resolvePath(rest || '/', 'resolve')}` };
}

function fileOf(rest: string): Root | undefined {
  const [, host = '', path] = /^(?:\/\/([^/?#]*))?(\/[^?#]*)$/s.exec(rest) ?? [];
  if (path === undefined || path.startsWith('//')) return undefined;
  if (host !== '' && host.toLowerCase() !== 'localhost') return undefined;
  return fileAt(decoded(path));
}

/** A user in front of a host disguises it. */
function otherOf(scheme: string, rest: string): Root | undefined {
  const [, host = '', path = ''] = /^([^/?#]*)([^?#]*)/s.exec(rest) ?? [];
  if (host.includes('@') || /\s/.test(host)) return undefined;
  const at = (authority: string) => ({
    space: `${scheme}://${authority}`,
    path: resolvePath(`/${decoded(path)}`, 'resolve'),
  });
  if (!isWeb(`${scheme}://x`)) return at(host.toLowerCase());
  const canonical = URL.parse(`${scheme}://${host}/`)?.host;
  return canonical === undefined ? undefined : at(canonical);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
