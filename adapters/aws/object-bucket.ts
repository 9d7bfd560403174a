/**
 * Bodies in S3, keyed by their SHA-256. Access patterns: put-if-absent, get. Objects are never overwritten or deleted,
 * because a key identifies its content.
 */

import type { PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3';
import { storeResult } from '#adapters/tables/store.ts';
import { type ObjectFolder, objectFolders } from '#core/contracts/object-folders.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { ObjectStore } from '#core/kernel/ports.ts';
import { objectBounds } from './client-bounds.ts';

type S3 = typeof import('./sdk/s3.ts') & { readonly client: S3Client };

interface ObjectBucketOptions {
  readonly bucket: string;
  /** @default the folder of configurations and modules */
  readonly folder?: ObjectFolder;
  /** @default a separate client, created on the first call */
  readonly client?: S3Client;
}

const objectKey = (folder: ObjectFolder, digest: string) => `${folder}/${digest.slice(0, 2)}/${digest}`;

/**
 * Returns the parameters for a put. S3 checks the bytes against the digest and refuses to replace an existing object.
 */
const putParams = (bucket: string, bytes: Uint8Array, digest: string, folder: ObjectFolder): PutObjectCommandInput => ({
  Bucket: bucket,
  Key: objectKey(folder, digest),
  Body: bytes,
  ContentType: 'application/octet-stream',
  ChecksumSHA256: Buffer.from(digest, 'hex').toString('base64'),
  IfNoneMatch: '*',
});

/** Stores bodies in a bucket. The client is loaded for the first body, because most handler calls store none. */
export function objectBucket(options: ObjectBucketOptions): ObjectStore {
  const { bucket, folder = objectFolders.configurations, client } = options;
  let connected: Promise<S3> | undefined;
  const s3 = (): Promise<S3> => {
    connected ??= connect(client);
    return connected;
  };
  return {
    async put(bytes) {
      const digest = sha256(bytes);
      await storeResult(putUnlessPresent(await s3(), putParams(bucket, bytes, digest, folder)));
      return digest;
    },

    async get(digest) {
      if (!/^[0-9a-f]{64}$/.test(digest)) return undefined;
      const bytes = await storeResult(readObject(await s3(), bucket, objectKey(folder, digest)));
      if (bytes && sha256(bytes) !== digest)
        throw new GatewayError('service_unavailable', `The stored object ${digest} does not match its digest.`);
      return bytes;
    },
  };
}

async function connect(client: S3Client | undefined): Promise<S3> {
  const sdk = await import('./sdk/s3.ts');
  return { ...sdk, client: client ?? new sdk.S3Client(objectBounds()) };
}

async function readObject(
  { client, GetObjectCommand }: S3,
  bucket: string,
  key: string,
): Promise<Uint8Array | undefined> {
  try {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return await Body?.transformToByteArray();
  } catch (cause) {
    if (isErrorNamed(cause, 'NoSuchKey')) return undefined;
    throw cause;
  }
}

/**
 * Puts an object. Status 412 means that the same bytes are already stored; 409 means that another put is in progress,
 * and S3 requires a retry.
 */
async function putUnlessPresent(s3: S3, input: PutObjectCommandInput, tries = 3): Promise<void> {
  try {
    await s3.client.send(new s3.PutObjectCommand(input));
  } catch (cause) {
    const status = (cause as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
    if (status === 412) return;
    if (status !== 409 || tries <= 1) throw cause;
    await putUnlessPresent(s3, input, tries - 1);
  }
}
