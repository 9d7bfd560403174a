/** Normalises URLs: scheme and host in lower case, no default port, no user, dot segments resolved. */
import { type DotDot, resolvePath } from './canonical-path.ts';

const shape = /^([a-z][a-z0-9+.-]*):(\/*)([^/?#]*)([^?#]*)(.*)$/is;
/** Schemes for which WHATWG accepts any number of slashes: `https:host` is `https://host/`. */
const special = new Set(['http', 'https', 'ws', 'wss', 'ftp']);
const scpLike = /^([\w.-]+@)([\w.-]+):(?!\/\/)(.*)$/s;

/**
 * Returns the normal form of a URL or `user@host:path`. Undefined for other words.
 * @param dotDot for schemes whose servers may treat `..` as a name (`s3://bucket/a/../b`). Web clients resolve it.
 */
export function canonicalUrl(word: string, dotDot: DotDot = 'resolve'): string | undefined {
  const parts = shape.exec(word);
  if (!parts) return canonicalScp(word);
  const [, rawScheme = '', slashes = '', authority = '', path = '', rest = ''] = parts;
  const scheme = rawScheme.toLowerCase();
  if (special.has(scheme) ? authority === '' : slashes.length < 2) return undefined;
  // `file:///etc/passwd`: no authority, the third slash belongs to the path.
  if (!special.has(scheme) && slashes.length > 2)
    return `${scheme}://${resolveTail(`/${authority}${path}`, dotDot)}${rest}`;
  return `${scheme}://${canonicalHost(scheme, authority)}${resolveTail(path, special.has(scheme) ? 'resolve' : dotDot)}${rest}`;
}

function canonicalHost(scheme: string, authority: string): string {
  // The user is not the host: `https://good.example@evil.example` is evil.example.
  const hostAndPort = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  if (!special.has(scheme)) return hostAndPort;
  try {
    const { hostname, port } = new URL(`${scheme}://${hostAndPort}`);
    return hostname.replace(/(?<=[^.])\.+$/, '') + (port === '' ? '' : `:${port}`);
  } catch {
    return hostAndPort;
  }
}

/** Resolves the path of a URL. It always begins with a slash and keeps a trailing one. */
function resolveTail(path: string, dotDot: DotDot): string {
  const resolved = resolvePath(`/${path}`, dotDot);
  return path.length > 1 && path.endsWith('/') && resolved !== '/' ? `${resolved}/` : resolved;
}

function canonicalScp(word: string): string | undefined {
  const parts = scpLike.exec(word);
  return parts ? `${parts[1]}${parts[2]!.toLowerCase()}:${resolvePath(parts[3]!, 'resolve')}` : undefined;
}
