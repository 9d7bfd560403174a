/**
 * All ports of the operations. They are composed by each host: `lambdas/aws.ts` on AWS and the emulator, `bin/local/`
 * locally.
 */

import type { GovernPorts } from '#core/actions/ports.ts';
import type { ApprovalEventFeed } from '#core/approvals/event-feed.ts';
import type { NotificationClients } from '#core/approvals/notifications/deliver-ports.ts';
import type { PasskeyStore } from '#core/approvals/passkeys/store.ts';
import type { ConfigurationTrouble } from '#core/configuration/file-trouble.ts';
import type { Tokens } from '#core/configuration/identity/federation/ports.ts';
import type { UnnamedSessions } from '#core/configuration/identity/unnamed-sessions.ts';
import type { LoadedConfiguration } from '#core/configuration/load/load.ts';
import type { ConfigStore } from '#core/configuration/ports.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { HostLimits } from '#core/contracts/host-limits.ts';
import type { ArchiveProgressStore } from '#core/evidence/archive-progress.ts';
import type { ChainLog, LogProofs } from '#core/evidence/chain-log.ts';
import type { ContradictionStore } from '#core/evidence/contradiction.ts';
import type { ArchiveReader, CheckpointLog, EvidenceRows, ManifestStore, Signer } from '#core/evidence/ports.ts';
import type { CredentialStore } from '#core/execution/credentials/ports.ts';
import type { TicketStore } from '#core/execution/tickets/ports.ts';
import type { ObjectStore, SecretStore } from '#core/kernel/ports.ts';
import type { Admissions } from '#core/limits/admissions.ts';
import type { Counters } from '#core/limits/ports.ts';
import type { McpStore } from '#core/mcp/ports.ts';
import type { ResponseCache } from '#core/models/cache/ports.ts';
import type { RolloutsInForce } from '#core/models/rollouts/in-force.ts';
import type { RolloutClock, Rollouts } from '#core/models/rollouts/ports.ts';
import type { DependencyStates } from '#core/observatory/dependency-states.ts';
import type { Archive, Observations } from '#core/observatory/ports.ts';
import type { SetAsideStore } from '#core/observatory/set-aside.ts';
import type { RecordedTrace } from '#core/observatory/traces.ts';
import type { AlertStore } from '#core/operations/alerts/ports.ts';

type BreakerState = 'closed' | 'open' | 'half-open';

/** Ports for loading a configuration from a request. */
export interface LoadingPorts {
  /** The host's execution limits. Absent if the host never ends a function. */
  readonly hostLimits: HostLimits | undefined;
  /** Returns the text of a shipped policy pack. */
  readonly packs: (name: string) => Promise<string>;
  /**
   * Loads and checks a configuration in a worker thread. If absent, it is loaded in this thread within `hostLimits`.
   */
  readonly loadedConfiguration: ((text: string, file?: string) => Promise<LoadedConfiguration>) | undefined;
}

export interface MetricsPorts {
  readonly observations: Observations;
  readonly setAside: SetAsideStore;
  readonly contradictions: ContradictionStore;
  readonly archiveProgress: ArchiveProgressStore;
  /** Returns this process's metrics registry as Prometheus text. */
  readonly metricsText: () => string;
}

/** Stores of features, which add their members. */
// biome-ignore lint/suspicious/noEmptyInterface: features add its members
export interface FeatureStores {}

/** All ports of the operations. An operation is a flow; a shared function takes only the ports it uses. */
export interface GatewayPorts extends GovernPorts, LoadingPorts, MetricsPorts, FeatureStores {
  /** Configuration bodies and WASM modules. */
  readonly objects: ObjectStore;
  /**
   * The whole checkpoint log, which code with write access to the tables cannot change. Governing a call only requires
   * its last checkpoint.
   */
  readonly checkpoints: CheckpointLog | undefined;
  readonly secrets: SecretStore;
  readonly configStore: ConfigStore;
  /**
   * Environment variable names that a configuration sent over HTTP may introduce, in addition to those in use.
   * Undefined if secrets come from a store that contains only the operator's values.
   */
  readonly listedSecretNames: readonly string[] | undefined;
  /** Compiles a WASM module. @throws Error with the reason why it cannot be a filter. */
  readonly compileModule: (bytes: Uint8Array) => Promise<unknown>;
  readonly sessionManifests: ManifestStore;
  readonly signer: Signer;
  /**
   * Copies of the entries that code with write access to the tables cannot change, for functions that read such copies.
   */
  readonly archived: ArchiveReader | undefined;
  /** The publicly witnessed log, if the host has one. */
  readonly transparency: LogProofs | undefined;
  /** Evidence rows, for the process that expires them. */
  readonly evidenceRows: EvidenceRows;
  /** Access to the archive, for a process that may write to it and that creates checkpoints covering the copies. */
  readonly archiving:
    | {
        readonly archive: Archive;
        readonly cover: (entries: readonly EvidenceEntry[]) => Promise<void>;
        readonly log: Pick<ChainLog, 'recover'> | undefined;
      }
    | undefined;
  readonly credentials: CredentialStore;
  /** Capability tickets. */
  readonly tickets: TicketStore;
  /** Clients for the notification and vote channels. */
  readonly notificationClients: NotificationClients;
  readonly rollouts: Rollouts;
  readonly rolloutsInForce: RolloutsInForce;
  readonly rolloutClock: RolloutClock;
  readonly alerts: AlertStore;
  readonly passkeys: PasskeyStore;
  /** Approval events. Only defined if a single process makes every commit and streams may stay open. */
  readonly approvalEvents: ApprovalEventFeed | undefined;
  /** Store for the data planes of this control plane. */
  /**
   * Returns the number of requests with a rejected credential since the previous call, if one process serves all
   * requests.
   */
  readonly rejectedCredentials: (() => number) | undefined;
  readonly counters: Counters;
  readonly admissions: Admissions;
  readonly tokens: Tokens;
  readonly mcpStore: McpStore;
  /** Tool definition texts, read only to compare definitions before they are accepted. */
  readonly definitionTexts: ObjectStore;
  /** Response cache, if this process handles chat calls itself. */
  readonly cache: ResponseCache | undefined;
  /**
   * Returns each provider's circuit breaker state, by name. Only defined if this process calls providers or reads their
   * shared state.
   */
  readonly breakers: ((providers: readonly ProviderEntry[]) => Readonly<Record<string, BreakerState>>) | undefined;
  /** Store for the provider keys. Undefined if this process may not read them. */
  readonly providerKeys: SecretStore | undefined;
  /**
   * Returns at least the last 500 traces of each of these tenants, from all processes.
   * @throws GatewayError `service_unavailable`
   */
  readonly recentTraces: (tenants: readonly string[]) => Promise<readonly RecordedTrace[]>;
  readonly dependencyStates: DependencyStates;
  /** Returns how long the oldest entry has been waiting for its projection, if this process runs projections. */
  readonly projectionLagMs: (() => number) | undefined;
  /** State of the configuration file, if this process watches a file. */
  readonly configurationTrouble: ConfigurationTrouble | undefined;
  readonly version: string;
  /** Sessions for callers that do not name one. */
  readonly unnamedSessions: UnnamedSessions;
}
