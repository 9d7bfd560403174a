/** A key's risk across all its sessions, so that a new session does not reset it. */
import type { RiskRecord } from '#core/contracts/behavior.ts';

export interface KeyRisks {
  /** Reads a key's record consistently. Returns undefined if there is none. */
  of(tenant: string, keyId: string): Promise<RiskRecord | undefined>;
  /**
   * Replaces a key's record atomically with the result of `fold`. After a concurrent write, `fold` is called once more
   * with the newer record. An unchanged record is not written.
   * @throws GatewayError `service_unavailable`.
   */
  update(
    tenant: string,
    keyId: string,
    fold: (record: RiskRecord | undefined) => RiskRecord | undefined,
  ): Promise<void>;
}
