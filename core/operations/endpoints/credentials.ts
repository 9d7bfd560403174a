/** Issued credentials and capability tickets. */
import * as z from 'zod';
import { redeemSchema } from '#core/contracts/admin-requests.ts';
import { count, cursor, time } from '#core/contracts/answers/parts.ts';
import { credentialSchema, ticketSchema } from '#core/contracts/credential.ts';
import { paging } from '#core/contracts/route.ts';
import { operation } from '../endpoint.ts';

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
    output: () => z.strictObject({ credentials: z.array(credentialSchema), cursor }),
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
    output: () => credentialSchema,
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
    output: () => z.strictObject({ tickets: z.array(ticketSchema), cursor }),
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
      ticketSchema
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
    output: () => ticketSchema,
    run: async () => (await import('#core/operations/tickets.ts')).revokeTicket,
  }),
};
