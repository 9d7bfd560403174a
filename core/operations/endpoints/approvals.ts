/** Approvals and the votes on them. */

import * as z from 'zod';
import { approveSchema, voteSchema } from '#core/contracts/admin-requests.ts';
import { count, cursor, sha256Hex, time } from '#core/contracts/answers/parts.ts';
import { place } from '#core/contracts/answers/policies.ts';
import { afterVotes, effectRisks } from '#core/contracts/approval.ts';
import { keyKinds, paging, roles } from '#core/contracts/route.ts';
import { operation } from '../endpoint.ts';

export const call = {
  protocol: z.string(),
  tool: z.string(),
  target: z.string(),
  capability: z.string(),
  upstream: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()),
};
const votes = z
  .array(
    z.strictObject({
      person: z.string(),
      teams: z.array(z.string()),
      role: z.enum(roles),
      comment: z.string(),
      channel: z.string(),
      at: time,
    }),
  )
  .optional()
  .meta({ description: 'Approvals given, if rules of the organisation require several.' });
const stillNeeded = z
  .string()
  .optional()
  .meta({ description: 'What the rules of the organisation still require, in words.' });
const similar = z
  .array(z.strictObject({ envelope_id: z.string(), session_id: z.string(), queued_at: time }))
  .optional()
  .meta({
    description:
      'Other pending requests of the same key for the same tool whose call differs at most in case, spacing or character form. Each needs its own vote.',
  });
const item = z.strictObject({
  envelope_id: z.string(),
  status: z.enum(['pending', 'approved', 'denied', 'executing', 'consumed']),
  key: z.strictObject({
    id: z.string(),
    name: z.string().optional(),
    kind: z.enum(keyKinds).optional(),
    owner: z.string().optional(),
  }),
  tenant: z.string(),
  actor: z.strictObject({ agent: z.string(), session: z.string() }),
  session_id: z.string(),
  unverified: z.array(z.string()).meta({ description: 'Fields that the caller supplied and that are not verified.' }),
  ...call,
  upstream_tool: z.string().optional(),
  definition: sha256Hex
    .optional()
    .meta({ description: 'Digest of the relevant parts of the tool definition at its server.' }),
  sent_with: z.record(z.string(), z.unknown()).optional(),
  withheld: z.array(z.string()).meta({ description: 'JSON paths of redacted parameters.' }),
  call_digest: sha256Hex,
  summary: z
    .strictObject({ text: z.string(), risk: z.enum(effectRisks) })
    .optional()
    .meta({ description: 'What the call does, in one sentence, and its most severe risk.' }),
  effects: z.array(z.string()).optional(),
  effect_risks: z
    .array(z.enum(effectRisks))
    .optional()
    .meta({ description: 'Risk of each effect, in the order of the effects.' }),
  sources: z
    .array(z.string())
    .optional()
    .meta({ description: 'Sources of the values that a rule on sources checks, one line per argument.' }),
  executed: z.array(z.string()).optional(),
  queued_at: time,
  expires_at: time,
  expires_in_seconds: count.optional(),
  justification: z.string(),
  matched_rule: z.string(),
  rule: z.strictObject({
    name: z.string(),
    reason: z.string().optional(),
    policy: z.string().optional(),
    policy_version: count,
    place,
  }),
  risk: z
    .strictObject({ session: z.number(), key: z.number(), kill_switch: z.number() })
    .optional()
    .meta({ description: 'Scores when the request was queued.' }),
  credential: z
    .strictObject({ broker: z.string(), scope: z.string(), ttl_seconds: count })
    .optional()
    .meta({ description: 'Credential that the call would receive, by the grants when it was queued.' }),
  requires: z
    .array(
      z.strictObject({
        rule: z.string(),
        approvals: count,
        from_teams: z.array(z.string()).optional(),
        not_of_teams: z.array(z.string()).optional(),
        roles: z.array(z.enum(roles)).optional(),
      }),
    )
    .optional()
    .meta({ description: 'Rules of the organisation and of the tool policy that must be satisfied.' }),
  passkey_required: z
    .boolean()
    .optional()
    .meta({ description: 'An approval counts only with the signature of a passkey.' }),
  together: sha256Hex.optional().meta({
    description:
      'The same value for identical pending calls of a session, made with several keys, on which the rule lets a person decide in one step. Each needs its own vote. Absent if the rule does not allow this, or if a value is withheld.',
  }),
  terms_changed: z.string().optional().meta({
    description:
      'What a later configuration requires of the approval in addition to the requirements when it was queued.',
  }),
  cannot_run: z.string().optional().meta({
    description:
      'Why an approval would not let the call run now: its key was revoked, a rule now blocks it, or the kill switch has stopped its session or key.',
  }),
  similar_pending: similar,
  caller_gone_at: z.string().optional().meta({
    description:
      'Time at which the caller of a held call disconnected. If the call is approved, nothing runs until the identical call is sent again.',
  }),
  after_vote: z.enum(afterVotes).optional().meta({
    description:
      'What happens after an approval, while it is pending: the caller makes the call itself (`caller`), the gateway makes it (`gateway`), a held call continues (`held`), an MCP task continues (`task`), or the call is sent again (`input`, `retry`).',
  }),
  held_until: time.optional().meta({ description: 'Until when the connection of a held call is kept open.' }),
  passkey_challenge: z.string().optional().meta({
    description: 'Challenge that a passkey signs to approve this request, base64url; only while it is pending.',
  }),
  votes,
  still_needed: stillNeeded,
  approval_url: z.string(),
});
const decidedApproval = z.strictObject({
  envelope_id: z.string(),
  status: item.shape.status,
  reviewer: z.string().optional(),
  person: z.string().optional(),
  channel: z.string().optional(),
  reason: z.string().optional(),
  approved_at: time.optional(),
  denied_at: time.optional(),
  comment: z.string().optional(),
  evidence_hash: sha256Hex.optional(),
  outcome: z.enum(['executed', 'failed', 'unknown', 'not_executed']).optional(),
  executed_by: z.enum(['caller', 'gateway']).optional(),
  refused_because: z.string().optional(),
  result: z.unknown().optional(),
  result_sha256: sha256Hex.optional(),
  result_bytes: count.optional(),
  result_withheld: z.string().optional(),
  votes,
  still_needed: stillNeeded,
  similar_pending: similar,
});
const view = z.strictObject({ ...item.shape, ...decidedApproval.shape });
const unreadableApproval = z
  .array(z.string())
  .optional()
  .meta({ description: 'Ids of approvals whose rows cannot be read. They can be neither shown nor voted on.' });

