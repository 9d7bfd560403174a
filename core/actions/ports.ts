/** What governing an action needs from outside: a type for each part of the way, which the functions of that part take. */
import type { ApprovalRequestPorts, ApprovalsPort, ReviewAddressPorts } from '#core/approvals/ports.ts';
import type { VotePorts } from '#core/approvals/vote.ts';
import type { VoteProofPorts } from '#core/approvals/vote-in-evidence.ts';
import type { Snapshot, SnapshotsPort } from '#core/configuration/store/snapshots.ts';
import type { StartedAction } from '#core/contracts/started-action.ts';
import type { EffectsPort } from '#core/effects/ports.ts';
import type { EvidencePort, LedgerPort } from '#core/evidence/ports.ts';
import type { WatchPorts } from '#core/execution/cancellation/watch.ts';
import type { BrokersPort } from '#core/execution/credentials/ports.ts';
import type { Executor } from '#core/execution/executors/ports.ts';
import type { LinksPort } from '#core/guard/links.ts';
import type { ClockPort, IdsPort, ObjectStore, PausePort, TelemetryPort, TimeoutsPort } from '#core/kernel/ports.ts';
import type { KeyRisksPort } from '#core/session/risk/ports.ts';
import type { Probes } from '#core/session/risk/probes.ts';
import type { ProvenancePort } from '#core/session/sources/ports.ts';
import type { TasksPort } from '#core/session/tasks/ports.ts';
import type { CallWork } from './call-work.ts';

/** Actions that were started; they change only inside `Ledger.commit`. */
export interface StartedActions {
  /** Consistent read. */
  get(tenant: string, id: string): Promise<StartedAction | undefined>;
  /** Those without an outcome whose `due_at` has passed, of all tenants; may lag by a second or two. */
  due(now: string, limit: number): Promise<readonly StartedAction[]>;
}

export interface StartedActionsPort {
  readonly startedActions: StartedActions;
}

export interface CallWorkPort {
  /** Looks at large calls and results beside the thread that answers all requests; in place where it is absent. */
  readonly calls: CallWork | undefined;
}

export interface ResultsPort {
  /** Takes results that are too large for an entry. */
  readonly results: ObjectStore;
}

export interface ExecutorsPort {
  /** The executors under this version of the configuration; the first that takes a call executes it. */
  readonly executors: (snapshot: Snapshot) => readonly Executor[];
}

interface ProbesPort {
  /** Dry runs and simulations that were not allowed. */
  readonly probes: Probes;
}

/** Where the values of a call come from, and remembering what a session has seen. */
export type SourcePorts = ProvenancePort & TasksPort & EvidencePort & ClockPort & IdsPort & TelemetryPort;

/** Deciding a call by its text and effects. */
export type EvaluationPorts = CallWorkPort & LinksPort & EffectsPort;

/** Reading a call: where it goes, what it would do, where its values come from, how it is decided. */
export type ReadCallPorts = SourcePorts & EvaluationPorts & ExecutorsPort & PausePort;

/** Writing an entry of an action, and scoring what was written. */
export type RecordPorts = LedgerPort & KeyRisksPort & ClockPort & IdsPort & TelemetryPort;

/** Making an allowed call: its credential, the executor, and what of the credential is written. */
export type PerformPorts = RecordPorts & BrokersPort & ExecutorsPort & TimeoutsPort;

/** Carrying out an allowed action, up to its outcome in evidence. */
export type ExecutionPorts = PerformPorts & SourcePorts & WatchPorts & ApprovalsPort & CallWorkPort & ResultsPort;

/** Using an approval for a call, which is then carried out. */
export type ApprovalUsePorts = ExecutionPorts & VoteProofPorts;

/** Requesting an approval. */
export type RequestPorts = RecordPorts & ApprovalRequestPorts;

/** A reviewed call: an approval that fits is used, or one is requested and waited for. */
export type ReviewPorts = ApprovalUsePorts & RequestPorts & ReviewAddressPorts & SnapshotsPort & PausePort & VotePorts;

/** An approved action that the gateway makes by itself, as the state machine of its approval asks. */
export type ApprovedActionPorts = ReadCallPorts & ApprovalUsePorts & SnapshotsPort;

/** The whole way of an action. Only flows take it: a function of one part takes the ports of that part. */
export type GovernPorts = ReadCallPorts & ReviewPorts & StartedActionsPort & ProbesPort;
