/** The layout of C2SP tlog-tiles: the files that contain a log's hashes and leaves. */
import { hashBytes } from '#core/evidence/transparency/tree.ts';

/** Number of hashes in a full tile: a subtree of height 8. */
export const tileWidth = 256;
const tileHeight = 8;

export interface TileId {
  /** Level of the tile, or `entries` for the leaves themselves. */
  readonly level: number | 'entries';
  readonly index: number;
  /** Number of hashes or leaves, 1 to 256. */
  readonly width: number;
}

/** Returns a tile's path below the log's prefix, such as `tile/0/x001/067.p/8`. */
export function tilePath({ level, index, width }: TileId): string {
  const partial = width === tileWidth ? '' : `.p/${width}`;
  return `tile/${level}/${groups(index)}${partial}`;
}

/** Formats an index: `1234067` becomes `x001/x234/067`. */
function groups(index: number): string {
  const digits = String(index);
  const parts = digits.padStart(Math.ceil(digits.length / 3) * 3, '0').match(/\d{3}/g)!;
  return parts.map((part, i) => (i === parts.length - 1 ? part : `x${part}`)).join('/');
}

const pathForm = /^tile\/(entries|0|[1-9]\d?)\/((?:x\d{3}\/)*)(\d{3})(?:\.p\/([1-9]\d{0,2}))?$/;

/** Parses a tile's path, or returns undefined if it is not in canonical spelling. */
export function tileOf(path: string): TileId | undefined {
  const [, level, high = '', low = '', partial] = pathForm.exec(path) ?? [];
  if (level === undefined) return undefined;
  const index = Number(high.replaceAll(/[x/]/g, '') + low);
  const width = partial === undefined ? tileWidth : Number(partial);
  const tile = { level: level === 'entries' ? level : Number(level), index, width } as const;
  const fits = Number.isSafeInteger(index) && width <= tileWidth && (tile.level === 'entries' || tile.level < 64);
  return fits && tilePath(tile) === path ? tile : undefined;
}

/** Returns the widest tile at this position in a tree of `size` leaves, or undefined if there is none. */
export function tileAt(level: number | 'entries', index: number, size: number): TileId | undefined {
  const height = level === 'entries' ? 0 : level * tileHeight;
  const nodes = Math.floor(size / 2 ** height);
  const width = Math.min(nodes - index * tileWidth, tileWidth);
  return width > 0 ? { level, index, width } : undefined;
}

/** Returns the tile, and the range of its hashes, from which a complete node is computed. */
export function tileOfNode(level: number, index: number): { level: number; index: number; from: number; to: number } {
  const tileLevel = Math.floor(level / tileHeight);
  const span = 2 ** (level % tileHeight);
  const first = index * span;
  const from = first % tileWidth;
  return { level: tileLevel, index: Math.floor(first / tileWidth), from, to: from + span };
}

/** Encodes an entry bundle: each leaf is preceded by its length in two bytes, big-endian. */
export function entryBundle(leaves: readonly Uint8Array[]): Buffer {
  return Buffer.concat(leaves.flatMap((leaf) => [lengthOf(leaf), leaf]));
}

function lengthOf({ length }: Uint8Array): Buffer {
  if (length > 0xffff) throw new RangeError(`a leaf of ${length} bytes is longer than 65,535`);
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(length);
  return bytes;
}

/** Decodes an entry bundle. @throws RangeError if the bytes end in the middle of a leaf. */
export function leavesOfBundle(bundle: Uint8Array): Buffer[] {
  const bytes = Buffer.from(bundle);
  const leaves: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 2 <= bytes.length ? at + 2 + bytes.readUInt16BE(at) : Number.POSITIVE_INFINITY;
    if (end > bytes.length) throw new RangeError(`the entry bundle ends within leaf ${leaves.length}`);
    leaves.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return leaves;
}

/** Splits a tile into hashes. @throws RangeError if the bytes are not a whole number of hashes. */
export function hashesOfTile(tile: Uint8Array): Buffer[] {
  const bytes = Buffer.from(tile);
  if (bytes.length === 0 || bytes.length % hashBytes !== 0)
    throw new RangeError(`a tile of ${bytes.length} bytes does not hold whole hashes`);
  return Array.from({ length: bytes.length / hashBytes }, (_, i) => bytes.subarray(i * hashBytes, (i + 1) * hashBytes));
}
