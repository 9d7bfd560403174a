/** Reads a log's leaves as a witness does. */

import type { LogLeaf } from '#core/contracts/transparency.ts';
import type { TreeHead } from '#core/evidence/transparency/checkpoint-note.ts';
import { leafBytes } from '#core/evidence/transparency/leaf.ts';
import type { KnownSessions } from '#core/evidence/transparency/session-proof.ts';
import { type Frontier, leafHash } from '#core/evidence/transparency/tree.ts';

/**
 * Reads new leaves. They must form the checkpoint's tree, and each session must move forward.
 * @returns an error message if they do not; `sessions` and `tree` must not be used afterwards.
 */
export function readLeaves(
  leaves: readonly LogLeaf[],
  head: TreeHead,
  tree: Frontier,
  sessions: KnownSessions,
): string | undefined {
  for (const leaf of leaves) {
    const known = sessions.get(leaf.session) ?? [];
    const last = known.at(-1)?.index ?? -1;
    if (leaf.index <= last)
      return `session ${leaf.session} goes back to entry ${leaf.index}, but the log already named entry ${last}`;
    sessions.set(leaf.session, [...known, { index: leaf.index, hash: leaf.hash }]);
    tree.append(leafHash(leafBytes(leaf)));
  }
  if (tree.size === head.size && tree.root().equals(head.root)) return undefined;
  return `the leaves do not match the checkpoint over ${head.size} leaves`;
}
