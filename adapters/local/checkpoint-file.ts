/**
 * Checkpoints in a local run: an append-only file with one signed checkpoint and its chain points per line, each line
 * containing the hash of the previous one. A line truncated by a crash was never acknowledged and is dropped.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ChainPoint, Checkpoint, SessionCheckpoint } from '#core/contracts/evidence.ts';
import { checkpointHash, checkpointsOf, signCheckpoint } from '#core/evidence/checkpoint.ts';
import type { CheckpointLog, LastCheckpoint, Signer } from '#core/evidence/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import type { Page } from '#core/kernel/page.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import { type CheckpointLine, readCheckpoints } from './checkpoint-lines.ts';
import { syncFolder } from './durable-file.ts';

interface CheckpointFileOptions {
  readonly path: string;
  readonly signer: Signer;
  /** PEM of every key that may have signed lines in the file. */
  readonly publicKeys: readonly string[];
  readonly clock: Clock;
}

/** Position of a session's newest checkpoint in the file. */
interface CheckpointPosition {
  readonly last: LastCheckpoint;
  readonly offset: number;
  readonly bytes: number;
  readonly position: number;
}

interface CheckpointFile extends CheckpointLog {
  close(): Promise<void>;
}

/** Opens and reads the file, creating it with mode 0600 if it does not exist. */
export async function checkpointFile(options: CheckpointFileOptions): Promise<CheckpointFile> {
  const { path, signer, clock } = options;
  const file = await open(path, 'a+', 0o600);
  await syncFolder(dirname(path));
  const places = new Map<string, Map<string, CheckpointPosition>>();
  const found = await readCheckpoints(path, options.publicKeys, remember);
  if (found.torn) await file.truncate(found.end);
  let { end, previous } = found;
  let damaged = found.damage;
  let torn = false;
  let writing: Promise<void> = Promise.resolve();

  function remember({ checkpoint, points, offset, bytes }: CheckpointLine): void {
    const { created_at, signature } = checkpoint;
    points.forEach((point, position) => {
      const tenant = places.get(point.tenant) ?? new Map<string, CheckpointPosition>();
      places.set(point.tenant, tenant);
      const last = { point, created_at, key_id: signature.key_id };
      tenant.set(point.session_id, { last, offset, bytes, position });
    });
  }

  async function write(points: readonly ChainPoint[]): Promise<void> {
    const created_at = isoTime(clock.now());
    const checkpoint = await signCheckpoint(points, { created_at, previous }, signer);
    const line = Buffer.from(`${canonicalize({ checkpoint, points })}\n`);
    // Removes a partial line left by a full disk, because the next line would be appended to it.
    if (torn) await file.truncate(end);
    torn = true;
    await file.appendFile(line);
    await file.datasync();
    torn = false;
    remember({ checkpoint, points, offset: end, bytes: line.length });
    end += line.length;
    previous = checkpointHash(checkpoint);
  }

  /** Rereads a line; returns undefined if it differs from the line that was written. */
  async function lineOf({ last, offset, bytes, position }: CheckpointPosition): Promise<SessionCheckpoint | undefined> {
    try {
      const { checkpoint, points } = JSON.parse(await textAt(file, offset, bytes)) as {
        checkpoint: Checkpoint;
        points: ChainPoint[];
      };
      const proof = checkpointsOf(checkpoint, points)(position);
      return canonicalize(proof.point) === canonicalize(last.point) ? proof : undefined;
    } catch {
      return undefined;
    }
  }

  const placeOf = (tenant: string, sessionId: string) => places.get(tenant)?.get(sessionId);

  return {
    last: async (tenant, sessionId) => placeOf(tenant, sessionId)?.last,

    async proof(tenant, sessionId) {
      const place = placeOf(tenant, sessionId);
      const proof = place && (await lineOf(place));
      if (place && !proof)
        damaged ??= `the checkpoint file was changed at byte ${place.offset} while the gateway was running`;
      return proof;
    },

    async sessions(tenant, { limit, cursor }): Promise<Page<string>> {
      const ids = [...(places.get(tenant)?.keys() ?? [])];
      const from = cursor === undefined ? 0 : Number(cursor);
      const next = from + limit < ids.length && { cursor: String(from + limit) };
      return { items: ids.slice(from, from + limit), ...next };
    },

    async damage() {
      if (damaged !== undefined) return damaged;
      const { size } = await file.stat();
      if (size < end) damaged = 'the checkpoint file was truncated while the gateway was running';
      return damaged;
    },

    append(points) {
      writing = writing.catch(() => {}).then(() => write(points));
      return writing;
    },

    async close() {
      await writing.catch(() => {});
      await file.close();
    },
  };
}

async function textAt(file: FileHandle, offset: number, bytes: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset);
  return buffer.toString('utf8', 0, bytesRead);
}
