/** Capability tickets and their store. */
import type { TicketRecord } from '#core/contracts/credential.ts';
import type { Page } from '#core/kernel/page.ts';

/** Result of presenting a ticket. A ticket works only once. */
export type Redemption = 'redeemed' | 'replayed' | 'revoked' | 'unknown';

export interface TicketStore {
  /** Stores a ticket. @throws GatewayError `conflict` if the id already exists. */
  put(ticket: TicketRecord): Promise<void>;
  get(tenant: string, id: string): Promise<TicketRecord | undefined>;
  /**
   * Redeems a ticket with one conditional write. Only one of several concurrent attempts gets `redeemed`, and after a
   * revocation none does.
   */
  redeem(tenant: string, id: string, nonce: string, now: string): Promise<Redemption>;
  /** Lists unexpired, unused and unrevoked tickets, newest first. */
  active(tenant: string, now: string, options: { limit: number; cursor?: string }): Promise<Page<TicketRecord>>;
  /** Revokes a ticket. @returns false if the ticket is unknown, used or already revoked. */
  revoke(tenant: string, id: string, now: string): Promise<boolean>;
}
