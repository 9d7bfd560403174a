/**
 * Stores a log's tiles as objects. Full tiles and higher-level tiles are separate objects. The leaves of a partial tile
 * are stored in runs, one per batch, so that a leaf is written no more than twice rather than up to 256 times.
 */
import type { LogLeaf } from '#core/contracts/transparency.ts';
import { LogDamage } from '#core/evidence/chain-log.ts';
import { leafBytes, readLeaf } from '#core/evidence/transparency/leaf.ts';
import { leafHash, nodeHash } from '#core/evidence/transparency/tree.ts';
import { sideBySide } from '#core/kernel/side-by-side.ts';
import type { LogHead, LogObjects } from './ports.ts';
import type { NodeId, ReadNodes } from './proofs.ts';
import {
  entryBundle,
  hashesOfTile,
  leavesOfBundle,
  type TileId,
  tileAt,
  tileOfNode,
  tilePath,
  tileWidth,
} from './tiles.ts';

const position = (index: number): string => String(index).padStart(16, '0');
const runsOf = (tile: number): string => `runs/${position(tile)}`;

/** Number of concurrent object requests. */
const atOnce = 32;

interface FullTile {
  readonly tile: number;
  /** Leaves in this batch. Earlier leaves are in runs. */
  readonly own: readonly Buffer[];
}

/**
 * Puts a head's newest batch, part or all of which may already be stored. A tile that is filled by this batch alone has
 * no runs.
 */
export async function putNewestBatch(objects: LogObjects, tenant: string, { size, newest }: LogHead): Promise<void> {
  const start = size - newest.length;
  const leaves = newest.map(leafBytes);
  const last = Math.floor((size - 1) / tileWidth);
  const puts: (readonly [path: string, bytes: Buffer])[] = [];
  const full: FullTile[] = [];
  for (let tile = Math.floor(start / tileWidth); tile <= last; tile++) {
    const [from, to] = [Math.max(start, tile * tileWidth), Math.min(size, (tile + 1) * tileWidth)];
    const own = leaves.slice(from - start, to - start);
    if (own.length < tileWidth) puts.push([`${runsOf(tile)}/${position(from)}`, entryBundle(own)]);
    if (to === (tile + 1) * tileWidth) full.push({ tile, own });
  }
  puts.push(...(await tilesOf(objects, tenant, full)));
  await sideBySide(puts, atOnce, ([path, bytes]) => objects.put(tenant, path, bytes));
  for (const { tile } of full) await objects.drop?.(tenant, runsOf(tile));
}

/** Returns tiles that have become full, in order, together with the higher-level tiles that contain their hashes. */
async function tilesOf(objects: LogObjects, tenant: string, full: readonly FullTile[]) {
  const puts: (readonly [path: string, bytes: Buffer])[] = [];
  /** Hashes in the open tile at each higher level. */
  const above: Buffer[][] = [];
  for (const { tile, own } of full) {
    const id = { level: 'entries', index: tile, width: tileWidth } as const;
    const before =
      own.length === tileWidth ? [] : await leavesOf(objects, tenant, { ...id, width: tileWidth - own.length });
    const leaves = [...before, ...own];
    let hashes = leaves.map(leafHash);
    puts.push([tilePath(id), entryBundle(leaves)], [tilePath({ ...id, level: 0 }), Buffer.concat(hashes)]);
    for (let [level, index] = [1, tile]; ; level++) {
      const root = subtreeRoot(hashes);
      const width = (index % tileWidth) + 1;
      index = Math.floor(index / tileWidth);
      const earlier =
        width === 1 ? [] : (above[level] ?? (await hashesIn(objects, tenant, { level, index, width: width - 1 })));
      hashes = [...earlier, root];
      above[level] = hashes;
      puts.push([tilePath({ level, index, width }), Buffer.concat(hashes)]);
      if (width < tileWidth) break;
    }
  }
  return puts;
}

