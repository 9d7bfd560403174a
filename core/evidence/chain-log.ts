/** The log of chain points that witnesses watch, as evidence uses it. A feature keeps it [transparency.log]. */
import type { ChainPoint } from '#core/contracts/evidence.ts';
import type { LogProof } from '#core/contracts/transparency.ts';
import type { LogSigner } from '#core/evidence/transparency/note.ts';
import { GatewayError } from '#core/kernel/errors.ts';

/** Access for a process that signs checkpoints. */
export interface ChainLog {
  /**
   * Appends a leaf for each session that has grown since its last leaf. Takes points of any tenants.
   * @throws LogDamage
   */
  append(points: readonly ChainPoint[]): Promise<void>;
  /** Takes leaves into the head that only the objects hold. @returns the number of leaves. */
  recover(tenant: string): Promise<number>;
}

/** Access for a process that shows evidence. */
export interface LogProofs {
  /** Proves that the newest leaf of a session is in the log. Undefined if it is not in the log yet. */
  proof(tenant: string, sessionId: string): Promise<LogProof | undefined>;
  /** Returns the key of a tenant's log. @throws GatewayError when it is unavailable. */
  signer(tenant: string): Promise<LogSigner>;
}

/** Error for stored objects that do not form the log's tree. */
export class LogDamage extends GatewayError {
  constructor(reason: string) {
    super('server_error', `The log cannot be relied on: ${reason}.`);
  }
}
