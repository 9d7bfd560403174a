/**
 * Compares two pictures by the mean colours of their blocks. A missing or moved word changes its blocks; different
 * smoothing of letters does not.
 */

/** Side of a block, in pixels of the stored picture. */
export const blockPixels = 8;

export interface Blocks {
  readonly columns: number;
  /** Red, green, blue and 255 of each block, row by row. */
  readonly means: readonly number[];
}

/** Tolerated difference per channel, out of 255. Text that appears or disappears changes a block by at least 25. */
const maxDifference = 14;
/** Number of blocks that may differ in one picture. */
const maxBlocks = 3;

/** Returns the numbers of the blocks that differ. If the sizes of the pictures differ, all blocks do. */
export function changedBlocks(stored: Blocks, taken: Blocks): readonly number[] {
  const isSameSize = stored.columns === taken.columns && stored.means.length === taken.means.length;
  return Array.from({ length: taken.means.length / 4 }, (_, at) => at).filter(
    (at) =>
      !isSameSize ||
      [0, 1, 2].some(
        (channel) => Math.abs(stored.means[4 * at + channel]! - taken.means[4 * at + channel]!) > maxDifference,
      ),
  );
}

export const isAlike = (changed: readonly number[]): boolean => changed.length <= maxBlocks;
