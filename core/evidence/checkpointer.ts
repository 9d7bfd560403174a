/**
 * Signs the ends of chains as their entries are archived. A chain that does not continue its last checkpoint is
 * refused, since signing it would hide a rewrite [evidence.checkpoint.continues].
 */
import type { ChainPoint, EvidenceEntry } from '#core/contracts/evidence.ts';
import type { TransparencyLog } from '#core/evidence/transparency/log.ts';
import { LogDamage } from '#core/evidence/transparency/stored-tiles.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { entryHash } from './chain.ts';
import { CheckpointDamage } from './checkpoint.ts';
import type { ArchiveReader, CheckpointLog } from './ports.ts';

interface CheckpointerPorts {
  readonly checkpoints: Pick<CheckpointLog, 'last' | 'append'>;
  /** Already contains the entries passed to `checkpointEntries`. */
  readonly archive: Pick<ArchiveReader, 'entries'>;
  /** The tenant's transparency log, which also receives each point. */
  readonly log: Pick<TransparencyLog, 'append'> | undefined;
  readonly telemetry: Telemetry;
}

/** Error for an entry that does not continue the session's last checkpoint: an incident of the gateway. */
class CheckpointRefused extends GatewayError {
  readonly point: Omit<ChainPoint, 'hash'>;

  constructor({ tenant, session_id, index }: EvidenceEntry, reason: string) {
    super('server_error', `No checkpoint of session ${session_id} is signed at entry ${index}: ${reason}.`);
    this.point = { tenant, session_id, index };
  }
}

/** Signs checkpoints over entries that were just archived, of any sessions and in any order. Skips covered entries. */
export async function checkpointEntries(ports: CheckpointerPorts, entries: readonly EvidenceEntry[]): Promise<void> {
  const points: ChainPoint[] = [];
  for (const own of Map.groupBy(entries, ({ tenant, session_id }) => `${tenant}#${session_id}`).values()) {
    const point = await standOf(ports, own.sort(byIndex)).catch((thrown: unknown) => refused(ports, thrown));
    if (point) points.push(point);
  }
  if (points.length === 0) return;
  // The log comes first: points that are covered by a checkpoint are never appended again.
  await ports.log?.append(points).catch((thrown: unknown) => unlogged(ports, thrown));
  await ports.checkpoints.append(points);
}

/** Logs that the transparency log is damaged and continues: bundles then say that they are not in it. */
function unlogged({ telemetry }: CheckpointerPorts, thrown: unknown): void {
  if (!(thrown instanceof LogDamage)) throw thrown;
  telemetry.log('error', 'nothing was appended to the transparency log', { error: thrown.message });
}

const byIndex = (a: EvidenceEntry, b: EvidenceEntry): number => a.index - b.index;

function refused({ telemetry }: CheckpointerPorts, thrown: unknown): undefined {
  if (!(thrown instanceof CheckpointRefused || thrown instanceof CheckpointDamage)) throw thrown;
  const point = thrown instanceof CheckpointRefused ? thrown.point : {};
  telemetry.count('svc_checkpoints_refused_total', {});
  telemetry.log('error', 'a chain does not continue its last checkpoint', { ...point, error: thrown.message });
}

/** Returns the chain point after these entries, or undefined if they do not advance it. */
async function standOf(ports: CheckpointerPorts, own: readonly EvidenceEntry[]): Promise<ChainPoint | undefined> {
  const { tenant, session_id } = own[0]!;
  const last = (await ports.checkpoints.last(tenant, session_id))?.point;
  const progress = new Progress(last);
  for (const entry of own) if (progress.takes(entry)) progress.follow(entry);
  if (own.at(-1)!.index > progress.index) {
    // Deliveries may arrive out of order. The entries between are archived already, or will be.
    for await (const entry of ports.archive.entries(tenant, session_id, progress.index + 1)) progress.follow(entry);
  }
  return progress.index === (last?.index ?? -1) ? undefined : progress.point(tenant, session_id);
}

/** Follows a chain from its last checkpoint. */
class Progress {
  #index: number;
  #hash: string;
  readonly #fixed: boolean;

  constructor(last: ChainPoint | undefined) {
    this.#index = last?.index ?? -1;
    this.#hash = last?.hash ?? '';
    this.#fixed = last !== undefined;
  }

  get index(): number {
    return this.#index;
  }

  point(tenant: string, session_id: string): ChainPoint {
    return { tenant, session_id, index: this.#index, hash: this.#hash };
  }

  /**
   * Reports whether the entry is the next one. A session without a checkpoint starts with the first entry it gets.
   * @throws CheckpointRefused if the entry contradicts the last checkpoint
   */
  takes(entry: EvidenceEntry): boolean {
    if (entry.index === this.#index && entry.hash !== this.#hash) {
      throw new CheckpointRefused(entry, 'the last checkpoint names another entry of this place');
    }
    const begins = !this.#fixed && this.#index === -1;
    return begins || entry.index === this.#index + 1;
  }

  /** Moves to an entry after checking its link and hash. @throws CheckpointRefused */
  follow(entry: EvidenceEntry): void {
    const first = this.#index === -1 && entry.index > 0;
    if (!first && entry.previous_hash !== this.#hash) {
      throw new CheckpointRefused(
        entry,
        'it does not link to the entry that the last checkpoint names, or one after it',
      );
    }
    if (entryHash(entry) !== entry.hash) throw new CheckpointRefused(entry, 'its hash does not match its fields');
    this.#index = entry.index;
    this.#hash = entry.hash;
  }
}
