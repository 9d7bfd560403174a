/** Issued credentials and capability tickets. */
import * as z from 'zod';
import { redeemSchema } from '#core/contracts/admin-requests.ts';
import { paging } from '#core/contracts/route.ts';
import { operation } from '../endpoint.ts';
import { count, cursor, sha256Hex, time } from './schemas.ts';

const credential = z.strictObject({
  id: z.string(),
  tenant: z.string(),
  session_id: z.string(),
  envelope_id: z.string(),
  broker: z.string(),
  type: z.string(),
  scope: z.string(),
  degraded: z.boolean(),
  issued_at: time,
  expires_at: time,
  revoked_at: time.optional(),
  note: z.string().optional(),
  issuer_expires_at: time.optional(),
  lease_id: z.string().optional(),
  version_id: z.string().optional(),
  policy_digest: z.string().optional(),
  ticket_sha256: sha256Hex.optional(),
  revoke_due: time.optional(),
});
const ticket = z.strictObject({
  id: z.string(),
  tenant: z.string(),
  session_id: z.string(),
  envelope_id: z.string(),
  approval_id: z.string().optional(),
  resource: z.string(),
  tool: z.string(),
  capability: z.string(),
  policy_version: count,
  nonce: z.string(),
  key_id: z.string(),
  issued_at: time,
  expires_at: time,
  used_at: time.optional(),
  revoked_at: time.optional(),
});

export const credentials = {
  listCredentials: operation({
    route: 'GET /admin/v1/credentials',
    function: 'credentials',
    role: 'operator',
    query: paging,
    summary: 'Active credentials',
    command: {
      words: 'credentials list',
      summary: 'List active credentials; values are never shown',
      examples: ['credentials list', "credentials list --json | jq -r '.credentials[].id'"],
      table: {
        of: 'credentials',
        none: 'no credential is active',
        columns: { id: 'id', type: 'type', scope: 'scope', session: 'session_id', expires: 'expires_at' },
      },
    },
    output: () => z.strictObject({ credentials: z.array(credential), cursor }),
    run: async () => (await import('#core/operations/credentials.ts')).listCredentials,
  }),
  revokeCredential: operation({
    route: 'POST /admin/v1/credentials/{id}/revoke',
    function: 'credentials',
    role: 'operator',
    summary: 'Revoke a credential',
    command: {
      words: 'credentials revoke <id>',
      examples: ['credentials revoke 0197a3c2-6f51-7e1a-9f60-0a8d5c1b2e3f'],
    },
    output: () => credential,
    run: async () => (await import('#core/operations/credentials.ts')).revokeCredential,
  }),
  listTickets: operation({
    route: 'GET /admin/v1/tickets',
    function: 'credentials',
    role: 'operator',
    query: paging,
    summary: 'Capability tickets that are still valid',
    command: {
      words: 'tickets list',
      summary: 'List active tickets; values are never shown',
      examples: ['tickets list', "tickets list --json | jq -r '.tickets[].id'"],
      table: {
        of: 'tickets',
        none: 'no ticket is active',
        columns: { id: 'id', tool: 'tool', resource: 'resource', session: 'session_id', expires: 'expires_at' },
      },
    },
    output: () => z.strictObject({ tickets: z.array(ticket), cursor }),
    run: async () => (await import('#core/operations/tickets.ts')).listTickets,
  }),
  redeemTicket: operation({
    route: 'POST /admin/v1/tickets/redeem',
    function: 'credentials',
    role: 'operator',
    summary: 'Redeem a capability ticket, once',
    input: () => redeemSchema,
    example: { ticket: 'agt1.…', tool: 'billing.get', capability: 'read', resource: '/invoices/7' },
    output: () =>
      ticket
        .pick({ id: true, envelope_id: true, approval_id: true, tool: true, resource: true, capability: true })
        .extend({ policy_version: count, expires_at: time }),
    run: async () => (await import('#core/operations/tickets.ts')).redeemTicket,
  }),
  revokeTicket: operation({
    route: 'POST /admin/v1/tickets/{id}/revoke',
    function: 'credentials',
    role: 'operator',
    summary: 'Revoke a capability ticket',
    command: {
      words: 'tickets revoke <id>',
      summary: 'Revoke a ticket',
      examples: ['tickets revoke 0197a3c2-6f51-7e1a-9f60-0a8d5c1b2e3f'],
    },
    output: () => ticket,
    run: async () => (await import('#core/operations/tickets.ts')).revokeTicket,
  }),
};
