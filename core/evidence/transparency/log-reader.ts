/**
 * What a tenant's log holds, and its proofs, for a process that writes nothing: what the writer of the newest batch has not
 * put in place yet is read from the head, which carries it.
 */
import type { LogProof } from '#core/contracts/transparency.ts';
import type { TreeHead } from './checkpoint-note.ts';
import { readLeaf, sessionDigest } from './leaf.ts';
import { keysOfLog, type LogSigner, verifierKey } from './note.ts';
import type { LoggedSession, LogHead, LogHeads, LogObjects } from './ports.ts';
import { consistencyProof, inclusionProof, rootOf } from './proofs.ts';
import { LogDamage, leavesOf, nodesOf, putNewestBatch, tileBytes } from './stored-tiles.ts';
import { type TileId, tileWidth } from './tiles.ts';

export interface LogReaderPorts {
  readonly heads: LogHeads;
  readonly objects: LogObjects;
  /** The key of a tenant's log; its name is the log's origin. @throws GatewayError when it does not answer. */
  readonly signer: (tenant: string) => Promise<LogSigner>;
}

/** The newest head, and objects in which all of its batch is in place. */
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

  get heads(): LogHeads {
    return this.#ports.heads;
  }

  /** The objects with the newest batch of a head among them. */
  protected async settled(tenant: string, head: LogHead): Promise<LogObjects> {
    const laid = laidOver(this.#ports.objects);
    await putNewestBatch(laid, tenant, head);
    return laid;
  }

  async #view(tenant: string): Promise<View | undefined> {
    const head = await this.heads.head(tenant);
    return head && { head, objects: await this.settled(tenant, head) };
  }

  /** The newest checkpoint, with the cosignatures that witnesses gave it; undefined while nothing was logged. */
  async checkpoint(tenant: string): Promise<string | undefined> {
    return (await this.heads.head(tenant))?.checkpoint;
  }

  /** The bytes of a tile; undefined when the log has none there. */
  async tile(tenant: string, tile: TileId): Promise<Buffer | undefined> {
    const view = await this.#view(tenant);
    return view && tileBytes(view.objects, tenant, view.head.size, tile);
  }

  /** Whether this is a head the log had. */
  async holds(tenant: string, { size, root }: Pick<TreeHead, 'size' | 'root'>): Promise<boolean> {
    const view = await this.#view(tenant);
    if (!view || size < 1 || size > view.head.size) return false;
    return (await rootOf(size, nodesOf(view.objects, tenant, size))).equals(root);
  }

  /** @returns undefined when the log is not that large, or `from` is not from 1 to `to`. */
  async consistency(tenant: string, from: number, to: number): Promise<Buffer[] | undefined> {
    const view = await this.#view(tenant);
    if (!view || to > view.head.size || from < 1 || from > to) return undefined;
    return consistencyProof(from, to, nodesOf(view.objects, tenant, to));
  }

  /**
   * Shows that the newest leaf of a session is in the log: under the newest checkpoint, and under the newest that each
   * witness saw it in. Undefined for a session that is not in the log yet.
   */
  async proof(tenant: string, sessionId: string): Promise<LogProof | undefined> {
    const view = await this.#view(tenant);
    const place = view && (await this.#placeOf(tenant, view.head, sessionDigest(tenant, sessionId)));
    if (!view || !place || place.position >= view.head.size) return undefined;
    const { head, objects } = view;
    const under = async (size: number) => ({
      size,
      path: (await inclusionProof(place.position, size, nodesOf(objects, tenant, size))).map(encoded),
    });
    const seen = (await this.heads.cosignatures(tenant)).filter(
      ({ size }) => place.position < size && size <= head.size,
    );
    // They say which keys to ask for, and prove nothing: a proof does without them.
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

  /** The index of sessions may lack the newest batch. */
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
  if (leaf?.session !== session || leaf.index !== index) throw new LogDamage(`leaf ${position} is another one`);
  return leaf;
}

/** Objects that are put stay in memory, over those that are stored. */
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

const encoded = (hash: Buffer): string => hash.toString('base64');
