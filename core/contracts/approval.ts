/** Approval items and records. */

import type { Drift } from './drift.ts';
import type { FederatedCaller } from './federated.ts';
import type { KeyKind } from './route.ts';
import type { Ballot, Requirement } from './separation.ts';

/** pending → approved | denied; approved → executing → consumed. */
export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'executing' | 'consumed';
export type ExecutionOutcome = 'executed' | 'failed' | 'unknown' | 'not_executed';

/** Reason why the gateway did not make an approved call: the check that failed right before execution. */
export type RefusedUse =
  | 'session_blocked'
  | 'key_revoked'
  | 'tenant_removed'
  | 'policy_block'
  | 'upstream_changed'
  | 'policy_changed'
  | 'not_in_evidence';

/** What an effect does, for reviewers. `unknown` means that the gateway cannot determine it. */
export const effectRisks = ['reads', 'writes', 'sends', 'deletes', 'unknown'] as const;
export type EffectRisk = (typeof effectRisks)[number];

/**
 * The step after an approval: the caller makes the call itself, the gateway makes it, the held call continues, the MCP
 * task continues, or the client resends the call.
 */
export const afterVotes = ['caller', 'gateway', 'held', 'task', 'input', 'retry'] as const;
type AfterVote = (typeof afterVotes)[number];

/** One-sentence summary of all effects of a call, with the most severe risk. */
export interface CallSummary {
  readonly text: string;
  readonly risk: EffectRisk;
}

/** Reasons why all or part of a result is missing. The outcome is always recorded. */
export const resultReasons = [
  /** The object store rejected the result or is not responding. */
  'store_unavailable',
  /** JSON cannot represent the result, because it contains lone surrogates or is nested too deeply. */
  'not_json',
  /** The result contains more sensitive values than the maximum number of salts. */
  'too_many_secrets',
  /** Scanning the result for secrets took too long, or no worker was available. */
  'not_redacted',
  /** The tool guard found content that the configuration blocks, or could not scan the result. */
  'tool_guard',
  /** The result is too large for a response and is stored under its digest. */
  'too_large',
  /** The result has been removed from the object store. */
  'gone',
] as const;
export type ResultReason = (typeof resultReasons)[number];

/** Result in an entry or approval: the value, or the digest and size of its canonical JSON in the object store. */
export interface KeptResult {
  readonly result?: unknown;
  readonly result_sha256?: string | undefined;
  readonly result_bytes?: number | undefined;
  /** Reason why all or part of the result is missing. */
  readonly result_withheld?: ResultReason | undefined;
}

/** One of several approving votes. */
export interface CastVote extends Ballot {
  readonly reviewer: string;
  readonly comment: string;
  readonly channel: string;
  readonly at: string;
  /** Set if a passkey signed the vote. */
  readonly passkey?: true;
}

