/**
 * The log of chain points that witnesses watch, as seen by the evidence code. A separate feature maintains it
 * [transparency.log].
 */
import type { Configuration } from '#core/contracts/config.ts';
import type { ChainPoint } from '#core/contracts/evidence.ts';
import type { LogProof } from '#core/contracts/transparency.ts';
import type { LogSigner, NoteKey } from '#core/evidence/transparency/note.ts';
import { GatewayError } from '#core/kernel/errors.ts';

/** Log access for a process that signs checkpoints. */
export interface ChainLog {
  /**
   * Appends a leaf for each session that has grown since its last leaf. Accepts points from any tenant.
   * @throws LogDamage
   */
  append(points: readonly ChainPoint[]): Promise<void>;
  /** Adds to the head the leaves that exist only in the stored objects. @returns the number of leaves. */
  recover(tenant: string): Promise<number>;
}

/** Log access for a process that presents evidence. */
export interface LogProofs {
  /** Proves that a session's newest leaf is in the log. Undefined if it is not in the log yet. */
  proof(tenant: string, sessionId: string): Promise<LogProof | undefined>;
  /** Returns the key of a tenant's log. @throws GatewayError if it is unavailable. */
  signer(tenant: string): Promise<LogSigner>;
  /** Returns the keys of the witnesses that a configuration names. */
  witnesses(configuration: Configuration): readonly NoteKey[];
}

/** Error for stored objects that do not form the log's tree. */
export class LogDamage extends GatewayError {
  constructor(reason: string) {
    super('server_error', `The log cannot be relied on: ${reason}.`);
  }
}
