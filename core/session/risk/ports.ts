/** Risk of a key over all its sessions (new sessions dodge nothing). */
import type { RiskRecord } from '#core/contracts/behavior.ts';

export interface KeyRisks {
  /** Consistent read of what is counted against a key; undefined for nothing. */
  of(tenant: string, keyId: string): Promise<RiskRecord | undefined>;
  /**
   * Replaces a key's record by what `fold` makes of it. Written once whatever others write meanwhile: `fold` is asked again
   * on a newer record. A record that stays the same is not written.
   * @throws GatewayError `service_unavailable`.
   */
  update(
    tenant: string,
    keyId: string,
    fold: (record: RiskRecord | undefined) => RiskRecord | undefined,
  ): Promise<void>;
}

export interface KeyRisksPort {
  /** Risk of keys over their sessions. */
  readonly keyRisks: KeyRisks;
}
