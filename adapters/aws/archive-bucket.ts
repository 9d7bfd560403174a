/**
 * The evidence archive in an Object-Lock bucket (architecture: append only is a chain of fences). One object per entry,
 * its name carrying position and hash: a repeated delivery finds its object, a forged twin would lie beside the first.
 */
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import type { Archive } from '#core/observatory/ports.ts';

export interface ArchiveBucketOptions {
  readonly bucket: string;
  /** @default a client of the surroundings */
  readonly client?: S3Client;
}

export function archiveBucket({ bucket, client = new S3Client({}) }: ArchiveBucketOptions): Archive {
  return {
    async keep(entry) {
      await client.send(new PutObjectCommand({ Bucket: bucket, ...archivedObject(entry) })).catch((cause: unknown) => {
        if (!(cause instanceof Error) || cause.name !== 'PreconditionFailed') throw cause;
      });
    },
  };
}

/** `<tenant>/<session>/<position>-<hash>.json`: listing a session gives its chain in order. */
export const archiveKey = ({ tenant, session_id, index, hash }: EvidenceEntry): string =>
  `${encodeURIComponent(tenant)}/${encodeURIComponent(session_id)}/${String(index).padStart(12, '0')}-${hash}.json`;

const archivedObject = (entry: EvidenceEntry) => ({
  Key: archiveKey(entry),
  Body: canonicalize(entry),
  ContentType: 'application/json',
  // Put if absent; the bucket refuses any other put.
  IfNoneMatch: '*',
});
