/**
 * The log of a tenant: appends where sessions stand, and proves what it holds.
 *
 * A batch becomes part of the log with one conditional write of the log's head, which carries the batch. Objects and the
 * index of sessions follow from the head and are put again by the next writer, so a writer that stops anywhere loses and
 * doubles no leaf [transparency.survives-kill].
 */
import type { ChainPoint } from '#core/contracts/evidence.ts';
import type { LogProof } from '#core/contracts/transparency.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { type Clock, isoTime } from '#core/kernel/ports.ts';
import { openCheckpoint, signTreeHead, type TreeHead } from './checkpoint-note.ts';
import { leafBytes, leafOf, readLeaf, sessionDigest } from './leaf.ts';
import type { NoteSigner } from './note.ts';
import type { LoggedSession, LogHead, LogHeads, LogObjects } from './ports.ts';
import { consistencyProof, inclusionProof, rootOf } from './proofs.ts';
import { LogDamage, leavesOf, nodesOf, putNewest, tileBytes } from './stored-tiles.ts';
import { type TileId, tileWidth } from './tiles.ts';
import { Frontier, leafHash } from './tree.ts';

export interface LogPorts {
  readonly heads: LogHeads;
  readonly objects: LogObjects;
  /** The key of a tenant's log; its name is the log's origin. */
  readonly signer: (tenant: string) => NoteSigner;
  readonly clock: Clock;
  readonly pause: (ms: number) => Promise<void>;
}

const maxTries = 12;
const maxJitterMs = 200;
/** A head is one item of the store. */
const mostLeavesABatch = 500;

export class TransparencyLog {
  readonly #ports: LogPorts;
  /** The newest version of each tenant whose objects and sessions this process saw in place. */
  readonly #settled = new Map<string, number>();
  #writing: Promise<void> = Promise.resolve();

  constructor(ports: LogPorts) {
    this.#ports = ports;
  }

  signer(tenant: string): NoteSigner {
    return this.#ports.signer(tenant);
  }

  get heads(): LogHeads {
    return this.#ports.heads;
  }

  /** Appends a leaf for each session that stands further than its last leaf. Points of any tenants, one batch after another. */
  append(points: readonly ChainPoint[]): Promise<void> {
    const written = this.#writing.then(() => this.#appendAll(points));
    this.#writing = written.catch(() => {});
    return written;
  }

