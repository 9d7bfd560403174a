/** Records of issued credentials and capability tickets. */

/** Stored and displayed record of a credential, which never includes its value. */
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
  /** Reason why the credential is degraded, or a note on what its issuer does with it after it expires here. */
  readonly note?: string;
  /**
   * The issuer's own expiry, if it is later than `expires_at`. Until it is reached, the credential must be revoked
   * explicitly.
   */
  readonly issuer_expires_at?: string;
  /** Lease id in a secrets vault. Not a secret. */
  readonly lease_id?: string;
  /** Version of the stored secret that was issued as the credential. */
  readonly version_id?: string;
  /** SHA-256 of the session policy that restricts the credential. */
  readonly policy_digest?: string;
  /** SHA-256 of a capability ticket's record when it was issued. */
  readonly ticket_sha256?: string;
  /**
   * When the sweep revokes the credential if its holder has ended or crashed. Absent if the record does not allow
   * revocation.
   */
  readonly revoke_due?: string;
}

/** Stored and displayed record of a capability ticket. The ticket itself is not stored. */
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
