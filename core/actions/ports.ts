/** What governing an action needs from outside. */
import type { ApprovalClock, ApprovalStore, DeliveryStore } from '#core/approvals/ports.ts';
import type { Snapshots } from '#core/configuration/snapshots.ts';
import type { CredentialBroker, Executor } from '#core/credentials/ports.ts';
import type { EvidenceLog, Ledger } from '#core/evidence/ports.ts';
import type { Clock, Ids, Telemetry } from '#core/kernel/ports.ts';

export interface GovernPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly telemetry: Telemetry;
  readonly snapshots: Snapshots;
  readonly evidence: EvidenceLog;
  readonly ledger: Ledger;
  readonly approvals: ApprovalStore;
  readonly approvalClock: ApprovalClock;
  readonly deliveries: DeliveryStore;
  readonly brokers: (name: string) => Promise<CredentialBroker | undefined>;
  readonly executors: readonly Executor[];
  readonly adminUrl: string;
  readonly pause: (ms: number) => Promise<void>;
}
