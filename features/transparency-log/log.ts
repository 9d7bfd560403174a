/**
 * A tenant's transparency log: appends chain points and proves that it contains them. A batch is added by one
 * conditional write of the log's head, which contains the batch. Objects and session index are derived from the head,
 * and the next writer puts them again, so a writer that crashes neither loses nor duplicates leaves [transparency.log].
 */
import type { ChainPoint } from '#core/contracts/evidence.ts';
import type { LogLeaf } from '#core/contracts/transparency.ts';
import { LogDamage } from '#core/evidence/chain-log.ts';
import { openCheckpoint, signTreeHead } from '#core/evidence/transparency/checkpoint-note.ts';
import { leafBytes, leafOf, sessionDigest } from '#core/evidence/transparency/leaf.ts';
import { keysOfLog, type LogSigner } from '#core/evidence/transparency/note.ts';
import { Frontier, leafHash } from '#core/evidence/transparency/tree.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import { LogReader, type LogReaderPorts } from './log-reader.ts';
import type { LogHead, LogObjects } from './ports.ts';
import { leavesFrom, putNewestBatch } from './stored-tiles.ts';

export interface LogPorts extends LogReaderPorts {
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<void>;
}

const maxTries = 12;
const maxJitterMs = 200;
/** Limit that lets a head fit into one store item. */
const maxLeavesABatch = 2_000;
/** Number of tenants whose logs are appended to concurrently. */
const tenantsAtOnce = 8;

export class TransparencyLog extends LogReader {
  readonly #ports: LogPorts;
  /** For each tenant, the newest version whose objects and sessions this process has put. */
  readonly #settled = new Map<string, number>();
  #writing: Promise<void> = Promise.resolve();

  constructor(ports: LogPorts) {
    super(ports);
    this.#ports = ports;
  }

  /**
   * Appends a leaf for each session that has grown since its last leaf. Accepts points from any tenants, and runs calls
   * in order.
   */
  append(points: readonly ChainPoint[]): Promise<void> {
    const written = this.#writing.then(() => this.#appendAll(points));
    this.#writing = written.catch(() => {});
    return written;
  }

  /**
   * Adds to the head the leaves that exist only in the objects, because the head was restored to an earlier time. Call
   * it before the first append: an object is never put twice [evidence.archive.check].
   * @returns the number of leaves.
   */
  async recover(tenant: string): Promise<number> {
    for (let recovered = 0; ; ) {
      const head = await this.heads.head(tenant);
      if (head) await this.settled(tenant, head);
      const found = await leavesFrom(this.#ports.objects, tenant, head?.size ?? 0);
      // All leaves of a batch have the same time.
      const end = found.findIndex(({ at }) => at !== found[0]!.at);
      const batch = end < 0 ? found : found.slice(0, end);
      if (batch.length === 0) return recovered;
      if (await this.heads.replace(tenant, await this.#extended(tenant, head, batch))) recovered += batch.length;
    }
  }

  /**
   * Continues with other tenants if one log fails. If several fail, throws a temporary fault in preference to permanent
   * damage.
   */
  async #appendAll(points: readonly ChainPoint[]): Promise<void> {
    const faults: unknown[] = [];
    await sideBySide(
      Map.groupBy(points, (point) => point.tenant),
      tenantsAtOnce,
      async ([tenant, own]) => {
        try {
          for (let from = 0; from < own.length; from += maxLeavesABatch)
            await this.#appendTo(tenant, own.slice(from, from + maxLeavesABatch));
        } catch (fault) {
          faults.push(fault);
        }
      },
    );
    if (faults.length > 0) throw faults.find((fault) => !(fault instanceof LogDamage)) ?? faults[0];
  }

  /**
   * Appends one batch to a tenant's log. @throws LogDamage; GatewayError `service_unavailable` if other writers keep
   * winning.
   */
  async #appendTo(tenant: string, points: readonly ChainPoint[]): Promise<void> {
    for (let tries = 1; tries <= maxTries; tries++) {
      const head = await this.heads.head(tenant);
      if (head) await this.settled(tenant, head);
      const fresh = await this.#fresh(tenant, points);
      if (fresh.length === 0) return;
      const next = await this.#next(tenant, head, fresh);
      if (await this.heads.replace(tenant, next)) return void (await this.settled(tenant, next));
      await this.#ports.pause(Math.random() * Math.min(maxJitterMs, 5 * 2 ** tries));
    }
    throw new GatewayError(
      'service_unavailable',
      'Other writers appended to the transparency log at the same moment, and nothing was written; try again shortly.',
      {
        retryAfterSeconds: 1,
      },
    );
  }

  /** Writes a head's newest batch to the objects and the index, unless this process has already done so. */
  protected override async settled(tenant: string, head: LogHead): Promise<LogObjects> {
    const { objects } = this.#ports;
    if ((this.#settled.get(tenant) ?? 0) >= head.version) return objects;
    await putNewestBatch(objects, tenant, head);
    const start = head.size - head.newest.length;
    await this.heads.remember(
      tenant,
      head.newest.map(({ session, index }, i) => ({ session, index, position: start + i })),
    );
    this.#settled.set(tenant, head.version);
    return objects;
  }

  /** Returns the furthest point of each session that has grown since its last leaf. */
  async #fresh(tenant: string, points: readonly ChainPoint[]): Promise<ChainPoint[]> {
    const furthest = new Map<string, ChainPoint>();
    for (const point of points) {
      const session = sessionDigest(tenant, point.session_id);
      if (point.index > (furthest.get(session)?.index ?? -1)) furthest.set(session, point);
    }
    for (const { session, index } of await this.heads.sessions(tenant, [...furthest.keys()])) {
      if (furthest.get(session)!.index <= index) furthest.delete(session);
    }
    return [...furthest.values()];
  }

  #next(tenant: string, head: LogHead | undefined, points: readonly ChainPoint[]): Promise<LogHead> {
    const at = isoTime(this.#ports.clock.now());
    return this.#extended(
      tenant,
      head,
      points.map((point) => leafOf(point, at)),
    );
  }

  async #extended(tenant: string, head: LogHead | undefined, newest: readonly LogLeaf[]): Promise<LogHead> {
    const signer = await this.signer(tenant);
    const frontier = head ? frontierOf(head, signer) : new Frontier();
    for (const leaf of newest) frontier.append(leafHash(leafBytes(leaf)));
    const { size, roots } = frontier;
    const checkpoint = await signTreeHead({ origin: signer.name, size, root: frontier.root() }, signer);
    return { version: (head?.version ?? 0) + 1, size, roots, checkpoint, newest };
  }
}

/** Returns a head's frontier after checking the log's signature. @throws LogDamage if the check fails. */
function frontierOf({ size, roots, checkpoint }: LogHead, signer: LogSigner): Frontier {
  const signed = openCheckpoint(checkpoint, keysOfLog(signer));
  if (typeof signed === 'string') throw new LogDamage(`${signed}`);
  try {
    const frontier = new Frontier(size, roots);
    if (signed.size === size && signed.root.equals(frontier.root())) return frontier;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
  }
  throw new LogDamage('the frontier does not match the newest checkpoint');
}
