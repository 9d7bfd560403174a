/**
 * Checkpoints in the Object-Lock bucket: one object per session and checkpoint, each with its own proof, under names
 * that no tenant can use. The positions in the names count down, so the newest checkpoint is listed first.
 */

import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { storeResult } from '#adapters/tables/store.ts';
import type { ChainPoint, SessionCheckpoint } from '#core/contracts/evidence.ts';
import { CheckpointDamage, checkpointsOf, sessionCheckpointDefect, signCheckpoint } from '#core/evidence/checkpoint.ts';
import { signingKeysOf } from '#core/evidence/key-succession.ts';
import type { CheckpointLog, LastCheckpoint, Signer } from '#core/evidence/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { jsonOrUndefined } from '#core/kernel/json-or-undefined.ts';
import type { Page } from '#core/kernel/page.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { ignoreExisting } from './archive-bucket.ts';
import { objectBounds } from './client-bounds.ts';

interface CheckpointBucketOptions {
  readonly bucket: string;
  readonly signer: Signer;
  readonly clock: Clock;
  /** @default a client with the environment's credentials */
  readonly client?: S3Client;
  /** Caches the checkpoints this process signed, so that the writer does not have to read them for every batch. */
  readonly remembers?: boolean;
}

const root = '@checkpoints/';
const tenantFolder = (tenant: string): string => `${root}${encodeURIComponent(tenant)}/`;
const folderOf = (tenant: string, session: string): string => `${tenantFolder(tenant)}${encodeURIComponent(session)}/`;
const maxIndex = 999_999_999_999;
export const checkpointKey = ({ tenant, session_id, index, hash }: ChainPoint): string =>
  `${folderOf(tenant, session_id)}${String(maxIndex - index).padStart(12, '0')}-${hash}.json`;

/** Maximum number of sessions whose newest checkpoint is cached. */
const maxRemembered = 5_000;

export function checkpointBucket(options: CheckpointBucketOptions): CheckpointLog {
  const { bucket: Bucket, signer, clock, client = new S3Client(objectBounds()), remembers = false } = options;
  const remembered = new RecentMap<string, LastCheckpoint>({ max: maxRemembered });

  const remember = ({ point, checkpoint }: Pick<SessionCheckpoint, 'point' | 'checkpoint'>): LastCheckpoint => {
    const found = { point, created_at: checkpoint.created_at, key_id: checkpoint.signature.key_id };
    if (!remembers) return found;
    remembered.set(folderOf(point.tenant, point.session_id), found);
    return found;
  };

  /**
   * @throws CheckpointDamage if the object is not a checkpoint of this session, or not signed by the gateway's keys.
   */
  async function newest(tenant: string, sessionId: string): Promise<SessionCheckpoint | undefined> {
    const Prefix = folderOf(tenant, sessionId);
    const { Contents = [] } = await storeResult(client.send(new ListObjectsV2Command({ Bucket, Prefix, MaxKeys: 1 })));
    const Key = Contents[0]?.Key;
    if (Key === undefined) return undefined;
    const { Body } = await storeResult(client.send(new GetObjectCommand({ Bucket, Key })));
    const found = jsonOrUndefined((await Body?.transformToString()) ?? '');
    const publicKeys = (await signingKeysOf(signer)).keys.map(({ public_key }) => public_key);
    const defect = sessionCheckpointDefect(found, publicKeys);
    const proof = found as SessionCheckpoint;
    if (defect !== undefined) throw new CheckpointDamage(`${defect} (${Key})`);
    if (checkpointKey(proof.point) !== Key) throw new CheckpointDamage(`it is stored under a different name (${Key})`);
    return proof;
  }

  return {
    async last(tenant, sessionId) {
      const known = remembered.get(folderOf(tenant, sessionId));
      const proof = known ? undefined : await newest(tenant, sessionId);
      return known ?? (proof && remember(proof));
    },

    proof: newest,

    async sessions(tenant, { limit, cursor }): Promise<Page<string>> {
      const Prefix = tenantFolder(tenant);
      const page = await storeResult(
        client.send(
          new ListObjectsV2Command({
            Bucket,
            Prefix,
            Delimiter: '/',
            MaxKeys: limit,
            ...(cursor !== undefined && { ContinuationToken: cursor }),
          }),
        ),
      );
      const items = (page.CommonPrefixes ?? []).map(({ Prefix: name = '' }) =>
        decodeURIComponent(name.slice(Prefix.length, -1)),
      );
      return { items, ...(page.NextContinuationToken !== undefined && { cursor: page.NextContinuationToken }) };
    },

    damage: async () => undefined,

    async append(points) {
      const created_at = isoTime(clock.now());
      const checkpoint = await signCheckpoint(points, { created_at, previous: '' }, signer);
      const checkpointAt = checkpointsOf(checkpoint, points);
      await Promise.all(
        points.map(async (_, position) => {
          const session = checkpointAt(position);
          const object = {
            Key: checkpointKey(session.point),
            Body: canonicalize(session),
            ContentType: 'application/json',
            IfNoneMatch: '*',
          };
          await storeResult(client.send(new PutObjectCommand({ Bucket, ...object })).catch(ignoreExisting));
          remember(session);
        }),
      );
    },
  };
}
