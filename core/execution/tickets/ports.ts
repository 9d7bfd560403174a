/** Capability tickets and where they are kept. */
import type { TicketRecord } from '#core/contracts/credential.ts';
import type { Page } from '#core/kernel/page.ts';

export type { TicketRecord } from '#core/contracts/credential.ts';

/** What became of a ticket that was presented: it is good once. */
export type Redemption = 'redeemed' | 'replayed' | 'revoked' | 'unknown';

export interface TicketStore {
  /** @throws GatewayError `conflict` for an id that is taken. */
  put(ticket: TicketRecord): Promise<void>;
  get(tenant: string, id: string): Promise<TicketRecord | undefined>;
  /** One conditional write: of any number that present a ticket at once, one gets `redeemed`, and none after a revocation. */
  redeem(tenant: string, id: string, nonce: string, now: string): Promise<Redemption>;
  /** Unexpired, unused and unrevoked, newest first. */
  active(tenant: string, now: string, options: { limit: number; cursor?: string }): Promise<Page<TicketRecord>>;
  /** @returns false for one that is unknown, used or revoked already. */
  revoke(tenant: string, id: string, now: string): Promise<boolean>;
}
