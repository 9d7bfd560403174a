/** The ActionEnvelope and its parts as they travel on every wire. */
import * as z from 'zod';
import { resultReasons } from './approval.ts';
import { type Capability, capabilities, sizes } from './call-sizes.ts';
import { declaredRoots } from './declared-root.ts';
import type { CallSources } from './provenance.ts';

export const decisions = ['allow', 'review', 'block'] as const;
export type Decision = (typeof decisions)[number];

/** Worst wins when several sources decide. */
export const worst = (a: Decision, b: Decision): Decision => (decisions.indexOf(a) >= decisions.indexOf(b) ? a : b);

export const knownProtocols = ['git', 'shell', 'sql', 'http', 'mcp'] as const;

export { type Capability, capabilities, sizes };

export const sessionPattern = /^[A-Za-z0-9._:-]{1,128}$/;
/** Not of dots alone: an address with such a name leads elsewhere, and its evidence could not be asked for. */
export const isSession = (text: string): boolean => sessionPattern.test(text) && !/^\.+$/.test(text);
export const sessionForm = '[A-Za-z0-9._:-]{1,128}, not of dots alone';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
const noControls = /^[^\u0000-\u001f\u007f-\u009f]*$/u;

const upstreamPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const name = (what: string) =>
  z
    .string()
    .min(1, `${what} must not be empty`)
    .max(sizes.nameCharacters, `${what} is longer than ${sizes.nameCharacters} characters`)
    .regex(noControls, `${what} holds control characters`);

/** The pattern stands in published schemas. */
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
  /** The server or service that is to serve the call; a call that runs is refused where another one serves it. */
  upstream: z
    .string()
    .regex(upstreamPattern, 'upstream must be the name of an entry of upstreams.mcp or upstreams.http')
    .optional(),
  parameters: z.record(z.string(), z.json()).optional(),
  actor: actorSchema.optional(),
  approval_ref: z.uuid('approval_ref must be the envelope_id (a UUID) of an approval').optional(),
  justification: z.string().max(sizes.justificationCharacters).optional(),
  /** The person's own request, passed on by the host application: what rules on sources call trusted. It is not kept. */
  prompt: z.string().max(sizes.promptCharacters).optional(),
  manifest_id: name('manifest_id').optional(),
  /** Absolute paths and URIs below which the call may work: they only narrow what its server may do [guard.roots]. */
  roots: declaredRoots.optional(),
  dry_run: z.boolean().optional(),
  /** The caller carries the action out itself once it is allowed: it is decided and recorded, never executed here. */
  decide_only: z.boolean().optional(),
  /** With `decide_only`: the caller's own id of the call, under which it reports the outcome [action.reported-outcome]. */
  call_id: callId.optional(),
});
export type ActionRequest = z.infer<typeof actionRequestSchema>;

/** What a tool policy sees of an action: the raw words of the call. */
export interface ToolCall {
  readonly protocol: string;
  readonly tool: string;
  readonly target: string;
  readonly capability: string;
  /** The configured MCP server or HTTP service that serves it; absent where the gateway knows of none. */
  readonly upstream?: string | undefined;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What the server is sent besides its arguments, where it is more than the protocol needs: decided with the call. */
  readonly sent_with?: Readonly<Record<string, unknown>> | undefined;
  /** Where its values come from; absent where nothing was traced, or no rule asks. Never part of what is digested. */
  readonly sources?: CallSources | undefined;
  /** Values of it are withheld and stand as digests: conditions on them are unclear. Of a request that waits, never of a call. */
  readonly withheld?: true | undefined;
  /** An effect that shows only names, sizes, times and counts of the files it names. Of effects that were read, never of a call. */
  readonly names_only?: true | undefined;
  /** Of an example that the analysis made: the conditions on sources that hold in it, by their keys. */
  readonly assumed?: ReadonlySet<string> | undefined;
}

/** Where a call goes, as the inventory of servers and services says before anything is decided. */
export interface Placement {
  readonly upstream: string;
  /** The tool's name there, where policies know it by another. */
  readonly upstream_tool?: string;
  /** Digest of what matters of the tool's definition: an approval is bound to it [guard.changes]. */
  readonly definition?: string;
  /** What policies decide it by, where the inventory says it and not its caller. */
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
  /** Id of the authenticated key: the acting principal; `actor.agent` is only a label. */
  readonly key_id: string;
  /** The tool's name at its upstream, where policies know it by another. */
  readonly upstream_tool?: string | undefined;
  /** Digest of what matters of the tool's definition at its server. */
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
  /** The server or service the call goes to, or went to. */
  upstream: z.string().optional(),
  evidence_hash: z.string().optional(),
  dry_run: z.boolean().optional(),
  /** The outcome of an earlier request under the same Idempotency-Key; nothing was carried out now. */
  replayed: z.boolean().optional(),
  error: z.object({ code: z.int(), message: z.string(), data: z.record(z.string(), z.unknown()) }).optional(),
  credential: z.object({ type: z.string(), scope: z.string(), expires_in: z.int() }).optional(),
  result: z.unknown().optional(),
  /** Of the canonical JSON of a result that lies in the object store. */
  result_sha256: z.string().optional(),
  result_bytes: z.int().optional(),
  /** Why there is no `result`, although the call was executed. */
  result_withheld: z.enum(resultReasons).optional(),
});
/** The decision result, as callers get it. */
export type DecisionResult = z.infer<typeof decisionResultSchema>;
