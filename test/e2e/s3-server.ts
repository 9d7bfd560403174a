/** The test bucket as an S3-compatible server over HTTP; signatures are not verified. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FakeBucket } from '../support/fake-bucket.ts';

export type S3Server = Awaited<ReturnType<typeof startS3>>;

interface Listing {
  readonly Contents: readonly { readonly Key: string }[];
  readonly CommonPrefixes: readonly { readonly Prefix: string }[];
  readonly NextContinuationToken?: string;
}

export async function startS3(bucket = 'evidence') {
  const stored = new FakeBucket();
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const [name = '', ...rest] = pathname.slice(1).split('/');
    const key = decodeURIComponent(rest.join('/'));
    if (name !== bucket) return failed(response, 'NoSuchBucket');
    try {
      if (request.method === 'PUT') {
        const { 'if-none-match': condition } = request.headers;
        stored.answer('PutObjectCommand', {
          Key: key,
          Body: await bodyOf(request),
          ...(condition && { IfNoneMatch: condition }),
        });
        response.end();
      } else if (key === '')
        xml(response, 200, listing(stored.answer('ListObjectsV2Command', queryOf(searchParams)) as Listing));
      else {
        stored.answer('GetObjectCommand', { Key: key });
        response.end(stored.objects.get(key));
      }
    } catch (refusal) {
      failed(response, (refusal as Error).message);
    }
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket,
    stop: () =>
      new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

const queryOf = (query: URLSearchParams) => ({
  Prefix: query.get('prefix') ?? '',
  ContinuationToken: query.get('continuation-token') ?? '',
  StartAfter: query.get('start-after') ?? '',
  ...(query.get('delimiter') && { Delimiter: query.get('delimiter')! }),
  MaxKeys: Number(query.get('max-keys') ?? 1000),
});

const listing = ({ Contents, CommonPrefixes, NextContinuationToken: next }: Listing): string =>
  [
    `<ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>`,
    ...Contents.map(({ Key }) => `<Contents><Key>${escaped(Key)}</Key></Contents>`),
    ...CommonPrefixes.map(({ Prefix }) => `<CommonPrefixes><Prefix>${escaped(Prefix)}</Prefix></CommonPrefixes>`),
    next === undefined ? '' : `<NextContinuationToken>${escaped(next)}</NextContinuationToken>`,
    '</ListBucketResult>',
  ].join('');

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

const statuses: Readonly<Record<string, number>> = { AccessDenied: 403, PreconditionFailed: 412 };
const failed = (response: ServerResponse, code: string) =>
  xml(response, statuses[code] ?? 404, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);

function xml(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0" encoding="UTF-8"?>${text}`);
}

/**
 * Reads a body without the chunk signatures of `aws-chunked`, which a client uses to send its checksum after the body.
 */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  if (!/aws-chunked/.test(String(request.headers['content-encoding']))) return bytes.toString('utf8');
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