  async #appendAll(points: readonly ChainPoint[]): Promise<void> {
    for (const [tenant, own] of Map.groupBy(points, (point) => point.tenant)) {
      for (let from = 0; from < own.length; from += mostLeavesABatch) {
        await this.#appendTo(tenant, own.slice(from, from + mostLeavesABatch));
      }
    }
  }

  /** @throws LogDamage; GatewayError `service_unavailable` when others keep writing first. */
  async #appendTo(tenant: string, points: readonly ChainPoint[]): Promise<void> {
    for (let tries = 1; tries <= maxTries; tries++) {
      const head = await this.#current(tenant);
      const fresh = await this.#fresh(tenant, points);
      if (fresh.length === 0) return;
      const next = this.#next(tenant, head, fresh);
      if (await this.#ports.heads.replace(tenant, next)) return this.#settle(tenant, next);
      await this.#ports.pause(Math.random() * Math.min(maxJitterMs, 5 * 2 ** tries));
    }
    throw new GatewayError('service_unavailable', 'The log is being written by many; try again shortly.', {
      retryAfterSeconds: 1,
    });
  }

  /** The newest head, with its batch in place. */
  async #current(tenant: string): Promise<LogHead | undefined> {
    const head = await this.#ports.heads.head(tenant);
    if (head) await this.#settle(tenant, head);
    return head;
  }

  async #settle(tenant: string, head: LogHead): Promise<void> {
    if ((this.#settled.get(tenant) ?? 0) >= head.version) return;
    const { heads, objects } = this.#ports;
    await putNewest(objects, tenant, head);
    const start = head.size - head.newest.length;
    await heads.remember(
      tenant,
      head.newest.map(({ session, index }, i) => ({ session, index, position: start + i })),
    );
    this.#settled.set(tenant, head.version);
  }

  /** One point for each session, the furthest, where it is further than its last leaf. */
  async #fresh(tenant: string, points: readonly ChainPoint[]): Promise<ChainPoint[]> {
    const furthest = new Map<string, ChainPoint>();
    for (const point of points) {
      const session = sessionDigest(tenant, point.session_id);
      if (point.index > (furthest.get(session)?.index ?? -1)) furthest.set(session, point);
    }
    for (const { session, index } of await this.#ports.heads.sessions(tenant, [...furthest.keys()])) {
      if (furthest.get(session)!.index <= index) furthest.delete(session);
    }
    return [...furthest.values()];
  }

  #next(tenant: string, head: LogHead | undefined, points: readonly ChainPoint[]): LogHead {
    const signer = this.#ports.signer(tenant);
    const frontier = head ? frontierOf(head, signer) : new Frontier();
    const at = isoTime(this.#ports.clock.now());
    const newest = points.map((point) => leafOf(point, at));
    for (const leaf of newest) frontier.append(leafHash(leafBytes(leaf)));
    const { size, roots } = frontier;
    const checkpoint = signTreeHead({ origin: signer.name, size, root: frontier.root() }, signer);
    return { version: (head?.version ?? 0) + 1, size, roots, checkpoint, newest };
  }

  /** The newest checkpoint, with the cosignatures that witnesses gave it; undefined while nothing was logged. */
  async checkpoint(tenant: string): Promise<string | undefined> {
    return (await this.#ports.heads.head(tenant))?.checkpoint;
  }

  /** The bytes of a tile; undefined when the log has none there. */
  async tile(tenant: string, tile: TileId): Promise<Buffer | undefined> {
    const head = await this.#current(tenant);
    return head && tileBytes(this.#ports.objects, tenant, head.size, tile);
  }

  /** Whether this is a head the log had. */
  async holds(tenant: string, { size, root }: Pick<TreeHead, 'size' | 'root'>): Promise<boolean> {
    const head = await this.#current(tenant);
    if (!head || size < 1 || size > head.size) return false;
    return (await rootOf(size, nodesOf(this.#ports.objects, tenant, size))).equals(root);
  }

  /** @returns undefined when the log is not that large, or `from` is not from 1 to `to`. */
  async consistency(tenant: string, from: number, to: number): Promise<Buffer[] | undefined> {
    const head = await this.#current(tenant);
    if (!head || to > head.size || from < 1 || from > to) return undefined;
    return consistencyProof(from, to, nodesOf(this.#ports.objects, tenant, to));
  }

  /**
   * Shows that the newest leaf of a session is in the log: under the newest checkpoint, and under the newest that each
   * witness saw it in. Undefined for a session that is not in the log yet.
   */
  async proof(tenant: string, sessionId: string): Promise<LogProof | undefined> {
    const head = await this.#current(tenant);
    const session = sessionDigest(tenant, sessionId);
    const [place] = await this.#ports.heads.sessions(tenant, [session]);
    if (!head || !place || place.position >= head.size) return undefined;
    const leaf = await this.#leafAt(tenant, place);
    const { objects } = this.#ports;
    const under = async (size: number) => ({
      size,
      path: (await inclusionProof(place.position, size, nodesOf(objects, tenant, size))).map(encoded),
    });
    const seen = (await this.#ports.heads.cosignatures(tenant)).filter(
      ({ size }) => place.position < size && size <= head.size,
    );
    return {
      leaf,
      position: place.position,
      checkpoint: head.checkpoint,
      path: (await under(head.size)).path,
      cosigned: await Promise.all(
        seen.map(async ({ note, size }) => ({ checkpoint: note, path: (await under(size)).path })),
      ),
    };
  }

  async #leafAt(tenant: string, { position, session, index }: LoggedSession) {
    const tile = Math.floor(position / tileWidth);
    const leaves = await leavesOf(this.#ports.objects, tenant, {
      ...{ level: 'entries', index: tile, width: (position % tileWidth) + 1 },
    });
    const leaf = readLeaf(leaves.at(-1)!);
    if (leaf?.session !== session || leaf.index !== index) throw new LogDamage(`leaf ${position} is another one`);
    return leaf;
  }
}

const encoded = (hash: Buffer): string => hash.toString('base64');

/** The frontier of a head that this log's key signed. @throws LogDamage */
function frontierOf({ size, roots, checkpoint }: LogHead, signer: NoteSigner): Frontier {
  const signed = openCheckpoint(checkpoint, signer);
  if (typeof signed === 'string') throw new LogDamage(`${signed}`);
  try {
    const frontier = new Frontier(size, roots);
    if (signed.size === size && signed.root.equals(frontier.root())) return frontier;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
  }
  throw new LogDamage('the frontier is not that of the newest checkpoint');
}
