/**
 * The web console at `/console/` of the admin listener: static files from memory [console.served]. In a checkout they
 * are built from `console/` at the first request; an installed package contains them.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { consoleHeaders } from '#core/contracts/console.ts';
import type { HttpReply } from '#core/contracts/http.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { MethodNotAllowed } from '#lambdas/middleware/route.ts';
import { textReply } from './compressed.ts';
import type { PageRequest } from './page-request.ts';
import type { SignInLink } from './sign-in-link.ts';

/** Answers paths below `/console`, and a browser's request for `/`; undefined for every other path. */
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
    if (link && path === exchangePath) return exchanged(request, link);
    return reply(request, files);
  };
}

const exchangePath = '/console/sign-in';

/** Exchanges the link's token, which is sent in a body and never in an address. */
async function exchanged(request: PageRequest, link: SignInLink): Promise<HttpReply> {
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
  if (!Object.hasOwn(all, name) || type === undefined) throw notFound('console_file');
  const asked = { acceptEncoding: headers['accept-encoding']?.toString(), ifNoneMatch: headers['if-none-match'] };
  return textReply(all, name, { ...consoleHeaders, 'content-type': type }, asked);
}

/** Builds the files from sources, or reads built ones. */
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
