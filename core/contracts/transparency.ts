/** Leaves of a transparency log, and the proof that a session is included. */
import * as z from 'zod';

const hex = z.string().regex(/^[0-9a-f]{64}$/);

export const logLeafSchema = z.strictObject({
  version: z.literal(1),
  tenant: z.string(),
  /** SHA-256 of the canonical list containing the tenant and session id. */
  session: hex,
  /** Index and hash of the newest entry. */
  index: z.int().nonnegative(),
  hash: hex,
  /** Time at which the gateway claims to have logged this, ISO 8601. */
  at: z.iso.datetime(),
});
export type LogLeaf = z.infer<typeof logLeafSchema>;

/** Hashes in base64, from the leaf to the root. */
const path = z.array(z.string().max(44)).max(64);
/** A signed note. */
const note = z.string().max(16_384);

export const logProofSchema = z.strictObject({
  /**
   * Current and earlier verifier keys, newest first, if there have been several. Only a hint, because verifiers pin
   * their keys.
   */
  keys: z.array(z.string().max(1_024)).max(32).optional(),
  leaf: logLeafSchema,
  position: z.int().nonnegative(),
  checkpoint: note,
  path,
  /** Checkpoints cosigned by witnesses, each with its own path. */
  cosigned: z.array(z.strictObject({ checkpoint: note, path })).max(32),
});
export type LogProof = z.infer<typeof logProofSchema>;
