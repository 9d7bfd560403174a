/** Sessions with evidence (export, verification, reports, keys) and the audit log. */
import * as z from 'zod';
import { brokenLink, sessionRowSchema, unread, verificationSchema } from '#core/contracts/answers/evidence.ts';
import { count, cursor, unreadableRows } from '#core/contracts/answers/parts.ts';
import { evidenceEntrySchema, sessionBundleSchema, signingKeysSchema } from '#core/contracts/evidence.ts';
import { paging } from '#core/contracts/route.ts';
import { optionOf } from '../command.ts';
import { operation } from '../endpoint.ts';

const verification = z.strictObject({
  session_id: z.string(),
  entries: z
    .array(z.looseObject({ index: z.int() }))
    .optional()
    .meta({ description: 'With entries=true: a line for each entry.' }),
  ...verificationSchema.shape,
});
const verifiedAudit = z.strictObject({
  valid: z.boolean(),
  total_entries: count,
  sessions: count,
  broken_link: z.strictObject({ session_id: z.string(), ...brokenLink }).optional(),
  unread,
  not_checked: z.array(z.string()),
  complete: z.boolean(),
  cursor,
});
export const evidence = {
  listSessions: operation({
    route: 'GET /admin/v1/evidence/sessions',
    function: 'evidence',
    role: 'operator',
    agents: 'own',
    query: ['path', ...paging],
    summary: 'Sessions with evidence',
    command: {
      words: 'evidence sessions',
      alias: 'list',
      summary: 'List sessions that have evidence',
      examples: ['evidence sessions', "evidence sessions --json | jq -r '.sessions[].session_id'"],
      options: { path: '<glob> all tenants below a path of the organisations, such as acme/web' },
      table: {
        of: 'sessions',
        none: 'no session has evidence',
        columns: {
          session: 'session_id',
          entries: 'total_entries',
          'last entry': ({ updated_at, opened_at }) => updated_at ?? opened_at,
        },
      },
    },
    output: () =>
      z.strictObject({
        sessions: z.array(sessionRowSchema),
        cursor,
      }),
    run: async () => (await import('#core/operations/evidence.ts')).listSessions,
  }),
  exportSession: operation({
    route: 'GET /admin/v1/evidence/sessions/{id}/export',
    function: 'evidence',
    role: 'operator',
    agents: 'own',
    summary: 'Session bundle',
    output: () => sessionBundleSchema,
    run: async () => (await import('#core/operations/evidence.ts')).exportSession,
  }),
  verifySession: operation({
    route: ['GET /admin/v1/evidence/sessions/{id}/verify', 'POST /admin/v1/evidence/sessions/{id}/verify'],
    function: 'evidence',
    role: 'operator',
    agents: 'own',
    query: ['entries'],
    summary: 'Verify a session chain',
    output: () => verification,
    run: async () => (await import('#core/operations/evidence.ts')).verifySession,
  }),
  markdownReport: operation({
    route: 'GET /admin/v1/evidence/sessions/{id}/report',
    function: 'evidence',
    role: 'operator',
    agents: 'own',
    summary: 'Markdown session report',
    output: { text: 'text/markdown' },
    run: async () => (await import('#core/operations/evidence.ts')).markdownSessionReport,
  }),
  htmlReport: operation({
    route: 'GET /admin/v1/evidence/sessions/{id}/report.html',
    function: 'evidence',
    role: 'operator',
    agents: 'own',
    summary: 'HTML session report',
    output: { text: 'text/html' },
    run: async () => (await import('#core/operations/evidence.ts')).htmlSessionReport,
  }),
  signingKeys: operation({
    route: 'GET /admin/v1/evidence/keys',
    function: 'evidence',
    role: 'operator',
    summary: 'Public keys that evidence is signed with',
    command: {
      words: 'evidence keys',
      summary: 'List the public keys that sign evidence, the current one first, with the links between them',
      examples: ['evidence keys', 'evidence keys --json > signing-keys.json'],
    },
    output: () => signingKeysSchema,
    run: async () => (await import('#core/operations/evidence.ts')).signingKeys,
  }),
};

export const audit = {
  audit: operation({
    route: 'GET /admin/v1/audit',
    function: 'evidence',
    role: 'operator',
    query: ['actor', 'kind', 'session', 'tool', 'decision', 'from', 'to', 'path', ...paging],
    summary: 'Query the audit log',
    graph: {
      field:
        'audit(actor: String, kind: String, session: String, tool: String, decision: String, from: Time, to: Time, path: String, limit: Int = 50, cursor: String): AuditConnection',
      types: `type AuditConnection { nodes: [AuditEntry!]!  pageInfo: PageInfo!  unreadable: [UnreadableEntry!]! }
type UnreadableEntry { tenant: String!  sessionId: ID!  index: Int! }
type AuditEntry {
  tenant: String!
  sessionId: String!
  index: Int!
  timestamp: Time!
  kind: String!
  envelopeId: ID!
  actor: Parameters!
  body: Parameters!
  previousHash: String!
  hash: String!
}`,
      member: 'entries',
    },
    command: {
      words: 'audit',
      examples: ['audit --kind block --from 2026-11-01T00:00:00Z', "audit --session s-1 --json | jq '.entries[].body'"],
      options: {
        actor: '<key id or name> who',
        kind: '<kind> allow, block, review, approve, deny, result, chat, admin, credential',
        session: '<id> in which session',
        tool: '<name> with which tool',
        decision: '<decision> allow, review, block',
        ...optionOf,
      },
    },
    output: () =>
      z.strictObject({
        entries: z.array(evidenceEntrySchema),
        unreadable: unreadableRows,
        cursor,
      }),
    run: async () => (await import('#core/operations/evidence.ts')).audit,
  }),
  verifyAudit: operation({
    route: ['GET /admin/v1/audit/verify', 'POST /admin/v1/audit/verify'],
    function: 'evidence',
    role: 'admin',
    query: paging,
    summary: "Verify a tenant's chains",
    output: () => verifiedAudit,
    run: async () => (await import('#core/operations/evidence.ts')).verifyAudit,
  }),
};
