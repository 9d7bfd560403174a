/** Parses declared roots and checks whether a place is one of them or below one [guard.roots]. */

import { decodeUriOrUnchanged } from '#core/kernel/decode-uri.ts';
import { resolvePath } from '#core/text/matching/canonical-path.ts';

export interface Root {
  /** `file` for paths; otherwise the scheme and host, such as `https://api.example.com`. */
  readonly space: string;
  /** Resolved path that begins with `/` or a drive. */
  readonly path: string;
}

/**
 * Reports whether text is a web address. Web addresses are not restricted unless at least one root is a web address.
 */
export const isWeb = (text: string): boolean => /^(?:https?|wss?):\/\/[^\s\\]/i.test(text);

/**
 * Parses a root.
 * @returns undefined if it is neither an absolute path nor a URI.
 */
export function rootOf(text: string): Root | undefined {
  const place = parseRootPath(text.replaceAll('\\', '/'));
  return place === 'relative' ? undefined : place;
}

/**
 * Reports whether a reading is below a root. Relative names are resolved in the server's working folder; readings with
 * a step up have already been rejected.
 */
export function isBelowRoot(reading: string, roots: readonly Root[]): boolean {
  const place = parseRootPath(reading);
  if (place === 'relative') return true;
  return roots.some(
    ({ space, path }) =>
      place?.space === space && (place.path === path || place.path.startsWith(path.endsWith('/') ? path : `${path}/`)),
  );
}

function parseRootPath(text: string): Root | 'relative' | undefined {
  const [, drive, onDrive = ''] = /^([A-Za-z]):(.*)$/s.exec(text) ?? [];
  if (drive !== undefined) return onDrive.startsWith('/') ? fileAt(`/${text}`) : undefined;
  // On some systems, two slashes or a name before a colon specify a host.
  if (text.startsWith('//') || /^[\w.+-]+@[\w.-]+:/.test(text)) return undefined;
  if (text.startsWith('/')) return fileAt(text);
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]{1,31}):(.*)$/is.exec(text) ?? [];
  if (scheme.toLowerCase() === 'file') return fileOf(rest);
  if (rest.startsWith('//')) return otherOf(scheme.toLowerCase(), rest.slice(2));
  return rest.startsWith('/') || rest.includes(':/') ? undefined : 'relative';
}

/**
 * Returns the root for a path.
 * @param path an absolute path, with a slash before a drive.
 */
function fileAt(path: string): Root {
  const [, drive, rest = ''] = /^\/([A-Za-z]):(\/.*|)$/s.exec(path) ?? [];
  if (drive === undefined) return { space: 'file', path: resolvePath(path, 'resolve') };
  return { space: 'file', path: `${drive.toLowerCase()}:${resolvePath(rest || '/', 'resolve')}` };
}

function fileOf(rest: string): Root | undefined {
  const [, host = '', path] = /^(?:\/\/([^/?#]*))?(\/[^?#]*)$/s.exec(rest) ?? [];
  if (path === undefined || path.startsWith('//')) return undefined;
  if (host !== '' && host.toLowerCase() !== 'localhost') return undefined;
  return fileAt(decodeUriOrUnchanged(path));
}

/** Parses an address. User information in front of a host disguises the host. */
function otherOf(scheme: string, rest: string): Root | undefined {
  const [, host = '', path = ''] = /^([^/?#]*)([^?#]*)/s.exec(rest) ?? [];
  if (host.includes('@') || /\s/.test(host)) return undefined;
  const at = (authority: string) => ({
    space: `${scheme}://${authority}`,
    path: resolvePath(`/${decodeUriOrUnchanged(path)}`, 'resolve'),
  });
  if (!isWeb(`${scheme}://x`)) return at(host.toLowerCase());
  const canonical = URL.parse(`${scheme}://${host}/`)?.host;
  return canonical === undefined ? undefined : at(canonical);
}
