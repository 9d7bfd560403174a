/** Approval items and records. */

import type { Drift } from './drift.ts';
import type { FederatedCaller } from './federated.ts';
import type { KeyKind } from './route.ts';
import type { Ballot, Requirement } from './separation.ts';

/** pending → approved | denied; approved → executing → consumed. */
export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'executing' | 'consumed';
export type ExecutionOutcome = 'executed' | 'failed' | 'unknown' | 'not_executed';

/** Why the gateway did not make a call that was approved: what was asked again right before said no. */
export type RefusedUse =
  | 'session_blocked'
  | 'key_revoked'
  | 'tenant_removed'
  | 'policy_block'
  | 'upstream_changed'
  | 'policy_changed'
  | 'not_in_evidence';

/** Why a result, or the rest of it, is missing. The outcome is recorded in any case. */
export const resultReasons = [
  /** The object store did not take it, or does not answer. */
  'store_unavailable',
  /** It holds what JSON cannot carry: lone surrogates, nesting beyond every parser. */
  'not_json',
  /** It holds more sensitive values than salts are kept for. */
  'too_many_secrets',
  /** Looking it over for secrets took longer than allowed, or no worker was free. */
  'not_redacted',
  /** The tool guard found what the configuration blocks, or could not look the result over. */
  'tool_guard',
  /** It is larger than an answer may be; it is stored under its digest. */
  'too_large',
  /** It was removed from the object store. */
  'gone',
] as const;
export type ResultReason = (typeof resultReasons)[number];

/** What entry and approval keep of a result: itself, or the digest and size of its canonical JSON in the object store. */
export interface KeptResult {
  readonly result?: unknown;
  readonly result_sha256?: string | undefined;
  readonly result_bytes?: number | undefined;
  /** It was not stored. */
  readonly result_withheld?: ResultReason | undefined;
}

/** An approving vote among several. */
export interface CastVote extends Ballot {
  readonly reviewer: string;
  readonly comment: string;
  readonly channel: string;
  readonly at: string;
  /** A passkey signed it. */
  readonly passkey?: true;
}

/** The stored row. Wire views are derived from it; the task token never leaves the approval steps. */
export interface ApprovalRow extends KeptResult {
  readonly envelope_id: string;
  readonly tenant: string;
  readonly session_id: string;
  /** Requester: the authenticated key and its owner, for separation of duties. */
  readonly key_id: string;
  readonly key_owner?: string;
  /** Who asked with a token: what the call is made under when it is carried out later. */
  readonly federated?: FederatedCaller;
  readonly key_name?: string;
  readonly key_kind?: KeyKind;
  /** The caller's own label: recorded, shown as a label, never trusted. */
  readonly actor: { readonly agent: string; readonly session: string };
  readonly protocol: string;
  readonly tool: string;
  readonly target: string;
  readonly capability: string;
  /** The server or service the call goes to, and the tool's name there where it differs. */
  readonly upstream?: string | undefined;
  readonly upstream_tool?: string | undefined;
  /** Digest of what mattered of the tool's definition when the request was queued. */
  readonly definition?: string | undefined;
  /** What the server is sent besides its arguments, as shown to the reviewer. */
  readonly sent_with?: Readonly<Record<string, unknown>> | undefined;
  /** As shown to the reviewer: the digest covers the raw call. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** JSON paths withheld from `parameters` as sensitive. */
  readonly withheld: readonly string[];
  /** What the call and its effects do, as rules of separation name it; rows of an earlier release have none. */
  readonly capabilities?: readonly string[];
  /** What the raw call comes to, one line an effect. */
  readonly effects?: readonly string[];
  /** Where values come from that a rule asks the source of, one line an argument. */
  readonly sources?: readonly string[];
  /** How the call leaves its session's task sheets, as its entry keeps it. */
  readonly drift?: readonly Drift[];
  /** JSON paths of texts that will be executed: they stand in the row whole. */
  readonly executed?: readonly string[];
  readonly justification: string;
  readonly call_digest: string;
  readonly matched_rule: string;
  /** Its place among the rules of the policy version. */
  readonly rule_index?: number;
  /** Why the rule asks for a person, in its author's words or the reader's. */
  readonly rule_reason?: string;
  readonly policy?: string;
  /** Scores of session and key when the request was queued, and the score at which calls are refused. */
  readonly risk?: { readonly session: number; readonly key: number; readonly kill_switch: number };
  /** What the call would be given, by the grants when it was queued. */
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
  /** How long a person's denial answers the identical call; absent where it does for the rest of the session. */
  readonly denial_seconds?: number;
  /** Hash of the entry of the vote, and its place in the session's chain. */
  readonly evidence_hash?: string;
  readonly evidence_index?: number;
  /** Since when the connection of a held call has ended, until the caller sends it again. */
  readonly caller_gone_at?: string;
  /** An approved call may be used until then. */
  readonly use_expires_at?: string;
  readonly lease_owner?: string;
  readonly lease_expires_at?: string;
  readonly outcome?: ExecutionOutcome;
  /** The gateway was to make the call and did not. */
  readonly refused_because?: RefusedUse;
  /** For whom the call was made: the caller that came back alone, or every identical call (`on_approval: execute`). */
  readonly executed_by?: 'caller' | 'gateway';
  /** The caller runs the call itself (tools of a model, `decide_only`): the gateway only decides, also under `on_approval: execute`. */
  readonly caller_executes?: true;
  readonly channel?: string;
  /** The rule takes no approval without the signature of a passkey. */
  readonly require_passkey?: true;
  /** What rules of the organisation and the deciding rules ask for, as they were when the request was queued. */
  readonly requires?: readonly Requirement[];
  /** Approving votes that are not enough yet, and with the last one those that were. */
  readonly votes?: readonly CastVote[];
  /** What a later configuration asks of the approval on top of what was asked when the request was queued, in words. */
  readonly tightened?: { readonly policy_version: number; readonly asks: readonly string[] };
  /** Why an approval would not let the call run now, in words. */
  readonly obstacle?: string;
  /** Counts the votes: each is written on top of those that its voter was shown. */
  readonly vote_count?: number;
  /** Whether the clock (state machine) is known to have started. */
  readonly clock_started?: boolean;
  readonly task_token?: string;
}
