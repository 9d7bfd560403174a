/** What is known of an issued credential. */

/** What is kept and shown of a credential. Never its value. */
export interface CredentialRecord {
  readonly id: string;
  readonly tenant: string;
  readonly session_id: string;
  readonly envelope_id: string;
  readonly broker: string;
  readonly type: string;
  readonly scope: string;
  readonly degraded: boolean;
  readonly issued_at: string;
  readonly expires_at: string;
  readonly revoked_at?: string;
  /** Why it is degraded, or what its issuer does with it after its life here. */
  readonly note?: string;
  /** The issuer's own expiry, where it lies after `expires_at`: until then the credential has to be called back. */
  readonly issuer_expires_at?: string;
  /** Names the lease at a secrets vault; no secret. */
  readonly lease_id?: string;
  /** Version of the stored secret that was handed on. */
  readonly version_id?: string;
  /** SHA-256 of the session policy it was narrowed by. */
  readonly policy_digest?: string;
  /** SHA-256 of the record of a capability ticket as it was issued. */
  readonly ticket_sha256?: string;
  /** From then on the sweep revokes it: its holder has ended or crashed. Absent: it cannot be called back by its record. */
  readonly revoke_due?: string;
}

/** What is kept and shown of a capability ticket. The ticket's text is not kept. */
export interface TicketRecord {
  readonly id: string;
  readonly tenant: string;
  readonly session_id: string;
  readonly envelope_id: string;
  readonly approval_id?: string;
  readonly resource: string;
  readonly tool: string;
  readonly capability: string;
  readonly policy_version: number;
  readonly nonce: string;
  readonly key_id: string;
  readonly issued_at: string;
  readonly expires_at: string;
  readonly used_at?: string;
  readonly revoked_at?: string;
}
