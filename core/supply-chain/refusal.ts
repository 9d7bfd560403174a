/** Why a signed document, an index or an artifact is refused. Each reason is one check of the verification. */

export const refusalReasons = [
  'envelope_malformed',
  'payload_type',
  'predicate_type',
  'statement_malformed',
  'statement_mismatch',
  'unknown_key',
  'bad_signature',
  'key_type',
  'delegation_missing',
  'delegation_expired',
  'issued_in_future',
  'key_revoked',
  'artifact_revoked',
  'sequence_older',
  'sequence_reused',
  'root_changed',
  'name_invalid',
  'version_invalid',
  'url_invalid',
  'plugin_duplicate',
  'plugin_unknown',
  'plugin_yanked',
  'downgrade',
  'size_exceeded',
  'size_mismatch',
  'artifact_missing',
  'digest_mismatch',
  'abi_unsupported',
  'abi_mismatch',
  'permission_undeclared',
  'permission_unknown',
  'not_https',
  'private_address',
  'too_many_redirects',
  'download_failed',
  'download_truncated',
  'in_use',
] as const;
export type RefusalReason = (typeof refusalReasons)[number];

/** A check that failed. `reason` is stable; the message says what was found and what is allowed. */
export class SupplyChainRefusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SupplyChainRefusal';
    this.reason = reason;
  }
}

/** @throws SupplyChainRefusal, always. */
export function refuse(reason: RefusalReason, message: string, cause?: unknown): never {
  throw new SupplyChainRefusal(reason, message, cause === undefined ? undefined : { cause });
}
