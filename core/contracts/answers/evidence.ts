/** Sessions with evidence and the verification of their chains, in responses. */
import * as z from 'zod';
import { count, counts, microusd, sha256Hex, time } from './parts.ts';

export const sessionRowSchema = z.strictObject({
  tenant: z.string(),
  session_id: z.string(),
  /** Id of the agent key that opened the session; absent for the gateway's own sessions. */
  owner_key: z.string().optional(),
  total_entries: count,
  first_hash: sha256Hex,
  last_hash: sha256Hex,
  counts,
  policy_versions: z.array(count),
  opened_at: time,
  updated_at: time,
  risk: z.strictObject({ score: z.number(), rule: z.string() }).optional(),
  /** Total cost of the session's model calls. */
  spent_microusd: microusd.optional(),
});

export const brokenLink = {
  index: z.int(),
  reason: z.string(),
  /**
   * Part of a session that a checkpoint, archive or log refers to but the rows do not contain: its end, or the whole
   * session.
   */
  missing: z
    .enum(['end', 'session'])
    .optional()
    .meta({ description: 'Missing part of a session whose other entries are valid.' }),
};
/** Copies kept outside the tables, against which a chain is checked. */
export const unread = z
  .array(z.enum(['checkpoints', 'archive']))
  .optional()
  .meta({ description: 'Copies that could not be read, because of a fault that `not_checked` names.' });

/** Outcome of verifying a chain. */
export const verificationSchema = z.strictObject({
  valid: z.boolean(),
  total_entries: count,
  session_manifest_hash: sha256Hex.optional(),
  broken_link: z.strictObject(brokenLink).optional(),
  /** The newest checkpoint that matches the chain. It fixes entries up to `index`. */
  checkpoint: z.strictObject({ index: count, created_at: time, key_id: z.string() }).optional(),
  passkey_votes: count
    .optional()
    .meta({ description: 'Votes whose passkey was verified with the public key in the chain.' }),
  /** Entries that were compared with their archived copies. */
  archived_entries: count.optional(),
  /** Expired entries verified by their archived copies. */
  expired_entries: count.optional(),
  /** Without copies that are not kept or do not cover the end yet. */
  unread,
  /** Descriptions of checks that were not made, such as `origin not checked` without a trusted public key. */
  not_checked: z.array(z.string()),
});
