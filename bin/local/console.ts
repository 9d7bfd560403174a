/**
 * The web console at `/console/` on the admin listener: static files from memory [console.served]. In a checkout they
 * are built from `console/` on the first request; an installed package already contains them.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { cacheControlOf, consoleHeaders } from '#core/contracts/console.ts';
import type { HttpReply } from '#core/contracts/http.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { MethodNotAllowed } from '#lambdas/middleware/route.ts';
import type { PageRequest } from './page-request.ts';
import type { SignInLink } from './sign-in-link.ts';

/** Handler for paths below `/console` and for a browser's request for `/`. Returns undefined for every other path. */
export type Pages = (request: PageRequest) => Promise<HttpReply> | undefined;

type Files = Readonly<Record<string, string>>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * @param root the checkout, or the installed package.
 * @param link absent if no keys are generated.
 */
export function consolePages(root: string, link?: SignInLink): Pages {
  let loaded: Promise<Files> | undefined;
  const files = () => {
    loaded ??= loadFiles(join(root, 'console'));
    loaded.catch(() => {
      loaded = undefined; // the next request tries again
    });
    return loaded;
  };
  return (request) => {
    const { method, path } = request;
    if (path === '/' && method === 'GET' && /\btext\/html\b/.test(request.headers.accept ?? ''))
      return Promise.resolve({ statusCode: 302, headers: { ...consoleHeaders, location: '/console/' }, body: '' });
    if (path !== '/console' && !path.startsWith('/console/')) return undefined;
    if (link && path === exchangePath) return exchangeLink(request, link);
    return reply(request, files);
  };
}

const exchangePath = '/console/sign-in';

/** Exchanges the sign-in link's token, which is sent in a body and never in a URL. */
async function exchangeLink(request: PageRequest, link: SignInLink): Promise<HttpReply> {
  if (request.method !== 'POST') throw new MethodNotAllowed(request.method, request.path, ['POST']);
  const answer = await link.exchange(request);
  return { ...answer, headers: { ...consoleHeaders, ...answer.headers } };
}

async function reply({ method, path, headers }: PageRequest, files: () => Promise<Files>): Promise<HttpReply> {
  if (!['GET', 'HEAD'].includes(method)) throw new MethodNotAllowed(method, path, ['GET', 'HEAD']);
  if (path === '/console') return { statusCode: 308, headers: { ...consoleHeaders, location: '/console/' }, body: '' };
  const name = path.slice('/console/'.length) || 'index.html';
  const all = await files();
  const type = types[extname(name)];
  if (!Object.hasOwn(all, name) || type === undefined) throw notFound({ noun: 'file of the console' });
  const asked = { acceptEncoding: headers['accept-encoding']?.toString(), ifNoneMatch: headers['if-none-match'] };
  return textReply(
    all,
    name,
    { ...consoleHeaders, 'content-type': type, 'cache-control': cacheControlOf(name) },
    asked,
  );
}

/** Builds the files from the sources, or reads files that are already built. */
export async function loadFiles(folder: string): Promise<Files> {
  const builder = join(folder, 'build.mjs');
  try {
    if (!existsSync(builder)) return await readFiles(folder);
    const { buildConsole } = (await import(pathToFileURL(builder).href)) as { buildConsole: () => Promise<Files> };
    return await buildConsole();
  } catch (cause) {
    const hint = 'Run `npm ci` in the checkout, or install the package again; `agentctl` works without the console.';
    throw new GatewayError('service_unavailable', `The console could not be loaded. ${hint}`, { cause });
  }
}

async function readFiles(folder: string): Promise<Files> {
  const names = (await readdir(folder)).filter((name) => extname(name) in types);
  const texts = await Promise.all(
    names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  );
  return Object.fromEntries(texts);
}

/** Content codings, in order of preference. */
const codings = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
} as const;
type ContentCoding = keyof typeof codings;

/** Caches the compressed files for each set of files. */
const compressedOf = remembered((_texts: Readonly<Record<string, string>>) => new Map<string, Promise<string>>());

interface ClientHeaders {
  readonly acceptEncoding: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** @param name the name of a file in `texts`. */
async function textReply(
  texts: Readonly<Record<string, string>>,
  name: string,
  headers: Readonly<Record<string, string>>,
  { acceptEncoding, ifNoneMatch }: ClientHeaders,
): Promise<HttpReply> {
  const text = texts[name] ?? '';
  const coding = preferredCoding(acceptEncoding);
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

/** Returns the content coding with the highest weight (RFC 9110, section 12.5.3), or undefined if there is none. */
function preferredCoding(acceptEncoding = ''): ContentCoding | undefined {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((word) => word.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    weights.set(name, weight === undefined ? 1 : Number(weight) || 0);
  }
  let best: ContentCoding | undefined;
  let most = weights.get('identity') ?? 0;
  for (const coding of Object.keys(codings) as ContentCoding[]) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0;
    if (weight === 0 || weight < most || (best && weight === most)) continue;
    [best, most] = [coding, weight];
  }
  return best;
}
