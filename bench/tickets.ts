/** The cost of capability tickets: signatures and verifications per second, without the store. */
import { ticketKey } from '#core/execution/tickets/keys.ts';
import { signTicket, verifyTicket } from '#core/execution/tickets/ticket.ts';

export function benchTickets(): Record<string, number> {
  const key = ticketKey('a secret of the bench, long enough to be one');
  const use = {
    tenant: 'default',
    envelope_id: '01890000-0000-7000-8000-000000000001',
    resource: 'acme/web',
    tool: 'scm.create_pull_request',
    capability: 'write',
  };
  const times = { issued_ms: 1_000_000, expires_ms: 1_120_000 };
  const claims = { ...use, ...times, id: use.envelope_id, nonce: '0'.repeat(32), policy_version: 7 };
  const ticket = signTicket(claims, key);
  const verify = () => {
    if (!verifyTicket(ticket, use, { current: key }, 1_050_000).ok) throw new Error('the bench ticket was refused');
  };
  return { signs_per_second: perSecond(() => signTicket(claims, key)), verifies_per_second: perSecond(verify) };
}

function perSecond(work: () => unknown): number {
  const count = 20_000;
  for (let i = 0; i < count; i++) work();
  const start = performance.now();
  for (let i = 0; i < count; i++) work();
  return (count * 1000) / (performance.now() - start);
}
