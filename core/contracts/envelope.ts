/** Types of the ActionEnvelope and the decision result. */
import type * as z from 'zod';
import type { Capability } from './call-sizes.ts';
import type { actionRequestSchema, decisionResultSchema } from './envelope-schema.ts';
import type { CallSources } from './provenance.ts';

export const knownProtocols = ['git', 'shell', 'sql', 'http', 'mcp'] as const;

export {
  type Capability,
  capabilities,
  type Decision,
  decisions,
  isSession,
  sessionForm,
  sessionPattern,
  sizes,
} from './call-sizes.ts';

/** Raw call as evaluated by tool policies. */
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
  /** Sources of the call's values. Absent if none were traced or no rule needs them. Never part of the digest. */
  readonly sources?: CallSources | undefined;
  /**
   * Some values are digests, so conditions on them cannot be evaluated. Set only on pending requests, never on calls.
   */
  readonly withheld?: true | undefined;
  /** The effect only shows names, sizes, times and counts of its files. Set only on effects, never on calls. */
  readonly names_only?: true | undefined;
  /** Keys of the source conditions assumed to hold. Set only on examples from the policy analysis. */
  readonly assumed?: ReadonlySet<string> | undefined;
}

/** Destination of a call according to the inventory of servers and services, known before the decision. */
export interface Placement {
  readonly upstream: string;
  /** The tool's name at the server, if policies use a different name. */
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
  /** The tool's name at its upstream, if policies use a different name. */
  readonly upstream_tool?: string | undefined;
  /** Digest of the relevant parts of the tool's definition at its server. */
  readonly definition?: string | undefined;
  readonly justification: string;
  readonly approval_ref?: string;
  readonly manifest_id?: string;
}

export type ActionRequest = z.infer<typeof actionRequestSchema>;
/** Decision result as received by callers. */
export type DecisionResult = z.infer<typeof decisionResultSchema>;