/** Fields that are shortened in lists. */
const omitted = z
  .array(
    z.strictObject({
      field: z.string().meta({ description: 'Name of a field that is shortened here.' }),
      bytes: count.meta({ description: 'Size of the whole field as JSON.' }),
    }),
  )
  .optional()
  .meta({
    description:
      'Fields that are shortened to keep lists small. The item at `approval_url` has the whole fields, and the terms that a later configuration adds.',
  });

export const approvals = {
  listApprovals: operation({
    route: 'GET /admin/v1/approvals',
    function: 'approvals',
    role: 'operator',
    agents: 'own',
    query: paging,
    summary: 'Pending approvals',
    output: () =>
      z.strictObject({ pending: z.array(item.extend({ omitted })), unreadable: unreadableApproval, cursor }),
    run: async () => (await import('#core/operations/approvals.ts')).listApprovals,
  }),
  approvalHistory: operation({
    route: 'GET /admin/v1/approvals/history',
    function: 'approvals',
    role: 'operator',
    agents: 'own',
    query: ['status', ...paging],
    summary: 'Decided approvals',
    output: () =>
      z.strictObject({ approvals: z.array(view.extend({ omitted })), unreadable: unreadableApproval, cursor }),
    run: async () => (await import('#core/operations/approvals.ts')).approvalHistory,
  }),
  approvalEvents: operation({
    route: 'GET /admin/v1/approvals/events',
    function: 'approvals',
    role: 'operator',
    summary: 'Events of approvals, as server-sent events',
    output: { text: 'text/event-stream' },
    run: async () => (await import('#core/operations/approvals.ts')).approvalEvents,
  }),
  getApproval: operation({
    route: 'GET /admin/v1/approvals/{envelope_id}',
    function: 'approvals',
    role: 'operator',
    agents: 'own',
    summary: 'One approval item or record',
    output: () => view,
    run: async () => (await import('#core/operations/approvals.ts')).getApproval,
  }),
  approve: operation({
    route: 'POST /admin/v1/approvals/{envelope_id}/approve',
    function: 'approvals',
    role: 'operator',
    humansOnly: true,
    summary: 'Approve a pending action',
    input: () => approveSchema,
    example: { reviewer: 'alice', comment: 'Looked at the diff.' },
    output: () => decidedApproval,
    run: async () => (await import('#core/operations/approvals.ts')).approve,
  }),
  deny: operation({
    route: 'POST /admin/v1/approvals/{envelope_id}/deny',
    function: 'approvals',
    role: 'operator',
    humansOnly: true,
    summary: 'Deny a pending action',
    input: () => voteSchema,
    example: { reviewer: 'alice', comment: 'The branch is frozen until Monday.' },
    output: () => decidedApproval,
    run: async () => (await import('#core/operations/approvals.ts')).deny,
  }),
};
