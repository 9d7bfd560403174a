/** Caller authenticated by an external issuer, as stored with connections and approvals. The token is never stored. */

/** `provider` of callers with IAM credentials. Their `issuer` is `aws:<account>`; token issuers are URLs. */
export const awsProvider = 'aws';

export interface FederatedCaller {
  /** Name of the entry under `identity`. */
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  readonly client?: string;
  /** The claims that the configuration uses, so that a later configuration can map the caller again. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** When the token expires, ISO 8601. */
  readonly expires_at: string;
}