/** Stored row from which API responses are derived. The task token never leaves the approval steps. */
export interface ApprovalRow extends KeptResult {
  readonly envelope_id: string;
  readonly tenant: string;
  readonly session_id: string;
  /** The requester: the authenticated key and its owner, for separation of duties. */
  readonly key_id: string;
  readonly key_owner?: string;
  /** The requester, if it authenticated with a token. A later execution runs under this identity. */
  readonly federated?: FederatedCaller;
  readonly key_name?: string;
  readonly key_kind?: KeyKind;
  /** The caller's own label: recorded and shown, never trusted. */
  readonly actor: { readonly agent: string; readonly session: string };
  readonly protocol: string;
  readonly tool: string;
  readonly target: string;
  readonly capability: string;
  /** The target server or service, and the tool's name there if it differs. */
  readonly upstream?: string | undefined;
  readonly upstream_tool?: string | undefined;
  /** Digest of the relevant parts of the tool's definition when the request was queued. */
  readonly definition?: string | undefined;
  /** Data sent to the server in addition to the arguments, as shown to the reviewer. */
  readonly sent_with?: Readonly<Record<string, unknown>> | undefined;
  /** Parameters as shown to the reviewer. The digest covers the raw call. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** JSON paths withheld from `parameters` as sensitive. */
  readonly withheld: readonly string[];
  /** Capabilities of the call and its effects, for separation rules. */
  readonly capabilities: readonly string[];
  /** Effects of the raw call, one line per effect. */
  readonly effects?: readonly string[];
  /** Risk of each effect, in the same order. */
  readonly effect_risks?: readonly EffectRisk[];
  /** Absent if the call's effects are not read. */
  readonly summary?: CallSummary;
  /** Sources of the values whose source is checked by rules, one line per argument. */
  readonly sources?: readonly string[];
  /** Ways in which the call departs from its session's task sheets, as recorded in its entry. */
  readonly drift?: readonly Drift[];
  /** JSON paths of executable strings, which the row stores in full. */
  readonly executed?: readonly string[];
  readonly after_vote: AfterVote;
  /** Time until which the caller keeps its connection open. */
  readonly held_until?: string;
  readonly justification: string;
  readonly call_digest: string;
  readonly matched_rule: string;
  /** Index of the rule in the policy version. */
  readonly rule_index?: number;
  /** Reason why the rule requires a reviewer, as worded by the rule's author or by the command reader. */
  readonly rule_reason?: string;
  readonly policy?: string;
  /** Risk scores of the session and key when the request was queued, and the score at which calls are refused. */
  readonly risk?: { readonly session: number; readonly key: number; readonly kill_switch: number };
  /** The credential that the call would receive under the grants in force when it was queued. */
  readonly credential?: { readonly broker: string; readonly scope: string; readonly ttl_seconds: number };
  readonly policy_version: number;
  readonly queued_at: string;
  readonly expires_at: string;
  readonly status: ApprovalStatus;
  readonly reviewer?: string;
  readonly person?: string;
  readonly comment?: string;
  readonly reason?: string;
  readonly decided_at?: string;
  /**
   * Number of seconds for which a reviewer's denial applies to identical calls. If absent, it applies for the rest of
   * the session.
   */
  readonly denial_seconds?: number;
  /** Hash of the vote's entry, and its index in the session's chain. */
  readonly evidence_hash?: string;
  readonly evidence_index?: number;
  /** When the connection of a held call ended. Removed if the caller resends the call. */
  readonly caller_gone_at?: string;
  /** Time until which the approval may be used. */
  readonly use_expires_at?: string;
  readonly lease_owner?: string;
  readonly lease_expires_at?: string;
  readonly outcome?: ExecutionOutcome;
  /** Reason why the gateway did not make the call. */
  readonly refused_because?: RefusedUse;
  /**
   * `caller`: run for the caller when it came back. `gateway`: run for all identical calls (`on_approval: execute`).
   */
  readonly executed_by?: 'caller' | 'gateway';
  /** The caller runs the call itself (a model's tool calls, `decide_only`). The gateway only makes the decision. */
  readonly caller_executes?: true;
  readonly channel?: string;
  /** The rule requires a vote signed by a passkey. */
  readonly require_passkey?: true;
  /** The rule lets a reviewer decide on all of the session's identical calls in one step. */
  readonly together?: true;
  /** Requirements of the organisation's rules and of the rules that made the decision, when the request was queued. */
  readonly requires?: readonly Requirement[];
  /** All approving votes so far, including the last one. */
  readonly votes?: readonly CastVote[];
  /** Requirements that a later configuration added, in plain language. */
  readonly tightened?: { readonly policy_version: number; readonly asks: readonly string[] };
  /** Reason why the call could not run now even if approved, in plain language. */
  readonly obstacle?: string;
  /**
   * Number of votes, including those that no longer count. Each vote is written only if the count has not changed since
   * it was read.
   */
  readonly vote_count: number;
  /** True if the timer (state machine) is known to have started. */
  readonly clock_started?: boolean;
  readonly task_token?: string;
  /** Time at which a fault last kept the approved call from starting. Retrying may help. */
  readonly given_back_at?: string;
  /** The sweep has started a second execution for the approved call. */
  readonly restarted?: true;
}
