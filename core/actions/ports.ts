/** Ports that governing an action needs, one type per part of the flow. */
import type { ApprovalRequestPorts, ApprovalsPort, ReviewAddressPorts, VotePorts } from '#core/approvals/ports.ts';
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

/** Started actions; they change only inside `Ledger.commit`. */
export interface StartedActions {
  /** Returns a started action (consistent read). */
  get(tenant: string, id: string): Promise<StartedAction | undefined>;
  /** Returns actions of all tenants without an outcome whose `due_at` has passed; may lag by one or two seconds. */
  due(now: string, limit: number): Promise<readonly StartedAction[]>;
}

export interface StartedActionsPort {
  readonly startedActions: StartedActions;
}

export interface CallWorkPort {
  /** Runs jobs on large calls and results in workers; if absent, they run in the main thread. */
  readonly calls: CallWork | undefined;
}

export interface ResultsPort {
  /** Store for results that are too large for an entry. */
  readonly results: ObjectStore;
}

export interface ExecutorsPort {
  /** Returns the executors of this version of the configuration; the first that takes a call executes it. */
  readonly executors: (snapshot: Snapshot) => readonly Executor[];
}

interface ProbesPort {
  /** Dry runs and simulations that were not allowed. */
  readonly probes: Probes;
}

/** Tracing the sources of a call's values, and storing what a session has seen. */
export type SourcePorts = ProvenancePort & TasksPort & EvidencePort & ClockPort & IdsPort & TelemetryPort;

/** Deciding a call by its text and effects. */
export type EvaluationPorts = CallWorkPort & LinksPort & EffectsPort;

/** Reading a call: its placement, effects, sources and decision. */
export type ReadCallPorts = SourcePorts & EvaluationPorts & ExecutorsPort & PausePort;

/** Writing an entry of an action, and scoring it. */
export type RecordPorts = LedgerPort & KeyRisksPort & ClockPort & IdsPort & TelemetryPort;

/** Making an allowed call: its credential, the record of the credential, and the executor. */
export type PerformPorts = RecordPorts & BrokersPort & ExecutorsPort & TimeoutsPort;

/** Carrying out an allowed action, up to its outcome in evidence. */
export type ExecutionPorts = PerformPorts & SourcePorts & WatchPorts & ApprovalsPort & CallWorkPort & ResultsPort;

/** Using an approval for a call and carrying it out. */
export type ApprovalUsePorts = ExecutionPorts & VoteProofPorts;

/** Requesting an approval. */
export type RequestPorts = RecordPorts & ApprovalRequestPorts;

/** Reviewing a call: uses an approval that fits, or requests one and waits for it. */
export type ReviewPorts = ApprovalUsePorts & RequestPorts & ReviewAddressPorts & SnapshotsPort & PausePort & VotePorts;

/** Executing an approved action for the state machine of its approval. */
export type ApprovedActionPorts = ReadCallPorts & ApprovalUsePorts & SnapshotsPort;

/** The whole flow of an action. Only flows take it; other functions take the ports of their part. */
export type GovernPorts = ReadCallPorts & ReviewPorts & StartedActionsPort & ProbesPort;
