/** What governing an action needs from outside. */
import type { PendingLimit } from '#core/approvals/pending-limit.ts';
import type { ApprovalClock, ApprovalStore } from '#core/approvals/ports.ts';
import type { KeyRisks } from '#core/behavior/ports.ts';
import type { Probes } from '#core/behavior/probes.ts';
import type { WatchPorts } from '#core/cancellation/watch.ts';
import type { Snapshot, Snapshots } from '#core/configuration/store/snapshots.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { StartedAction } from '#core/contracts/started-action.ts';
import type { CredentialBroker } from '#core/credentials/ports.ts';
import type { Effects } from '#core/effects/ports.ts';
import type { CheckpointLog, EvidenceLog, Ledger, Signer } from '#core/evidence/ports.ts';
import type { Executor } from '#core/executors/ports.ts';
import type { Clock, Ids, ObjectStore, Telemetry, Timeouts } from '#core/kernel/ports.ts';
import type { DeliveryStore } from '#core/notifications/ports.ts';
import type { ProvenanceStore } from '#core/provenance/ports.ts';
import type { TaskManifests } from '#core/task-manifests/ports.ts';
import type { LinkResolver } from '#core/tool-guard/links.ts';
import type { CallWork } from './call-work.ts';

/** Actions that were started; they change only inside `Ledger.commit`. */
export interface StartedActions {
  /** Consistent read. */
  get(tenant: string, id: string): Promise<StartedAction | undefined>;
  /** Those without an outcome whose `due_at` has passed, of all tenants; may lag by a second or two. */
  due(now: string, limit: number): Promise<readonly StartedAction[]>;
}

export interface GovernPorts extends WatchPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly telemetry: Telemetry;
  readonly snapshots: Snapshots;
  readonly evidence: EvidenceLog;
  readonly ledger: Ledger;
  /** Takes results that are too large for an entry. */
  readonly results: ObjectStore;
  /** Texts of tool definitions, which only those compare who accept them. */
  readonly definitionTexts: ObjectStore;
  readonly approvals: ApprovalStore;
  /** Signs approving votes; functions that use approvals read its public keys. */
  readonly votes: Signer;
  /** Where evidence is kept that those who write the tables cannot write, for functions that read it. */
  readonly checkpoints: CheckpointLog | undefined;
  /** Room for further requests for approval. */
  readonly pendingLimit: PendingLimit;
  /** Dry runs and simulations that were not allowed. */
  readonly probes: Probes;
  readonly approvalClock: ApprovalClock;
  readonly deliveries: DeliveryStore;
  readonly brokers: (name: string) => Promise<CredentialBroker | undefined>;
  /** What a call would do, read by its own grammar. Never rejects on behalf of the text. */
  readonly effects: (call: ToolCall) => Promise<Effects>;
  /** Looks at large calls and results beside the thread that answers all requests; in place where it is absent. */
  readonly calls: CallWork | undefined;
  /** The executors under this version of the configuration; the first that takes a call executes it. */
  readonly executors: (snapshot: Snapshot) => readonly Executor[];
  readonly startedActions: StartedActions;
  /** Risk of keys over their sessions. */
  readonly keyRisks: KeyRisks;
  readonly tasks: TaskManifests;
  /** What sessions have seen, for rules on sources; where it is absent nothing is remembered. */
  readonly provenance: ProvenanceStore | undefined;
  /** Links of the machine that MCP servers run on, where it is this one. */
  readonly links: LinkResolver | undefined;
  readonly adminUrl: string;
  /** Where the host serves the web console. */
  readonly consoleUrl: string | undefined;
  readonly pause: (ms: number) => Promise<void>;
  readonly timeouts: Timeouts;
}
