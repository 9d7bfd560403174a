/** Evidence entries, session manifests and bundles. */

import * as z from 'zod';
import type { verificationSchema } from './answers/evidence.ts';
import { entryKinds } from './entry-kinds.ts';
import type { Shape } from './shape.ts';
import { logProofSchema } from './transparency.ts';

const hex = z.string().regex(/^[0-9a-f]{64}$/);

export const evidenceEntrySchema = z.strictObject({
  version: z.literal(1),
  tenant: z.string(),
  session_id: z.string(),
  index: z.int().nonnegative(),
  timestamp: z.string(),
  kind: z.enum(entryKinds),
  envelope_id: z.string(),
  /** The authenticated principal and the label it gave itself. */
  actor: z.strictObject({
    key_id: z.string(),
    agent: z.string().optional(),
    person: z.string().optional(),
    /** For callers with a token: the issuer, the subject, and the person on whose behalf they act. */
    issuer: z.string().optional(),
    subject: z.string().optional(),
    owner: z.string().optional(),
  }),
  body: z.record(z.string(), z.unknown()),
  previous_hash: z.union([hex, z.literal('')]),
  hash: hex,
});
export type EvidenceEntry = z.infer<typeof evidenceEntrySchema>;

/** Entry without its position in the chain. */
export type EntryDraft = Omit<EvidenceEntry, 'version' | 'index' | 'previous_hash' | 'hash'>;

const signatureSchema = z.strictObject({
  alg: z.literal('ECDSA_P256_SHA256'),
  key_id: z.string(),
  /** DER, base64. */
  value: z.string(),
});

export const sessionManifestSchema = z.strictObject({
  session_id: z.string(),
  tenant: z.string(),
  total_entries: z.int().positive(),
  first_hash: hex,
  last_hash: hex,
  counts: z.record(z.string(), z.int()),
  policy_versions: z.array(z.int()),
  /** Provenance of every credential issued: id, type and scope, but never a value. */
  credentials: z.array(z.strictObject({ id: z.string(), type: z.string(), scope: z.string() })),
  created_at: z.string(),
  session_manifest_hash: hex,
  signature: signatureSchema,
});
export type SessionManifest = z.infer<typeof sessionManifestSchema>;
export type UnsignedManifest = Omit<SessionManifest, 'signature'>;

/** Point in a session's chain: the index and hash of an entry, which fix all earlier entries. */
export const chainPointSchema = z.strictObject({
  tenant: z.string(),
  session_id: z.string(),
  index: z.int().nonnegative(),
  hash: hex,
});
export type ChainPoint = z.infer<typeof chainPointSchema>;

/** Signature over points of several chains at one time. */
export const checkpointSchema = z.strictObject({
  version: z.literal(1),
  created_at: z.string(),
  /** Number of chain points, and the root of the hash tree over them. */
  size: z.int().positive(),
  root: hex,
  /**
   * Hash of the previous checkpoint in the same log. Empty for the first one, or if the order is ensured by other
   * means.
   */
  previous: z.union([hex, z.literal('')]),
  signature: signatureSchema,
});
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** Checkpoint with the proof that it covers one chain point. */
export const sessionCheckpointSchema = z.strictObject({
  point: chainPointSchema,
  position: z.int().nonnegative(),
  path: z.array(hex).max(64),
  checkpoint: checkpointSchema,
});
export type SessionCheckpoint = z.infer<typeof sessionCheckpointSchema>;

const publishedKeySchema = z.strictObject({
  key_id: z.string(),
  /** PEM (SPKI). */
  public_key: z.string(),
});
/** Current or former evidence signing key. */
export type PublishedKey = z.infer<typeof publishedKeySchema>;

/** Statement that one key succeeds another. Both keys sign it, so a verifier that trusts one may trust the other. */
export const keySuccessionSchema = z.strictObject({
  version: z.literal(1),
  created_at: z.string(),
  previous: publishedKeySchema,
  next: publishedKeySchema,
  signatures: z.strictObject({ previous: z.string(), next: z.string() }),
});
export type KeySuccession = z.infer<typeof keySuccessionSchema>;

/** A gateway's signing keys, the current one first. */
export const signingKeysSchema = z.strictObject({
  keys: z.array(publishedKeySchema).min(1),
  successions: z.array(keySuccessionSchema),
});
export type SigningKeys = z.infer<typeof signingKeysSchema>;

export const bundleFormat = 'agent-governance-gateway/session-bundle@1';

export const sessionBundleSchema = z.strictObject({
  format: z.literal(bundleFormat),
  manifest: sessionManifestSchema,
  entries: z.array(evidenceEntrySchema),
  /** The newest checkpoint of the session, if any. */
  checkpoint: sessionCheckpointSchema.optional(),
  /** Proof that the session is in its tenant's transparency log, if the gateway keeps one. */
  log_proof: logProofSchema.optional(),
  /** PEM, for convenience only. A verifier must get the key it trusts from elsewhere. */
  public_key: z.string(),
  /** Succession statements of rotated keys. */
  successions: z.array(keySuccessionSchema).optional(),
});
export type SessionBundle = z.infer<typeof sessionBundleSchema>;

export interface Verification extends Shape<typeof verificationSchema> {
  /** The session's newest leaf in the transparency log, and its witnesses. */
  readonly log?: {
    readonly origin: string;
    readonly size: number;
    readonly position: number;
    readonly index: number;
    readonly at: string;
    readonly witnesses: readonly { readonly witness: string; readonly at: string; readonly size: number }[];
  };
}
export type UnreadKind = NonNullable<Verification['unread']>[number];
