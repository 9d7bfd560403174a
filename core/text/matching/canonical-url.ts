/** One spelling for a URL: scheme and host in lower case, no default port, no user, dot segments resolved. */
import { type DotDot, resolvePath } from './canonical-path.ts';

const shape = /^([a-z][a-z0-9+.-]*):(\/*)([^/?#]*)([^?#]*)(.*)$/is;
/** WHATWG reads these without, or with any number of, slashes: `https:host` is `https://host/`. */
const special = new Set(['http', 'https', 'ws', 'wss', 'ftp']);
const scpLike = /^([\w.-]+@)([\w.-]+):(?!\/\/)(.*)$/s;

/**
 * The canonical form of a word that is a URL (or `user@host:path`), else nothing.
 * @param dotDot of schemes whose servers may take `..` for a name (`s3://bucket/a/../b`); clients resolve it in those of the web.
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
  // Who logs in is not where it goes: `https://good.example@evil.example` is evil.example.
  const hostAndPort = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  if (!special.has(scheme)) return hostAndPort;
  try {
    const { hostname, port } = new URL(`${scheme}://${hostAndPort}`);
    return hostname.replace(/(?<=[^.])\.+$/, '') + (port === '' ? '' : `:${port}`);
  } catch {
    return hostAndPort;
  }
}

/** The path of a URL always begins with a slash and keeps its last one. */
function resolveTail(path: string, dotDot: DotDot): string {
  const resolved = resolvePath(`/${path}`, dotDot);
  return path.length > 1 && path.endsWith('/') && resolved !== '/' ? `${resolved}/` : resolved;
}

function canonicalScp(word: string): string | undefined {
  const parts = scpLike.exec(word);
  return parts ? `${parts[1]}${parts[2]!.toLowerCase()}:${resolvePath(parts[3]!, 'resolve')}` : undefined;
}
