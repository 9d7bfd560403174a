/**
 * Read-only access to a tenant's log and its proofs. If the newest batch is not in the objects yet, it is taken from
 * the head, which contains it.
 */
import type { Configuration } from '#core/contracts/config.ts';
import type { LogProof } from '#core/contracts/transparency.ts';
import { LogDamage } from '#core/evidence/chain-log.ts';
import type { TreeHead } from '#core/evidence/transparency/checkpoint-note.ts';
import { readLeaf, sessionDigest } from '#core/evidence/transparency/leaf.ts';
import { keysOfLog, type LogSigner, type NoteKey, verifierKey } from '#core/evidence/transparency/note.ts';
import { witnessKey } from '#core/evidence/transparency/witness-keys.ts';
import type { LoggedSession, LogHead, LogHeads, LogObjects } from './ports.ts';
import { consistencyProof, inclusionProof, rootOf } from './proofs.ts';
import { leavesOf, nodesOf, putNewestBatch, tileBytes } from './stored-tiles.ts';
import { type TileId, tileWidth } from './tiles.ts';

export interface LogReaderPorts {
  readonly heads: LogHeads;
  readonly objects: LogObjects;
  /** Returns the key of a tenant's log; its name is the log's origin. @throws GatewayError if it is unavailable. */
  readonly signer: (tenant: string) => Promise<LogSigner>;
}

/** The newest head, with objects that include its batch. */
interface View {
  readonly head: LogHead;
  readonly objects: LogObjects;
}

export class LogReader {
  readonly #ports: LogReaderPorts;

  constructor(ports: LogReaderPorts) {
    this.#ports = ports;
  }

  signer(tenant: string): Promise<LogSigner> {
    return this.#ports.signer(tenant);
  }

  witnesses({ evidence }: Configuration): NoteKey[] {
    return evidence.log.witnesses.map(witnessKey);
  }

  get heads(): LogHeads {
    return this.#ports.heads;
  }

  /** Returns the objects, including the newest batch of a head. */
  protected async settled(tenant: string, head: LogHead): Promise<LogObjects> {
    const laid = laidOver(this.#ports.objects);
    await putNewestBatch(laid, tenant, head);
    return laid;
  }

  async #view(tenant: string): Promise<View | undefined> {
    const head = await this.heads.head(tenant);
    return head && { head, objects: await this.settled(tenant, head) };
  }

  /** Returns the newest checkpoint, or undefined for an empty log. */
  async checkpoint(tenant: string): Promise<string | undefined> {
    return (await this.heads.head(tenant))?.checkpoint;
  }

  /** Returns the bytes of a tile, or undefined if the log has no such tile. */
  async tile(tenant: string, tile: TileId): Promise<Buffer | undefined> {
    const view = await this.#view(tenant);
    return view && tileBytes(view.objects, tenant, view.head.size, tile);
  }

  /** Reports whether the log has ever had this head. */
  async holds(tenant: string, { size, root }: Pick<TreeHead, 'size' | 'root'>): Promise<boolean> {
    const view = await this.#view(tenant);
    if (!view || size < 1 || size > view.head.size) return false;
    return (await rootOf(size, nodesOf(view.objects, tenant, size))).equals(root);
  }

  /**
   * Returns a consistency proof. @returns undefined if the log is smaller than `to`, or `from` is not between 1 and
   * `to`.
   */
  async consistency(tenant: string, from: number, to: number): Promise<Buffer[] | undefined> {
    const view = await this.#view(tenant);
    if (!view || to > view.head.size || from < 1 || from > to) return undefined;
    return consistencyProof(from, to, nodesOf(view.objects, tenant, to));
  }

  /**
   * Proves that a session's newest leaf is in the log: under the newest checkpoint, and under the newest checkpoint
   * cosigned by each witness. Undefined for a session that is not in the log yet.
   */
  async proof(tenant: string, sessionId: string): Promise<LogProof | undefined> {
    const view = await this.#view(tenant);
    const place = view && (await this.#placeOf(tenant, view.head, sessionDigest(tenant, sessionId)));
    if (!view || !place || place.position >= view.head.size) return undefined;
    const { head, objects } = view;
    const under = async (size: number) => ({
      size,
      path: (await inclusionProof(place.position, size, nodesOf(objects, tenant, size))).map(hashText),
    });
    const seen = (await this.heads.cosignatures(tenant)).filter(
      ({ size }) => place.position < size && size <= head.size,
    );
    // The key names only show readers which keys to look up. The proof works without them.
    const keys = await this.signer(tenant).then(
      (signer) => keysOfLog(signer).map(verifierKey),
      () => [],
    );
    return {
      ...(keys.length > 1 && { keys }),
      leaf: await leafAt(objects, tenant, place),
      position: place.position,
      checkpoint: head.checkpoint,
      path: (await under(head.size)).path,
      cosigned: await Promise.all(
        seen.map(async ({ note, size }) => ({ checkpoint: note, path: (await under(size)).path })),
      ),
    };
  }

  /** Finds a session's newest leaf. The session index may not include the newest batch yet. */
  async #placeOf(tenant: string, { size, newest }: LogHead, session: string): Promise<LoggedSession | undefined> {
    const at = newest.findLastIndex((leaf) => leaf.session === session);
    if (at >= 0) return { session, index: newest[at]!.index, position: size - newest.length + at };
    return (await this.heads.sessions(tenant, [session]))[0];
  }
}

async function leafAt(objects: LogObjects, tenant: string, { position, session, index }: LoggedSession) {
  const tile = Math.floor(position / tileWidth);
  const leaves = await leavesOf(objects, tenant, {
    level: 'entries',
    index: tile,
    width: (position % tileWidth) + 1,
  });
  const leaf = readLeaf(leaves.at(-1)!);
  if (leaf?.session !== session || leaf.index !== index)
    throw new LogDamage(`leaf ${position} is for another session or entry`);
  return leaf;
}

/** Returns an object store that keeps new objects in memory and reads all others from the given store. */
function laidOver(stored: LogObjects): LogObjects {
  const own = new Map<string, Buffer>();
  return {
    async put(_tenant, path, bytes) {
      own.set(path, Buffer.from(bytes));
    },
    get: async (tenant, path) => (await stored.get(tenant, path)) ?? own.get(path),
    async list(tenant, folder) {
      const start = `${folder}/`;
      const laid = [...own.keys()].filter((path) => path.startsWith(start)).map((path) => path.slice(start.length));
      return [...new Set([...(await stored.list(tenant, folder)), ...laid])].sort();
    },
  };
}

const hashText = (hash: Buffer): string => hash.toString('base64');
