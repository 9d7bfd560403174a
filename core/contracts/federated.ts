/** A caller of an issuer outside the gateway, as connections and approvals keep it; never the token. */

/** `provider` of callers with IAM credentials; their `issuer` is `aws:<account>`, which is not a URL as issuers of tokens are. */
export const awsProvider = 'aws';

export interface FederatedCaller {
  /** Name of the entry under `identity`. */
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  readonly client?: string;
  /** The claims that the configuration reads, so that the caller can be mapped again under a later configuration. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** ISO 8601: when the token ends. */
  readonly expires_at: string;
}
