/**
 * Sends static texts: compressed if the client accepts it, and not at all if it has them cached [console.compressed].
 */
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { HttpReply } from '#core/contracts/http.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { remembered } from '#core/kernel/remembered.ts';

/** Preferred coding first. */
const codings = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
} as const;
type Coding = keyof typeof codings;

/** Caches the compressed texts of a set. */
const compressedOf = remembered((_texts: Readonly<Record<string, string>>) => new Map<string, Promise<string>>());

interface ClientHeaders {
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** @param name of a text in `texts`. */
export async function textReply(
  texts: Readonly<Record<string, string>>,
  name: string,
  headers: Readonly<Record<string, string>>,
  { acceptEncoding, ifNoneMatch }: ClientHeaders,
): Promise<HttpReply> {
  const text = texts[name] ?? '';
  const coding = preferred(acceptEncoding);
  const etag = `"${sha256(text).slice(0, 32)}${coding ? `-${coding}` : ''}"`;
  const all = { ...headers, etag, vary: 'accept-encoding', 'accept-ranges': 'none' };
  if (ifNoneMatch?.split(',').some((tag) => [etag, `W/${etag}`, '*'].includes(tag.trim())))
    return { statusCode: 304, headers: all, body: '' };
  if (!coding) return { statusCode: 200, headers: all, body: text };
  const done = compressedOf(texts);
  const key = `${coding} ${name}`;
  const body = done.get(key) ?? codings[coding](text).then((bytes) => bytes.toString('base64'));
  done.set(key, body);
  return { statusCode: 200, headers: { ...all, 'content-encoding': coding }, body: await body, isBase64Encoded: true };
}

/** Returns the coding with the largest weight (RFC 9110, section 12.5.3); undefined for no coding. */
export function preferred(acceptEncoding = ''): Coding | undefined {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  const weightOf = (name: string, absent: number) => weights.get(name) ?? weights.get('*') ?? absent;
  let best: Coding | undefined;
  let most = weights.get('identity') ?? 0;
  for (const coding of Object.keys(codings) as Coding[]) {
    const weight = weightOf(coding, 0);
    if (weight === 0 || weight < most || (best && weight === most)) continue;
    [best, most] = [coding, weight];
  }
  return best;
}
