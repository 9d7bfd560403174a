/**
 * Witness that cosigns a checkpoint only if it continues the last one that the witness saw. A log that shrinks or
 * presents two histories does not get a cosignature for both [transparency.witness].
 */
import { type LogTrusted, type OpenCheckpoint, openCheckpoint, type TreeHead } from './checkpoint-note.ts';
import { rootsOfConsistency } from './proofs.ts';

/**
 * Returns the checkpoint if it continues the last one seen, or a message explaining why it is refused. Never throws.
 * @param proof consistency proof between the two checkpoints; empty for the first checkpoint and for an identical one.
 */
export function continued(
  note: string,
  log: LogTrusted,
  seen: Pick<TreeHead, 'size' | 'root'> | undefined,
  proof: readonly Buffer[],
): OpenCheckpoint | string {
  const head = openCheckpoint(note, log);
  if (typeof head === 'string' || !seen || seen.size === 0) return head;
  if (head.size < seen.size) return `the log shrank: it has ${head.size} leaves, but it had ${seen.size}`;
  if (head.size === seen.size) {
    return head.root.equals(seen.root)
      ? head
      : `the log was forked: it has a different root over the same ${seen.size} leaves`;
  }
  const roots = rootsOfConsistency(seen.size, head.size, seen.root, proof);
  if (roots?.earlier.equals(seen.root) && roots.later.equals(head.root)) return head;
  return `the log was forked or rewritten: its ${head.size} leaves do not begin with the ${seen.size} leaves seen before`;
}
