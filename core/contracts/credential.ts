/** What is known of an issued credential (spec §2.2, §2.6). */

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
}
