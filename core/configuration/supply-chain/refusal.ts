/** Reasons for refusing a signed document, an index or an artifact. */
import type { refusalReasons } from '#core/contracts/plugin-act.ts';

export type RefusalReason = (typeof refusalReasons)[number];

/** A failed check. `reason` is stable; the message states what was found and what is allowed. */
export class SupplyChainRefusal extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SupplyChainRefusal';
    this.reason = reason;
  }
}

/**
 * Refuses a document.
 * @throws SupplyChainRefusal, always.
 */
export function refuseDocument(reason: RefusalReason, message: string, cause?: unknown): never {
  throw new SupplyChainRefusal(reason, message, cause === undefined ? undefined : { cause });
}
