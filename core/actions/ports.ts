/** Ports needed to govern an action. Each part of the flow names the members that it uses. */
import type { PendingLimit } from '#core/approvals/pending-limit.ts';
import type { ReviewAddressPorts, VotePorts } from '#core/approvals/ports.ts';
import type { VoteProofPorts } from '#core/approvals/vote-in-evidence.ts';
import type { Snapshot, Snapshots } from '#core/configuration/store/snapshots.ts';
import type { StartedAction } from '#core/contracts/started-action.ts';
import type { ReadEffects } from '#core/effects/ports.ts';
import type { EvidenceLog } from '#core/evidence/ports.ts';
import type { WatchPorts } from '#core/execution/cancellation/watch.ts';
import type { BrokersByName } from '#core/execution/credentials/ports.ts';
import type { Executor } from '#core/execution/executors/ports.ts';
import type { LinkResolver } from '#core/guard/links.ts';
import type { ObjectStore } from '#core/kernel/ports.ts';
import type { KeyRisks } from '#core/session/risk/ports.ts';
import type { Probes } from '#core/session/risk/probes.ts';
import type { TaskManifests } from '#core/session/tasks/ports.ts';
import type { ValueTracer } from '#core/session/value-tracer.ts';
import type { CallWork } from './call-work.ts';
import type { AddedJudge } from './judge.ts';

/** Started actions; they change only inside `Ledger.commit`. */
export interface StartedActions {
  /** Returns a started action (consistent read). */
  get(tenant: string, id: string): Promise<StartedAction | undefined>;
  /**
   * Returns actions of all tenants that have no outcome and whose `due_at` has passed; may lag by one or two seconds.
   */
  due(now: string, limit: number): Promise<readonly StartedAction[]>;
}

/** Ports for the whole flow of an action. Only flows take all of them; other functions pick the members they need. */
export interface GovernPorts
  extends VotePorts,
    Omit<VoteProofPorts, 'evidence' | 'approvals'>,
    WatchPorts,
    ReviewAddressPorts {
  readonly pause: (ms: number) => Promise<void>;
  readonly snapshots: Snapshots;
  readonly evidence: EvidenceLog;
  readonly effects: ReadEffects;
  /** Symbolic links on the machine that runs the MCP servers, if it is this one. */
  readonly links: LinkResolver | undefined;
  /** Runs jobs on large calls and results in workers; if absent, they run in the main thread. */
  readonly calls: CallWork | undefined;
  /** Risk of keys across all their sessions. */
  readonly keyRisks: KeyRisks;
  /** Traces the sources of values for rules that check them. Without it, such conditions are unclear. */
  readonly provenance: ValueTracer | undefined;
  /** Judges that features add. */
  readonly judges: readonly AddedJudge[];
  readonly tasks: TaskManifests;
  /** Limit on pending requests. */
  readonly pendingLimit: PendingLimit;
  readonly brokers: BrokersByName;
  /** Returns the executors of this configuration version; the first that accepts a call executes it. */
  readonly executors: (snapshot: Snapshot) => readonly Executor[];
  /** Store for results that are too large for an entry. */
  readonly results: ObjectStore;
  readonly startedActions: StartedActions;
  /** Dry runs and simulations that were not allowed. */
  readonly probes: Probes;
}

type PickPorts<Names extends keyof GovernPorts> = Pick<GovernPorts, Names>;

/** Ports for tracing the sources of a call's values, and for storing what a session has seen. */
export type SourcePorts = PickPorts<'provenance' | 'tasks' | 'evidence' | 'clock' | 'telemetry'>;

/** Ports for evaluating a call based on its text and effects. */
export type EvaluationPorts = PickPorts<'calls' | 'links' | 'effects' | 'judges'>;

/** Ports for reading a call: its placement, effects, sources and decision. */
export type ReadCallPorts = SourcePorts & EvaluationPorts & PickPorts<'executors' | 'pause'>;

/** Ports for writing an action's entry and scoring it. */
export type RecordPorts = PickPorts<'ledger' | 'keyRisks' | 'clock' | 'ids' | 'telemetry'>;

/** Ports for making an allowed call: its credential, the record of the credential, and the executor. */
export type PerformPorts = RecordPorts & PickPorts<'executors' | 'timeouts' | 'brokers'>;

/** Ports for carrying out an allowed action, up to its outcome in evidence. */
export type ExecutionPorts = PerformPorts & SourcePorts & WatchPorts & PickPorts<'approvals' | 'calls' | 'results'>;

/** Ports for using an approval for a call and carrying it out. */
export type ApprovalUsePorts = ExecutionPorts & VoteProofPorts;

/** Requesting an approval. */
export type RequestPorts = RecordPorts & PickPorts<'approvals' | 'approvalClock' | 'pendingLimit'>;

/** Ports for reviewing a call: using an approval that fits, or requesting one and waiting for it. */
export type ReviewPorts = ApprovalUsePorts &
  RequestPorts &
  ReviewAddressPorts &
  VotePorts &
  PickPorts<'pause' | 'snapshots'>;

/** Ports for executing an approved action on behalf of its approval's state machine. */
export type ApprovedActionPorts = ReadCallPorts & ApprovalUsePorts & PickPorts<'snapshots'>;
