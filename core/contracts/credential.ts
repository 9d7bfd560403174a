/** Records of issued credentials and capability tickets. */
import * as z from 'zod';
import { count, sha256Hex, time } from './answers/parts.ts';
import type { Shape } from './shape.ts';

export const credentialSchema = z.strictObject({
  id: z.string(),
  tenant: z.string(),
  session_id: z.string(),
  envelope_id: z.string(),
  broker: z.string(),
  type: z.string(),
  scope: z.string(),
  degraded: z.boolean(),
  issued_at: time,
  expires_at: time,
  revoked_at: time.optional(),
  /** Reason why the credential is degraded, or a note on what its issuer does with it after it expires here. */
  note: z.string().optional(),
  /**
   * The issuer's own expiry, if it is later than `expires_at`. Until it is reached, the credential must be revoked
   * explicitly.
   */
  issuer_expires_at: time.optional(),
  /** Lease id in a secrets vault. Not a secret. */
  lease_id: z.string().optional(),
  /** Version of the stored secret that was issued as the credential. */
  version_id: z.string().optional(),
  /** SHA-256 of the session policy that restricts the credential. */
  policy_digest: z.string().optional(),
  /** SHA-256 of a capability ticket's record when it was issued. */
  ticket_sha256: sha256Hex.optional(),
  /**
   * When the sweep revokes the credential if its holder has ended or crashed. Absent if the record does not allow
   * revocation.
   */
  revoke_due: time.optional(),
});
/** Stored and displayed record of a credential, which never includes its value. */
export type CredentialRecord = Shape<typeof credentialSchema>;

export const ticketSchema = z.strictObject({
  id: z.string(),
  tenant: z.string(),
  session_id: z.string(),
  envelope_id: z.string(),
  approval_id: z.string().optional(),
  resource: z.string(),
  tool: z.string(),
  capability: z.string(),
  policy_version: count,
  nonce: z.string(),
  key_id: z.string(),
  issued_at: time,
  expires_at: time,
  used_at: time.optional(),
  revoked_at: time.optional(),
});
/** Stored and displayed record of a capability ticket. The ticket itself is not stored. */
export type TicketRecord = Shape<typeof ticketSchema>;
