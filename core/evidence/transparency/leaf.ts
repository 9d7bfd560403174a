/**
 * The log's leaves. Each is the chain point of a session, and identifies the session by a digest so that leaves can be
 * published.
 */
import type { ChainPoint } from '#core/contracts/evidence.ts';
import { type LogLeaf, logLeafSchema } from '#core/contracts/transparency.ts';
import { canonicalize, digestOf } from '#core/kernel/canonical.ts';

export const sessionDigest = (tenant: string, sessionId: string): string => digestOf([tenant, sessionId]);

export const leafOf = ({ tenant, session_id, index, hash }: ChainPoint, at: string): LogLeaf => ({
  version: 1,
  tenant,
  session: sessionDigest(tenant, session_id),
  index,
  hash,
  at,
});

/** Returns a leaf's bytes in the tree. */
export const leafBytes = (leaf: LogLeaf): Buffer => Buffer.from(canonicalize(leaf));

/** Parses a leaf, or returns undefined for bytes that this log would never write. */
export function readLeaf(bytes: Uint8Array): LogLeaf | undefined {
  try {
    const leaf = logLeafSchema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    return leaf.success && leafBytes(leaf.data).equals(bytes) ? leaf.data : undefined;
  } catch {
    return undefined;
  }
}
