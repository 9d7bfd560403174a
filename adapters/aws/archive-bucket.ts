/**
 * The evidence archive in an Object-Lock bucket (architecture: append only is a chain of fences). One object per entry,
 * its name carrying position and hash: a repeated delivery finds its object, a forged twin would lie beside the first,
 * and a listing is enough to compare a chain.
 */
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { ArchiveReader } from '#core/evidence/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import type { Archive } from '#core/observatory/ports.ts';

export interface ArchiveBucketOptions {
  readonly bucket: string;
  /** @default a client of the surroundings */
  readonly client?: S3Client;
}

export function archiveBucket({ bucket, client = new S3Client({}) }: ArchiveBucketOptions): Archive & ArchiveReader {
  return {
    async keep(entry) {
      await client.send(new PutObjectCommand({ Bucket: bucket, ...archivedObject(entry) })).catch(unlessPresent);
    },

    complete: true,

    async hashes(tenant, sessionId) {
      const found = new Map<number, readonly string[]>();
      for await (const { index, hash } of copies(tenant, sessionId)) {
        found.set(index, [...(found.get(index) ?? []), hash]);
      }
      return found;
    },

    async *entries(tenant, sessionId, fromIndex) {
      let expected = fromIndex;
      let held: string | undefined;
      // One behind the listing: a twin stands right after its sibling.
      for await (const { key, index } of copies(tenant, sessionId, fromIndex)) {
        if (held !== undefined && index === expected) return;
        if (held !== undefined) {
          yield await read(held);
          expected++;
        }
        if (index !== expected) return;
        held = key;
      }
      if (held !== undefined) yield await read(held);
    },
  };

  async function* copies(tenant: string, sessionId: string, fromIndex = 0) {
    const Prefix = folderOf(tenant, sessionId);
    let next: string | undefined;
    do {
      const page = await client.send(
        new ListObjectsV2Command({
          ...{ Bucket: bucket, Prefix },
          ...(next === undefined ? { StartAfter: Prefix + position(fromIndex) } : { ContinuationToken: next }),
        }),
      );
      for (const { Key = '' } of page.Contents ?? []) {
        const [, index, hash] = /^(\d{12})-([0-9a-f]{64})\.json$/.exec(Key.slice(Prefix.length)) ?? [];
        if (index !== undefined && hash !== undefined) yield { key: Key, index: Number(index), hash };
      }
      next = page.NextContinuationToken;
    } while (next !== undefined);
  }

  async function read(Key: string): Promise<EvidenceEntry> {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }));
    return JSON.parse((await Body?.transformToString()) ?? '') as EvidenceEntry;
  }
}

const position = (index: number): string => String(index).padStart(12, '0');
const folderOf = (tenant: string, sessionId: string): string =>
  `${encodeURIComponent(tenant)}/${encodeURIComponent(sessionId)}/`;

/** `<tenant>/<session>/<position>-<hash>.json`: listing a session gives its chain in order. */
export const archiveKey = ({ tenant, session_id, index, hash }: EvidenceEntry): string =>
  `${folderOf(tenant, session_id)}${position(index)}-${hash}.json`;

const archivedObject = (entry: EvidenceEntry) => ({
  Key: archiveKey(entry),
  Body: canonicalize(entry),
  ContentType: 'application/json',
  // Put if absent; the bucket refuses any other put.
  IfNoneMatch: '*',
});

/** An object that is there already was put by an earlier delivery. */
export function unlessPresent(cause: unknown): void {
  if (!(cause instanceof Error) || cause.name !== 'PreconditionFailed') throw cause;
}
