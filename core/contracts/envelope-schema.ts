/** Schemas of action requests and their results. */
import * as z from 'zod';
import { describeIssue, issueWords, problemSentence } from '#core/kernel/issue-words.ts';
import { resultReasons } from './approval.ts';
import { capabilities, decisions, isSession, sessionForm, sessionPattern, sizes } from './call-sizes.ts';
import { declaredRoots } from './declared-root.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses control characters
const noControls = /^[^\u0000-\u001f\u007f-\u009f]*$/u;

const upstreamPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const withoutControls = 'text without control characters';

const name = z.string().min(1).max(sizes.nameCharacters).regex(noControls, withoutControls);

/** Returns the schema of a session id. The pattern is included in published schemas. */
export const sessionId = (message: string) => z.string().regex(sessionPattern, message).refine(isSession, message);

const actorSchema = z.strictObject({
  agent: name.optional(),
  session: sessionId(sessionForm).optional(),
});

export const callId = sessionId(sessionForm);

/** Body of `POST /v1/actions` and `POST /admin/v1/test-action`. */
export const actionRequestSchema = z.strictObject({
  protocol: name,
  tool: name,
  target: z
    .string()
    .regex(noControls, withoutControls)
    .refine((text) => Buffer.byteLength(text) <= sizes.targetBytes, `text of at most ${sizes.targetBytes} bytes`),
  capability: z.enum(capabilities),
  /** The expected server or service. If a different one serves the call, the gateway refuses to run it. */
  upstream: z.string().regex(upstreamPattern, 'the name of an entry of upstreams.mcp or upstreams.http').optional(),
  parameters: z.record(z.string(), z.json()).optional(),
  actor: actorSchema.optional(),
  approval_ref: z.uuid('the envelope_id (a UUID) of an approval').optional(),
  justification: z.string().max(sizes.justificationCharacters).optional(),
  /**
   * The user's own request, passed on by the host application. It is the trusted source for source rules and is not
   * stored.
   */
  prompt: z.string().max(sizes.promptCharacters).optional(),
  manifest_id: name.optional(),
  /** Absolute paths and URIs that the call may access. They can only narrow its server's roots [guard.roots]. */
  roots: declaredRoots.optional(),
  dry_run: z.boolean().optional(),
  /** Set if the caller runs the action itself. The gateway evaluates and records the action but never executes it. */
  decide_only: z.boolean().optional(),
  /** With `decide_only`: the caller's id for the call, used to report the outcome [action.decide-only]. */
  call_id: callId.optional(),
});

/** Returns one sentence that describes what is wrong with an action request, or undefined if it is valid. */
export function misfitOf(request: unknown): string | undefined {
  const { success, error } = actionRequestSchema.safeParse(request, { error: describeIssue });
  if (success) return undefined;
  const problems = error.issues.map((issue) => `${issue.path.join('.')}: ${issueWords(issue, request)}`);
  return problemSentence(problems.slice(0, 3));
}

export const decisionResultSchema = z.object({
  envelope_id: z.string(),
  decision: z.enum(decisions),
  matched_rule: z.string(),
  policy: z.string(),
  policy_version: z.int().optional(),
  session_id: z.string().optional(),
  /** The target server or service. */
  upstream: z.string().optional(),
  evidence_hash: z.string().optional(),
  dry_run: z.boolean().optional(),
  /** Set if this is the outcome of an earlier request with the same Idempotency-Key. */
  replayed: z.boolean().optional(),
  error: z.object({ code: z.int(), message: z.string(), data: z.record(z.string(), z.unknown()) }).optional(),
  credential: z.object({ type: z.string(), scope: z.string(), expires_in: z.int() }).optional(),
  result: z.unknown().optional(),
  /** SHA-256 of the canonical JSON of a result in the object store. */
  result_sha256: z.string().optional(),
  result_bytes: z.int().optional(),
  /** Reason why `result` is missing although the call was executed. */
  result_withheld: z.enum(resultReasons).optional(),
});
