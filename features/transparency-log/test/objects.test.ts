/** Objects of the log, in a folder and in a scripted server's bucket. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { scriptedAws } from '../../../test/support/scripted-aws.ts';
import { useStarted } from '../../../test/support/use-started.ts';
import { folderLog } from '../adapters/folder-log.ts';
import { logBucket } from '../adapters/log-bucket.ts';

const server = useStarted(() => scriptedAws());
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'log-objects-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('[evidence.archive] tenants whose names differ only in case have separate folders', async () => {
  const bytes = Buffer.from('tile');
  const log = folderLog(folder);
  await log.put('Acme', 'tile/0/000', bytes);
  expect(await log.get('Acme', 'tile/0/000')).toEqual(bytes);
  expect(await log.get('acme', 'tile/0/000')).toBeUndefined();
  await log.put('acme', 'tile/0/000', Buffer.from('other'));
  expect(await log.list('Acme', 'tile/0')).toEqual(['000']);
  expect(new Set((await readdir(folder)).map((name) => name.toLowerCase())).size).toBe(2);
});

describe('[transparency.log] log objects in the bucket', () => {
  const objects = () =>
    logBucket({ client: new S3Client({ ...server.client, forcePathStyle: true }), bucket: 'archive' });
  const xml = (status: number, body: string) => ({ status, contentType: 'application/xml', body });

  it('writes an object only once, under a name that no tenant can have', async () => {
    server.answers({ body: '' }, xml(412, '<Error><Code>PreconditionFailed</Code></Error>'));
    await objects().put('a/b', 'tile/0/000', Buffer.from('hashes'));
    await objects().put('a/b', 'tile/0/000', Buffer.from('others'));
    expect(server.asked.map(({ method }) => method)).toEqual(['PUT', 'PUT']);
    expect(decodeURIComponent(server.asked[0]!.path)).toContain('/archive/@log/a%2Fb/tile/0/000');
    expect(server.asked[0]!.headers['if-none-match']).toBe('*');
  });

  it('reports an absent object, and throws on any other error', async () => {
    server.answers(
      xml(404, '<Error><Code>NoSuchKey</Code></Error>'),
      xml(403, '<Error><Code>AccessDenied</Code></Error>'),
    );
    expect(await objects().get('t', 'tile/0/000')).toBeUndefined();
    await expect(objects().get('t', 'tile/0/000')).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it('lists the names in a folder across several pages', async () => {
    const page = (names: string[], next = '') =>
      xml(
        200,
        `<ListBucketResult>${names.map((name) => `<Contents><Key>@log/t/runs/0/${name}</Key></Contents>`).join('')}${
          next && `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>`
        }</ListBucketResult>`,
      );
    server.answers(page(['a', 'b'], 'more'), page(['c']));
    expect(await objects().list('t', 'runs/0')).toEqual(['a', 'b', 'c']);
    expect(server.asked[1]!.path).toContain('continuation-token=more');
  });
});