/** Returns a tile's leaves. @throws LogDamage if there are fewer than expected. */
export async function leavesOf(objects: LogObjects, tenant: string, { index, width }: TileId): Promise<Buffer[]> {
  const full = await objects.get(tenant, tilePath({ level: 'entries', index, width: tileWidth }));
  const leaves = full ? leavesOfBundle(full) : await leavesInRuns(objects, tenant, index, width);
  if (leaves.length < width) throw new LogDamage(`tile ${index} has ${leaves.length} of ${width} leaves`);
  return leaves.slice(0, width);
}

/**
 * Returns the leaves that are stored in a tile's objects, starting at a position. @throws LogDamage if the runs are not
 * contiguous.
 */
export async function leavesFrom(objects: LogObjects, tenant: string, start: number): Promise<LogLeaf[]> {
  const tile = Math.floor(start / tileWidth);
  const full = await objects.get(tenant, tilePath({ level: 'entries', index: tile, width: tileWidth }));
  const leaves = full ? leavesOfBundle(full) : await leavesInRuns(objects, tenant, tile, tileWidth);
  return leaves.slice(start % tileWidth).map((bytes) => {
    const leaf = readLeaf(bytes);
    if (!leaf) throw new LogDamage(`tile ${tile} contains a leaf that this log would not write`);
    return leaf;
  });
}

async function leavesInRuns(objects: LogObjects, tenant: string, tile: number, width: number): Promise<Buffer[]> {
  const names = await objects.list(tenant, runsOf(tile));
  const runs = new Map<string, Buffer[]>();
  await sideBySide(names, atOnce, async (name) => {
    const bytes = await objects.get(tenant, `${runsOf(tile)}/${name}`);
    if (!bytes) throw new LogDamage(`run ${name} is missing`);
    runs.set(name, leavesOfBundle(bytes));
  });
  const leaves: Buffer[] = [];
  for (const name of names) {
    if (leaves.length >= width) break;
    if (name !== position(tile * tileWidth + leaves.length))
      throw new LogDamage(`run ${name} does not continue the previous one`);
    leaves.push(...runs.get(name)!);
  }
  return leaves;
}

async function hashesIn(objects: LogObjects, tenant: string, tile: TileId): Promise<Buffer[]> {
  if (tile.level === 0) {
    const full = await objects.get(tenant, tilePath({ ...tile, width: tileWidth }));
    if (full) return hashesOfTile(full).slice(0, tile.width);
    return (await leavesOf(objects, tenant, tile)).map(leafHash);
  }
  const bytes = await objects.get(tenant, tilePath(tile));
  if (bytes?.length !== tile.width * 32) throw new LogDamage(`${tilePath(tile)} is missing or truncated`);
  return hashesOfTile(bytes);
}

/** Returns the bytes of a tile in a tree of `size` leaves, or undefined if the tree has no such tile. */
export async function tileBytes(
  objects: LogObjects,
  tenant: string,
  size: number,
  tile: TileId,
): Promise<Buffer | undefined> {
  const widest = tileAt(tile.level, tile.index, size);
  if (!widest || tile.width > widest.width) return undefined;
  if (tile.level === 'entries') return entryBundle(await leavesOf(objects, tenant, tile));
  return Buffer.concat(await hashesIn(objects, tenant, tile));
}

/** Reads nodes in a tree of `size` leaves. Each tile is read once. */
export function nodesOf(objects: LogObjects, tenant: string, size: number): ReadNodes {
  const tiles = new Map<string, Promise<Buffer[]>>();
  const read = async ({ level, index }: NodeId): Promise<Buffer> => {
    const place = tileOfNode(level, index);
    const tile = tileAt(place.level, place.index, size);
    if (!tile || tile.width < place.to) throw new LogDamage(`a tree of ${size} leaves has no node ${level}/${index}`);
    const path = tilePath(tile);
    const hashes = tiles.get(path) ?? hashesIn(objects, tenant, tile);
    tiles.set(path, hashes);
    return subtreeRoot((await hashes).slice(place.from, place.to));
  };
  return (nodes) => Promise.all(nodes.map(read));
}

/** Computes the root of a complete subtree. */
function subtreeRoot(hashes: readonly Buffer[]): Buffer {
  let level = hashes;
  while (level.length > 1)
    level = Array.from({ length: level.length / 2 }, (_, i) => nodeHash(level[2 * i]!, level[2 * i + 1]!));
  return level[0]!;
}
