/**
 * Objects of the transparency log in the Object Lock bucket, under names that tenants cannot have. Each is put once,
 * and never changed or removed.
 */

import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ignoreExisting } from '#adapters/aws/archive-bucket.ts';
import { objectBounds } from '#adapters/aws/client-bounds.ts';
import { storeResult } from '#adapters/tables/store.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import type { LogObjects } from '../ports.ts';

interface LogBucketOptions {
  readonly bucket: string;
  /** @default a client with credentials from the environment */
  readonly client?: S3Client;
}

const objectKey = (tenant: string, path: string): string => `@log/${encodeURIComponent(tenant)}/${path}`;

export function logBucket({ bucket: Bucket, client = new S3Client(objectBounds()) }: LogBucketOptions): LogObjects {
  return {
    async put(tenant, path, Body) {
      const object = { Key: objectKey(tenant, path), Body, ContentType: 'application/octet-stream', IfNoneMatch: '*' };
      await storeResult(client.send(new PutObjectCommand({ Bucket, ...object })).catch(ignoreExisting));
    },

    async get(tenant, path) {
      const found = client.send(new GetObjectCommand({ Bucket, Key: objectKey(tenant, path) })).catch(absent);
      const bytes = await (await storeResult(found))?.Body?.transformToByteArray();
      return bytes && Buffer.from(bytes);
    },

    async list(tenant, folder) {
      const Prefix = `${objectKey(tenant, folder)}/`;
      const names: string[] = [];
      let next: string | undefined;
      do {
        const token = next === undefined ? {} : { ContinuationToken: next };
        const page = await storeResult(client.send(new ListObjectsV2Command({ Bucket, Prefix, ...token })));
        names.push(...(page.Contents ?? []).map(({ Key = '' }) => Key.slice(Prefix.length)));
        next = page.NextContinuationToken;
      } while (next !== undefined);
      return names;
    },
  };
}

function absent(cause: unknown): undefined {
  if (!isErrorNamed(cause, 'NoSuchKey')) throw cause;
}
