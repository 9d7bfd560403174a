/** A bucket of an S3-compatible server over HTTP, in memory, as far as archive and checkpoints use one; signatures are not verified. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Server {
  readonly url: string;
  readonly bucket: string;
  /** Texts by key. */
  readonly objects: ReadonlyMap<string, string>;
  stop(): Promise<void>;
}

export async function startS3(bucket = 'evidence'): Promise<S3Server> {
  const objects = new Map<string, string>();
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const body = await bodyOf(request);
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const [name = '', ...rest] = pathname.slice(1).split('/');
    const key = decodeURIComponent(rest.join('/'));
    if (name !== bucket) return failed(response, 404, 'NoSuchBucket');
    if (request.method === 'GET' && key === '') return xml(response, 200, listing(objects, bucket, searchParams));
    if (request.method === 'GET') {
      const text = objects.get(key);
      return text === undefined ? failed(response, 404, 'NoSuchKey') : void response.end(text);
    }
    if (request.method !== 'PUT' || request.headers['if-none-match'] !== '*')
      return failed(response, 403, 'AccessDenied');
    if (objects.has(key)) return failed(response, 412, 'PreconditionFailed');
    objects.set(key, body);
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ bucket, objects },
    stop: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function listing(objects: ReadonlyMap<string, string>, bucket: string, query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const max = Number(query.get('max-keys') ?? 1000);
  const names = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  const folderOf = (key: string) => {
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    return end < 0 ? undefined : key.slice(0, end + 1);
  };
  const entries = [...new Set(names.map((key) => folderOf(key) ?? key))].filter((entry) => entry > after);
  const page = entries.slice(0, max);
  const more = entries.length > page.length;
  return [
    `<ListBucketResult><Name>${bucket}</Name><IsTruncated>${more}</IsTruncated>`,
    ...page.map((entry) =>
      entry.endsWith('/')
        ? `<CommonPrefixes><Prefix>${escaped(entry)}</Prefix></CommonPrefixes>`
        : `<Contents><Key>${escaped(entry)}</Key><Size>${objects.get(entry)?.length ?? 0}</Size></Contents>`,
    ),
    more ? `<NextContinuationToken>${escaped(page.at(-1) ?? '')}</NextContinuationToken>` : '',
    '</ListBucketResult>',
  ].join('');
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const failed = (response: ServerResponse, status: number, code: string) =>
  xml(response, status, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);

function xml(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>${text}`);
}

/** Without the chunk signatures of `aws-chunked`, where a client sends its checksum behind the body. */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  if (!/aws-chunked/.test(String(request.headers['content-encoding']))) return text;
  const bytes = Buffer.from(text);
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    if (!(size > 0)) break;
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
  return Buffer.concat(parts).toString('utf8');
}
