/** What the log holds: where a session's chain stood, as one leaf. A session is named by a digest, so leaves may be published. */
import * as z from 'zod';
import type { ChainPoint } from '#core/contracts/evidence.ts';
import { canonicalize, digestOf } from '#core/kernel/canonical.ts';

const hex = z.string().regex(/^[0-9a-f]{64}$/);

export const leafSchema = z.strictObject({
  version: z.literal(1),
  tenant: z.string(),
  /** SHA-256 of the canonical list of tenant and session id. */
  session: hex,
  /** Index and hash of the newest entry. */
  index: z.int().nonnegative(),
  hash: hex,
  /** When the gateway says it logged this, ISO 8601. */
  at: z.iso.datetime(),
});
export type LogLeaf = z.infer<typeof leafSchema>;

export const sessionDigest = (tenant: string, sessionId: string): string => digestOf([tenant, sessionId]);

export const leafOf = ({ tenant, session_id, index, hash }: ChainPoint, at: string): LogLeaf => ({
  ...{ version: 1, tenant, session: sessionDigest(tenant, session_id), index, hash, at },
});

/** The leaf as the tree holds it. */
export const leafBytes = (leaf: LogLeaf): Buffer => Buffer.from(canonicalize(leaf));

/** The leaf of such bytes; undefined for bytes that this log does not write. */
export function readLeaf(bytes: Uint8Array): LogLeaf | undefined {
  try {
    const leaf = leafSchema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    return leaf.success && leafBytes(leaf.data).equals(bytes) ? leaf.data : undefined;
  } catch {
    return undefined;
  }
}
