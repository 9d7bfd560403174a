/**
 * The evidence archive in an Object-Lock bucket. Each run of a session's entries is one object: JSON lines under a name
 * that carries the first and last index and the last hash, or a single entry under its index and hash. A repeated
 * delivery finds its object already stored, a forged twin gets another name, and listing a session's folder gives its
 * chain in order.
 */

import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { storeResult } from '#adapters/tables/store.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { archiveReader, runsOf } from '#core/evidence/archived.ts';
import type { ArchivedRun, ArchiveReader } from '#core/evidence/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import type { Archive } from '#core/observatory/ports.ts';
import { objectBounds } from './client-bounds.ts';

interface ArchiveBucketOptions {
  readonly bucket: string;
  /** @default a client with the environment's credentials */
  readonly client?: S3Client;
}

export function archiveBucket({
  bucket,
  client = new S3Client(objectBounds()),
}: ArchiveBucketOptions): Archive & ArchiveReader {
  return {
    async keep(entries) {
      await Promise.all(
        runsOf(entries).map((run) =>
          storeResult(
            client.send(new PutObjectCommand({ Bucket: bucket, ...archivedObject(run) })).catch(ignoreExisting),
          ),
        ),
      );
    },
    ...archiveReader({ complete: true, runs, read }),
  };

  async function* runs(tenant: string, sessionId: string, first: number): AsyncIterable<ArchivedRun> {
    const Prefix = folderOf(tenant, sessionId);
    let next: string | undefined;
    do {
      const page = await storeResult(
        client.send(
          new ListObjectsV2Command({
            Bucket: bucket,
            Prefix,
            ...(next === undefined ? { StartAfter: Prefix + position(first) } : { ContinuationToken: next }),
          }),
        ),
      );
      for (const { Key = '' } of page.Contents ?? []) {
        const run = runNamed(Key, Prefix);
        if (run) yield run;
      }
      next = page.NextContinuationToken;
    } while (next !== undefined);
  }

  async function read(_tenant: string, _session: string, { place }: ArchivedRun): Promise<EvidenceEntry[]> {
    const { Body } = await storeResult(client.send(new GetObjectCommand({ Bucket: bucket, Key: place })));
    const text = (await Body?.transformToString()) ?? '';
    return text.split('\n').map((line) => JSON.parse(line) as EvidenceEntry);
  }
}

const position = (index: number): string => String(index).padStart(12, '0');
const folderOf = (tenant: string, sessionId: string): string =>
  `${encodeURIComponent(tenant)}/${encodeURIComponent(sessionId)}/`;

/** Parses `<index>-<hash>.json` or `<first>-<last>-<hash of the last>.jsonl`. Returns undefined for other names. */
function runNamed(place: string, folder: string): ArchivedRun | undefined {
  const [, first, last = first, hash] =
    /^(\d{12})(?:-(\d{12}))?-([0-9a-f]{64})\.jsonl?$/.exec(place.slice(folder.length)) ?? [];
  if (first === undefined || hash === undefined) return undefined;
  return { first: Number(first), last: Number(last), hash, place };
}

/**
 * Returns the name of the object that holds consecutive entries. Listing a session's objects gives its chain in order.
 */
export function archiveKey(run: readonly EvidenceEntry[]): string {
  const [{ tenant, session_id, index }, { index: last, hash }] = [run[0]!, run.at(-1)!];
  const folder = folderOf(tenant, session_id) + position(index);
  return run.length === 1 ? `${folder}-${hash}.json` : `${folder}-${position(last)}-${hash}.jsonl`;
}

const archivedObject = (run: readonly EvidenceEntry[]) => ({
  Key: archiveKey(run),
  Body: run.map((entry) => canonicalize(entry)).join('\n'),
  ContentType: run.length === 1 ? 'application/json' : 'application/x-ndjson',
  // Writes only if the object is absent; the bucket refuses any other put.
  IfNoneMatch: '*',
});

/** Ignores a refusal to replace an object, because an earlier delivery has already stored it. */
export function ignoreExisting(cause: unknown): void {
  if (!isErrorNamed(cause, 'PreconditionFailed')) throw cause;
}
