/** Actions, their explanations and their approvals. */
import * as z from 'zod';
import { approveSchema, simulateSchema, voteSchema } from '../admin-requests.ts';
import { actionRequestSchema, decisionResultSchema } from '../envelope.ts';
import { registerPasskeySchema } from '../passkey.ts';
import { outcomeRequestSchema } from '../reported-outcome.ts';
import { keyKinds, roles } from '../route.ts';
import { count, cursor, decision, type OperationContract, sha256Hex, time } from './operation.ts';
import { policyDiff } from './policy-diff.ts';

const call = {
  protocol: z.string(),
  tool: z.string(),
  target: z.string(),
  capability: z.string(),
  upstream: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()),
};

const place = z
  .string()
  .optional()
  .meta({ description: 'Where the rule stands, as `file:line`; absent where the version came without a file.' });
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
  .meta({ description: 'Approvals given, where rules of the organisation ask for several.' });
const stillNeeded = z
  .string()
  .optional()
  .meta({ description: 'What the rules of the organisation still ask for, in words.' });

const similar = z
  .array(z.strictObject({ envelope_id: z.string(), session_id: z.string(), queued_at: time }))
  .optional()
  .meta({
    description:
      'Other pending requests of the same key for the same tool whose call differs at most in case, spaces or the form of characters. Each needs a vote of its own.',
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
  unverified: z.array(z.string()).meta({ description: 'Fields that are the word of the caller.' }),
  ...call,
  upstream_tool: z.string().optional(),
  definition: sha256Hex
    .optional()
    .meta({ description: 'Digest of what matters of the tool’s definition at its server.' }),
  sent_with: z.record(z.string(), z.unknown()).optional(),
  withheld: z.array(z.string()).meta({ description: 'JSON paths of redacted parameters.' }),
  call_digest: sha256Hex,
  effects: z.array(z.string()).optional(),
  sources: z
    .array(z.string())
    .optional()
    .meta({ description: 'Where the values come from that a rule asks the source of, one line an argument.' }),
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
    .meta({ description: 'What the call would be given, by the grants when it was queued.' }),
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
  terms_changed: z.string().optional().meta({
    description: 'What a later configuration asks of the approval on top of what was asked when it was queued.',
  }),
  cannot_run: z.string().optional().meta({
    description:
      'Why an approval would not let the call run now: its key was taken back, a rule blocks it by now, or the kill switch has stopped its session or key.',
  }),
  similar_pending: similar,
  caller_gone_at: z.string().optional().meta({
    description:
      'Since when the caller is gone whose call was held. If it is approved, nothing runs until the identical call is sent again.',
  }),
  passkey_challenge: z
    .string()
    .optional()
    .meta({ description: 'What a passkey signs to approve this request, base64url; while it is pending.' }),
  votes,
  still_needed: stillNeeded,
  approval_url: z.string(),
});

const decided = z.strictObject({
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
const view = z.strictObject({ ...item.shape, ...decided.shape });

/** Fields that lists shorten. */
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
      'Fields that are shortened to keep lists small. The item at `approval_url` has them whole, and the terms that a later configuration adds.',
  });

const relyingParty = z.strictObject({ id: z.string(), origin: z.string() }).meta({
  description: 'Host and page that passkeys are bound to.',
});
const passkey = z.strictObject({
  credential_id: z.string(),
  name: z.string(),
  rp_id: z.string(),
  origin: z.string(),
  registered_at: time,
  evidence_hash: sha256Hex,
});

const needs = z.string().optional().meta({
  description: 'How many approvals a review needs, and of whom; absent if one approval of any reviewer is enough.',
});

const trace = z.array(
  z.strictObject({
    index: z.int().meta({ description: 'Place among the rules; negative for a guard.' }),
    rule: z.string(),
    name: z.string().optional(),
    place,
    decision,
    matched: z.boolean(),
    failed: z.strictObject({ field: z.string(), expected: z.string(), found: z.string() }).optional(),
  }),
);

const effects = z
  .array(
    z.strictObject({
      protocol: z.string(),
      tool: z.string(),
      target: z.string(),
      capability: z.string(),
      decision,
      matched_rule: z.string(),
      place,
      reason: z.string().optional(),
      trace: trace.optional(),
    }),
  )
  .meta({ description: 'What the call would do; the trace of each effect that is not allowed.' });

export const actions = {
  testAction: { input: actionRequestSchema, output: decisionResultSchema.strict() },
  reportOutcome: {
    input: outcomeRequestSchema,
    output: z.strictObject({
      envelope_id: z.string(),
      session_id: z.string(),
      outcome: outcomeRequestSchema.shape.outcome,
      evidence_hash: sha256Hex,
    }),
    status: 201,
  },
  simulate: {
    input: simulateSchema,
    output: z.strictObject({
      policy_version: count,
      results: z.array(
        z.strictObject({
          decision,
          matched_rule: z.string(),
          policy: z.string(),
          rule_index: z.int().optional(),
          place,
          reason: z.string().optional(),
          needs,
          suggested_alternative: z.string().optional(),
          trace: trace
            .optional()
            .meta({ description: 'With `explain`: each guard and rule up to the one that matched.' }),
          effects: effects.optional(),
          more_effects: count.optional(),
          unclear: z.string().optional(),
        }),
      ),
      diff: z
        .strictObject(policyDiff)
        .optional()
        .meta({ description: 'What the policies that are tried out decide otherwise than those in force.' }),
      warnings: z.array(z.string()).optional().meta({ description: 'Of the policies that are tried out.' }),
    }),
  },
  why: {
    output: z.strictObject({
      envelope_id: z.string(),
      decision,
      matched_rule: z.string(),
      rule: z.unknown().optional(),
      policy: z.string(),
      policy_version: count,
      call: z.strictObject(call),
      decided_by: z
        .enum([
          'rule',
          'effect',
          'default',
          'guard',
          'level',
          'sandbox',
          'effects',
          'task',
          'risk',
          'approval',
          'provenance',
        ])
        .meta({
          description:
            'effect: a rule on what the call would do; effects: the text itself, e.g. one that is not certain.',
        }),
      reason: z.string().optional(),
      needs,
      place,
      trace: trace.meta({ description: 'The call as it is written: each guard and rule up to the one that matched.' }),
      effects,
      more_effects: count.optional(),
      unclear: z.string().optional(),
      not_replayed: z.unknown().optional(),
    }),
  },
  listApprovals: { output: z.strictObject({ pending: z.array(item.extend({ omitted })), cursor }) },
  approvalHistory: { output: z.strictObject({ approvals: z.array(view.extend({ omitted })), cursor }) },
  listPasskeys: { output: z.strictObject({ rp: relyingParty, passkeys: z.array(passkey), most: count }) },
  passkeyChallenge: {
    output: z.strictObject({
      challenge: z.string().meta({ description: 'For five minutes and one registration, base64url.' }),
      person: z.string(),
      rp: relyingParty,
      algorithm: z.int().meta({ description: 'COSE algorithm that the key must have: -7, ES256.' }),
    }),
  },
  registerPasskey: { input: registerPasskeySchema, output: passkey, status: 201 },
  removePasskeyById: { output: z.strictObject({ removed: z.string() }) },
  approvalEvents: { output: { text: 'text/event-stream' } },
  getApproval: { output: view },
  approve: { input: approveSchema, output: decided },
  deny: { input: voteSchema, output: decided },
} satisfies Record<string, OperationContract>;
