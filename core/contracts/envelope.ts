/** Schemas and types of the ActionEnvelope and the decision result. */
import * as z from 'zod';
import { resultReasons } from './approval.ts';
import { type Capability, capabilities, sizes } from './call-sizes.ts';
import { declaredRoots } from './declared-root.ts';
import type { CallSources } from './provenance.ts';

export const decisions = ['allow', 'review', 'block'] as const;
export type Decision = (typeof decisions)[number];

/** Returns the more severe of two decisions. */
export const worst = (a: Decision, b: Decision): Decision => (decisions.indexOf(a) >= decisions.indexOf(b) ? a : b);

export const knownProtocols = ['git', 'shell', 'sql', 'http', 'mcp'] as const;

export { type Capability, capabilities, sizes };

export const sessionPattern = /^[A-Za-z0-9._:-]{1,128}$/;
/** Checks a session id. Ids of dots alone are invalid, because URLs would resolve them as path segments. */
export const isSession = (text: string): boolean => sessionPattern.test(text) && !/^\.+$/.test(text);
export const sessionForm = '[A-Za-z0-9._:-]{1,128}, not of dots alone';

// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses control characters
const noControls = /^[^\u0000-\u001f\u007f-\u009f]*$/u;

const upstreamPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const name = (what: string) =>
  z
    .string()
    .min(1, `${what} must not be empty`)
    .max(sizes.nameCharacters, `${what} is longer than ${sizes.nameCharacters} characters`)
    .regex(noControls, `${what} holds control characters`);

/** Returns the schema of a session id. Published schemas contain the pattern. */
export const sessionId = (message: string) => z.string().regex(sessionPattern, message).refine(isSession, message);

const actorSchema = z.strictObject({
  agent: name('actor.agent').optional(),
  session: sessionId(`actor.session must match ${sessionForm}`).optional(),
});

export const callId = sessionId(`call_id must be ${sessionForm}`);

/** Body of `POST /admin/v1/test-action`. */
export const actionRequestSchema = z.strictObject({
  protocol: name('protocol'),
  tool: name('tool'),
  target: z
    .string()
    .regex(noControls, 'target holds control characters')
    .refine((text) => Buffer.byteLength(text) <= sizes.targetBytes, `target is longer than ${sizes.targetBytes} bytes`),
  capability: z.enum(capabilities),
  /** The expected server or service. The gateway refuses to run the call if another one serves it. */
  upstream: z
    .string()
    .regex(upstreamPattern, 'upstream must be the name of an entry of upstreams.mcp or upstreams.http')
    .optional(),
  parameters: z.record(z.string(), z.json()).optional(),
  actor: actorSchema.optional(),
  approval_ref: z.uuid('approval_ref must be the envelope_id (a UUID) of an approval').optional(),
  justification: z.string().max(sizes.justificationCharacters).optional(),
  /** The person's own request, passed on by the host application: the trusted source for source rules. Not stored. */
  prompt: z.string().max(sizes.promptCharacters).optional(),
  manifest_id: name('manifest_id').optional(),
  /** Absolute paths and URIs that the call may access. They only narrow the roots of its server [guard.roots]. */
  roots: declaredRoots.optional(),
  dry_run: z.boolean().optional(),
  /** The caller runs the action itself. The gateway decides and records it, but never executes it. */
  decide_only: z.boolean().optional(),
  /** With `decide_only`: the caller's id of the call, used to report the outcome [action.reported-outcome]. */
  call_id: callId.optional(),
});
export type ActionRequest = z.infer<typeof actionRequestSchema>;

/** Raw call as tool policies evaluate it. */
export interface ToolCall {
  readonly protocol: string;
  readonly tool: string;
  readonly target: string;
  readonly capability: string;
  /** The configured MCP server or HTTP service that serves the call, if any. */
  readonly upstream?: string | undefined;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Data sent to the server beyond the arguments and the protocol's own fields. Policies evaluate it with the call. */
  readonly sent_with?: Readonly<Record<string, unknown>> | undefined;
  /** Sources of its values. Absent if none were traced or no rule needs them. Never part of the digest. */
  readonly sources?: CallSources | undefined;
  /** Some values are digests, so conditions on them are unclear. Only on pending requests, never on calls. */
  readonly withheld?: true | undefined;
  /** The effect shows only names, sizes, times and counts of its files. Only on effects, never on calls. */
  readonly names_only?: true | undefined;
  /** Keys of the source conditions assumed to hold. Only on examples of the policy analysis. */
  readonly assumed?: ReadonlySet<string> | undefined;
}

/** Destination of a call, from the inventory of servers and services, known before the decision. */
export interface Placement {
  readonly upstream: string;
  /** The tool's name at the server, if policies use another one. */
  readonly upstream_tool?: string;
  /** Digest of the relevant parts of the tool's definition. Approvals are bound to it [guard.changes]. */
  readonly definition?: string;
  /** Tool name and related fields for policies, if the inventory sets them instead of the caller. */
  readonly tool?: string;
  readonly capability?: Capability;
  readonly target?: string;
}

interface Actor {
  readonly agent: string;
  readonly session: string;
}

/** One policy-evaluable object per agent action. */
export interface ActionEnvelope extends ToolCall {
  readonly envelope_id: string;
  readonly actor: Actor;
  readonly tenant: string;
  /** Id of the authenticated key, the acting principal. `actor.agent` is only a label. */
  readonly key_id: string;
  /** The tool's name at its upstream, if policies use another one. */
  readonly upstream_tool?: string | undefined;
  /** Digest of the relevant parts of the tool's definition at its server. */
  readonly definition?: string | undefined;
  readonly justification: string;
  readonly approval_ref?: string;
  readonly manifest_id?: string;
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
  /** Why `result` is missing although the call was executed. */
  result_withheld: z.enum(resultReasons).optional(),
});
/** Decision result that callers receive. */
export type DecisionResult = z.infer<typeof decisionResultSchema>;
