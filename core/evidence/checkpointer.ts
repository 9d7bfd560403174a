/**
 * Signs the ends of chains as their entries are archived. A chain that does not continue its last checkpoint is
 * refused, since signing it would hide a rewrite [evidence.checkpoint].
 */
import type { ChainPoint, EvidenceEntry } from '#core/contracts/evidence.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import { type ChainLog, LogDamage } from './chain-log.ts';
import { type ChainStretch, CheckpointRefusal, stretchesOf, stretchOf } from './chain-stretch.ts';
import { CheckpointDamage } from './checkpoint.ts';
import { type ChainPlace, type ContradictionPorts, raiseContradiction } from './contradiction.ts';
import { UnreadableEntry } from './entry-text.ts';
import type { ArchiveReader, CheckpointLog } from './ports.ts';

interface CheckpointerPorts extends ContradictionPorts {
  readonly checkpoints: Pick<CheckpointLog, 'last' | 'append'>;
  /** The archive, which must already contain the entries of the ranges. */
  readonly archive: Pick<ArchiveReader, 'entries'>;
  /** The log, if the host keeps one. It also receives each point. */
  readonly log: Pick<ChainLog, 'append'> | undefined;
}

const sessionsAtOnce = 50;

/**
 * Signs checkpoints over entries that were just archived. They may come from any sessions, in any order. Skips entries
 * already covered.
 */
export const checkpointEntries = async (ports: CheckpointerPorts, entries: readonly EvidenceEntry[]): Promise<void> =>
  checkpointStretches(ports, await checkedStretches(ports, entries));

/**
 * Returns the ranges formed by entries, which may come from any sessions. Reports sessions whose entries do not form a
 * chain, and skips them.
 */
export async function checkedStretches(
  ports: ContradictionPorts,
  entries: readonly EvidenceEntry[],
): Promise<readonly ChainStretch[]> {
  const checked: ChainStretch[] = [];
  for (const own of bySession(entries))
    try {
      checked.push(...stretchesOf(own));
    } catch (thrown) {
      await raiseIfContradiction(ports, own[0]!, thrown);
    }
  return checked;
}

/**
 * Signs one checkpoint over the sessions of archived ranges, which may be in any order. Skips those already covered.
 */
export async function checkpointStretches(ports: CheckpointerPorts, stretches: readonly ChainStretch[]): Promise<void> {
  const points: ChainPoint[] = [];
  await sideBySide(bySession(stretches), sessionsAtOnce, async (own) => {
    const point = await standOf(ports, own.toSorted(byFirst)).catch((thrown: unknown) =>
      raiseIfContradiction(ports, own[0]!, thrown),
    );
    if (point) points.push(point);
  });
  if (points.length === 0) return;
  // The log comes first: points covered by a checkpoint are never re-appended.
  await ports.log?.append(points).catch((thrown: unknown) => logDamage(ports, thrown));
  await ports.checkpoints.append(points);
}

const bySession = <T extends Pick<ChainPoint, 'tenant' | 'session_id'>>(all: readonly T[]): readonly T[][] => [
  ...Map.groupBy(all, ({ tenant, session_id }) => `${tenant}#${session_id}`).values(),
];

/** Logs that the transparency log is damaged and continues. Bundles then state that their session is not in the log. */
function logDamage({ telemetry }: CheckpointerPorts, thrown: unknown): void {
  if (!(thrown instanceof LogDamage)) throw thrown;
  telemetry.log('error', 'nothing was appended to the transparency log', { error: thrown.message });
}

const byFirst = (a: ChainStretch, b: ChainStretch): number => a.first - b.first || a.index - b.index;

/** Raises a contradiction in the chain and leaves its range unsigned. Rethrows other faults. */
async function raiseIfContradiction(ports: ContradictionPorts, chain: ChainPlace, thrown: unknown): Promise<undefined> {
  const known = [CheckpointRefusal, CheckpointDamage, UnreadableEntry].some((kind) => thrown instanceof kind);
  if (!known) throw thrown;
  const { index } =
    thrown instanceof CheckpointRefusal ? thrown.point : thrown instanceof UnreadableEntry ? thrown : chain;
  await raiseContradiction(ports, { ...chain, index }, (thrown as Error).message);
}

/** Returns the chain point after these ranges, or undefined if they do not advance it. */
async function standOf(ports: CheckpointerPorts, own: readonly ChainStretch[]): Promise<ChainPoint | undefined> {
  const { tenant, session_id } = own[0]!;
  const last = (await ports.checkpoints.last(tenant, session_id))?.point;
  const progress = new Progress(last);
  for (const stretch of own) if (progress.takes(stretch)) progress.follow(stretch);
  if (own.some(({ index }) => index > progress.index)) {
    // Deliveries may arrive out of order. The entries in between are already archived, or will be.
    for await (const entry of ports.archive.entries(tenant, session_id, progress.index + 1))
      progress.follow(stretchOf(entry));
  }
  return progress.index === (last?.index ?? -1) ? undefined : progress.point(tenant, session_id);
}

/** Progress along a chain, starting at its last checkpoint. */
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
   * Reports whether the range is the next one. A session without a checkpoint starts with the first range it receives.
   * @throws CheckpointRefusal if the range contradicts the last checkpoint
   */
  takes(stretch: ChainStretch): boolean {
    if (stretch.index === this.#index && stretch.hash !== this.#hash)
      throw new CheckpointRefusal(stretch, 'the last checkpoint has a different entry at this position');
    const begins = !this.#fixed && this.#index === -1;
    return begins || stretch.first === this.#index + 1;
  }

  /** Moves to the end of a range after checking its link. @throws CheckpointRefusal */
  follow(stretch: ChainStretch): void {
    const begins = this.#index === -1 && stretch.first > 0;
    if (!begins && stretch.previous_hash !== this.#hash) {
      throw new CheckpointRefusal(
        stretch,
        'it does not link to the entry that the last checkpoint names, or one after it',
      );
    }
    this.#index = stretch.index;
    this.#hash = stretch.hash;
  }
}
