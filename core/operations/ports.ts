/** Everything an operation may be given. Hosts compose it: `lambdas/aws.ts` on AWS and the emulator, `bin/local/` here. */

import type { GovernPorts } from '#core/actions/ports.ts';
import type { ApprovalEventFeed } from '#core/approvals/event-feed.ts';
import type { NotificationClients } from '#core/approvals/notifications/deliver-ports.ts';
import type { PasskeyStore } from '#core/approvals/passkeys/ports.ts';
import type { ConfigurationTrouble } from '#core/configuration/file-trouble.ts';
import type { Tokens } from '#core/configuration/identity/federation/ports.ts';
import type { UnnamedSessions } from '#core/configuration/identity/unnamed-sessions.ts';
import type { LoadedConfiguration } from '#core/configuration/load/load.ts';
import type { ConfigStore } from '#core/configuration/ports.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { HostLimits } from '#core/contracts/host-limits.ts';
import type { ArchiveReader, CheckpointLog, EvidenceRows, ManifestStore, Signer } from '#core/evidence/ports.ts';
import type { LogReader } from '#core/evidence/transparency/log-reader.ts';
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
import type { ControlPlane, PlaneStore } from '#core/operations/federation/ports.ts';

export type BreakerState = 'closed' | 'open' | 'half-open';

export interface ObjectsPort {
  /** Bodies of configurations and WASM modules. */
  readonly objects: ObjectStore;
}

/** Reading a configuration that was sent. */
export interface LoadingPorts {
  /** What this host allows executions; absent where nothing ends a function. */
  readonly hostLimits: HostLimits | undefined;
  /** Text of a shipped policy pack, by name. */
  readonly packs: (name: string) => Promise<string>;
  /** Reads and checks a configuration in a worker thread; in place where it is absent, within `hostLimits`. */
  readonly loadedConfiguration: ((text: string, file?: string) => Promise<LoadedConfiguration>) | undefined;
}

export interface CheckpointsPort {
  /** Where evidence is kept that those who write the tables cannot write, for functions that read it. */
  readonly checkpoints: CheckpointLog | undefined;
}

export interface MetricsPorts {
  readonly observations: Observations;
  readonly setAside: SetAsideStore;
  /** The metrics registry of this process as Prometheus text. */
  readonly metricsText: () => string;
}

/** Everything that operations may be given. An operation is a flow; a function that several share takes the ports it uses. */
export interface GatewayPorts extends GovernPorts, ObjectsPort, LoadingPorts, MetricsPorts {
  /** The whole log, of which governing a call reads the last checkpoint only. */
  readonly checkpoints: CheckpointsPort['checkpoints'];
  readonly secrets: SecretStore;
  readonly configStore: ConfigStore;
  /**
   * Environment names that a configuration over HTTP may bring in besides those in use; undefined where secrets come from a
   * store that holds nothing but what the operator put there.
   */
  readonly listedSecretNames: readonly string[] | undefined;
  /** Compiles a WASM module. @throws Error that says why it cannot be a filter. */
  readonly compileModule: (bytes: Uint8Array) => Promise<unknown>;
  readonly sessionManifests: ManifestStore;
  readonly signer: Signer;
  /** Copies of the entries, kept where those who write the tables cannot write, for functions that read them. */
  readonly archived: ArchiveReader | undefined;
  /** The log that outsiders watch, where the host keeps one. */
  readonly transparency: LogReader | undefined;
  /** Rows of the log, for the process that lets them expire. */
  readonly evidenceRows: EvidenceRows;
  /** Where this process may write the archive: it puts under a checkpoint what it keeps there. */
  readonly archiving:
    | {
        readonly archive: Archive;
        readonly cover: (entries: readonly EvidenceEntry[]) => Promise<void>;
      }
    | undefined;
  readonly credentials: CredentialStore;
  /** Capability tickets. */
  readonly tickets: TicketStore;
  /** Clients of the channels that people are notified by and vote by. */
  readonly notificationClients: NotificationClients;
  /** The control plane, for a gateway that follows one. */
  readonly controlPlane: ControlPlane;
  readonly rollouts: Rollouts;
  readonly rolloutsInForce: RolloutsInForce;
  readonly rolloutClock: RolloutClock;
  readonly alerts: AlertStore;
  readonly passkeys: PasskeyStore;
  /** What happens to approvals, where one process makes every commit and streams may stay open. */
  readonly approvalEvents: ApprovalEventFeed | undefined;
  /** Data planes of this control plane. */
  readonly planes: PlaneStore;
  /** Requests with a refused credential since it was last asked, where one process answers all requests. */
  readonly rejectedCredentials: (() => number) | undefined;
  readonly counters: Counters;
  readonly admissions: Admissions;
  readonly tokens: Tokens;
  readonly mcpStore: McpStore;
  /** Texts of tool definitions, which only those compare who accept them. */
  readonly definitionTexts: ObjectStore;
  /** Where this process answers chat calls itself. */
  readonly cache: ResponseCache | undefined;
  /** State of each provider's breaker, by name, where this process calls providers itself or reads what those that do share. */
  readonly breakers: ((providers: readonly ProviderEntry[]) => Readonly<Record<string, BreakerState>>) | undefined;
  /** Holds the keys of providers; undefined where this process may not read them. */
  readonly providerKeys: SecretStore | undefined;
  /** At least the last 500 traces of each of these tenants, of all processes. @throws GatewayError `service_unavailable` */
  readonly recentTraces: (tenants: readonly string[]) => Promise<readonly RecordedTrace[]>;
  readonly dependencyStates: DependencyStates;
  /** Trouble with the configuration file, where this process follows one. */
  readonly configurationTrouble: ConfigurationTrouble | undefined;
  readonly version: string;
  /** Which session the calls of a caller that names none go into. */
  readonly unnamedSessions: UnnamedSessions;
}
