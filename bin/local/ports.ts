/** Composes all ports of the local run: table adapters over its store, and files for the rest. */

import { join } from 'node:path';
import { bedrockRuntime } from '#adapters/aws/bedrock.ts';
import { brokerClients } from '#adapters/aws/broker-clients.ts';
import { packFiles } from '#adapters/files/pack-files.ts';
import { issuerDocuments } from '#adapters/http/issuer-documents.ts';
import { notificationClients } from '#adapters/http/notification-clients.ts';
import { httpCall } from '#adapters/http/provider-http.ts';
import { observedLedger } from '#adapters/local/commit-feed.ts';
import { observedDeliveries } from '#adapters/local/delivery-feed.ts';
import { environmentSecrets, listedSecretNames } from '#adapters/local/environment-secrets.ts';
import { folderObjectStore } from '#adapters/local/folder-object-store.ts';
import type { SharedKeys } from '#adapters/local/key-folder.ts';
import { demoAppKey, type LocalKeys } from '#adapters/local/keys-file.ts';
import { signingKeyPem } from '#adapters/local/signing-keys.ts';
import { sharedTicketKey, ticketKey } from '#adapters/local/ticket-key.ts';
import { lazyEffects } from '#adapters/sql/lazy-effects.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { followsLinks } from '#adapters/system/follow-links.ts';
import { systemIds } from '#adapters/system/ids.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import { configTable } from '#adapters/tables/config-table.ts';
import { tableLedger } from '#adapters/tables/ledger.ts';
import { tableStores } from '#adapters/tables/stores.ts';
import { lineWriter } from '#adapters/telemetry/line-writer.ts';
import { sharedTraces } from '#adapters/telemetry/shared-traces.ts';
import { type LogTelemetry, logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { wasmRunner } from '#adapters/wasm/pool.ts';
import { backgroundWork } from '#adapters/work/background.ts';
import type { ApprovalEventFeed } from '#core/approvals/event-feed.ts';
import type { Delivery } from '#core/approvals/notifications/ports.ts';
import { configuredEmbedder } from '#core/chat/embedder.ts';
import { ConfigurationTrouble } from '#core/configuration/file-trouble.ts';
import { lazyTokens } from '#core/configuration/identity/federation/lazy-tokens.ts';
import { sessionsOfProcess } from '#core/configuration/identity/unnamed-sessions.ts';
import { createSnapshots } from '#core/configuration/store/snapshots.ts';
import { readVersion } from '#core/configuration/store/stored-form.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { configuredBrokers } from '#core/execution/credentials/configured-brokers.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { Admissions } from '#core/limits/admissions.ts';
import type { McpPorts } from '#core/mcp/ports.ts';
import { responseCache } from '#core/models/cache/response-cache.ts';
import { wasmModules } from '#core/models/content-policy/wasm-modules.ts';
import { providersFrom } from '#core/models/providers/providers.ts';
import { createBreakers } from '#core/models/routing/breakers.ts';
import { DependencyStates } from '#core/observatory/dependency-states.ts';
import type { Observations } from '#core/observatory/ports.ts';
import { keptTraces } from '#core/observatory/traces.ts';
import { refusedPartsRecorded } from '#core/operations/unsigned-parts.ts';
import { Probes } from '#core/session/risk/probes.ts';
import type { AnswerSamplers } from '#features/answer-samplers.ts';
import * as samplers from '#features/answer-samplers.ts';
import * as channelLimits from '#features/channel-limits.ts';
import * as judges from '#features/judges.ts';
import { configurationSchema } from '#features/lazy-configuration.ts';
import type { ValueTracers } from '#features/value-tracers.ts';
import * as tracers from '#features/value-tracers.ts';
import type { ChatEndpointPorts } from '#lambdas/middleware/chat-endpoint.ts';
import type { GatewayPorts } from '#lambdas/ports.ts';
import packageJson from '#package' with { type: 'json' };
import { filePrincipal, importConfiguration, recordImport, shippedPacks } from './configuration-file.ts';
import { nameSecrets, namingSnapshots, overlayKeys } from './generated-secrets.ts';
import { humanLine } from './human-log.ts';
import { type KeptEvidence, keptEvidence } from './kept-evidence.ts';
import type { LocalStore } from './store.ts';

export const { version } = packageJson;

/** @param people the format for a person who reads stderr; absent if a program reads it. */
export function localTelemetry(people?: { readonly coloured: boolean }): LogTelemetry {
  const write = lineWriter((text) => void process.stderr.write(text)); // stdout is for the banner and the ready line
  return logTelemetry({
    clock: systemClock,
    service: 'agent-governance-gateway',
    functionTrace: () => undefined, // not a Lambda function here, and reading the environment takes as long as a span
    write: people ? (line) => write(humanLine(line, people.coloured)) : write,
  });
}

interface PortsOptions {
  readonly store: LocalStore;
  readonly stateFolder: string;
  readonly configFile: string;
  readonly checkout: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Keys shared by all processes that use the store. */
  readonly sharedKeys?: SharedKeys | undefined;
  /** Take over a store that is registered with another signing key. */
  readonly adoptSigningKey?: boolean;
  /** Bucket for the archive and checkpoints, instead of subfolders of the state folder. */
  readonly archiveBucket?: string | undefined;
  /** Active generated keys; none on a host that other machines can reach. */
  readonly keys: Partial<LocalKeys>;
  readonly telemetry: Telemetry & Pick<LogTelemetry, 'metricsText' | 'recentTraces' | 'shareTraces'>;
  readonly adminUrl: string;
  /** Called for every committed entry. */
  readonly committed: (entry: EvidenceEntry) => void;
  /** Events of committed entries. */
  readonly approvalEvents: ApprovalEventFeed;
  /** Views kept in a worker. If absent, the store's own views are used. */
  readonly views: Observations | undefined;
  /** Returns how long the oldest entry has been waiting for its projection. */
  readonly projectionLagMs: () => number;
  /** Called for every new notification. */
  readonly enqueued: (delivery: Delivery) => void;
  /**
   * Creates the clocks. They run handlers that use these ports, so they get a function that returns the ports once all
   * are created.
   */
  readonly clocks: (ports: () => GatewayPorts) => Promise<Pick<GatewayPorts, 'approvalClock' | 'rolloutClock'>>;
}

/** Ports used by the functions of all surfaces. */
export type LocalPorts = GatewayPorts &
  ChatEndpointPorts &
  Required<Pick<McpPorts, 'classifiers'>> &
  KeptEvidence & {
    readonly wasm: { stop(): Promise<void> };
    readonly background: { stop(): Promise<void> };
    /** Shares the last traces with the other processes that use the store, if any. */
    readonly flushTraces: () => Promise<void>;
  };

/** Imports the configuration file and composes the ports based on it. */
export async function localPorts(options: PortsOptions): Promise<LocalPorts> {
  const { store, stateFolder, environment, keys, telemetry, sharedKeys, adoptSigningKey = false } = options;
  const [clock, ids] = [systemClock, systemIds];
  const stores = tableStores(store, systemClock);
  // Checked before the first write, so that a store registered with another signing key is left unchanged.
  const kept = await keptEvidence({
    stateFolder,
    store,
    evidence: stores.evidence,
    clock,
    telemetry,
    keys: sharedKeys,
    adoptSigningKey,
    environment,
    bucket: options.archiveBucket,
    configuration: async () => (await snapshots.current({ evenStale: true })).configuration,
  });
  const objects = store.objects ?? folderObjectStore(join(stateFolder, 'objects'));
  const configStore = { ...configTable(store), schema: configurationSchema };
  const { checkout, configFile } = options;
  const generated = {
    adminToken: keys.admin_token,
    appKey: keys.agent && (await demoAppKey(stateFolder)),
    ticketKey:
      sharedKeys?.ticket ??
      (await (store.shared ? signingKeyPem(stateFolder).then(sharedTicketKey) : ticketKey(stateFolder))),
  };
  const names: Record<string, string> = {};
  const secrets = environmentSecrets(environment, names);

  const ledger = observedLedger(tableLedger(store), options.committed);
  const { row, imported, warnings } = await refusedPartsRecorded(
    async () => ({
      ports: { clock, ids, ledger },
      principal: filePrincipal(await tenantInForce({ configStore, objects })),
    }),
    () => importConfiguration({ configStore, objects, clock }, configFile, checkout),
  );
  for (const warning of warnings) telemetry.log('warn', warning);
  const inForce = await readVersion({ configStore, objects }, row.version);
  if (inForce) nameSecrets(inForce.configuration, names, generated);
  const firstTenant = inForce?.configuration.tenants[0]?.id ?? 'default';
  const snapshots = namingSnapshots(
    createSnapshots({ configStore, objects, clock, secrets, overlayKeys: overlayKeys(keys, firstTenant) }),
    names,
    generated,
    secrets,
  );
  for (const warning of (await snapshots.current({ evenStale: true })).warnings) telemetry.log('warn', warning);

  const traces = store.shared ? sharedTraces({ ring: stores.traceRing, clock, ids, telemetry }) : undefined;
  if (traces) telemetry.shareTraces(traces);
  const background = backgroundWork({ telemetry, effects: lazyEffects, packs: shippedPacks(checkout) });
  const brokerPorts = { secrets, clock, ids, tickets: stores.tickets, clients: brokerClients() };
  const timeouts = systemTimeouts;
  const admissions = new Admissions(clock, () => telemetry.count('svc_credentials_rejected_total', {}));
  const providers = providersFrom({ http: httpCall, secrets, clock, timeouts, bedrock: bedrockRuntime });
  const providerBreakers = createBreakers();
  const ports: LocalPorts = {
    clock,
    ids,
    telemetry,
    secrets,
    objects,
    results: objects,
    definitionTexts: objects,
    configStore,
    channelLimits,
    judges: Object.values(judges),
    listedSecretNames: listedSecretNames(environment),
    snapshots,
    compileModule: async (bytes) => (await import('#adapters/wasm/module.ts')).compileModule(bytes),
    packs: packFiles(shippedPacks(checkout)),
    ...stores,
    provenance: (tracers as Partial<ValueTracers>).valueTracer?.({ store: store.store, clock, ids }),
    ...(options.views && { observations: options.views }),
    projectionLagMs: options.projectionLagMs,
    ledger,
    ...kept,
    votes: kept.signer,
    probes: new Probes(),
    dependencyStates: new DependencyStates(),
    configurationTrouble: new ConfigurationTrouble(clock),
    // Commits of other processes are not visible here: no stream is better than one with gaps [shared.gateways].
    approvalEvents: store.shared ? undefined : options.approvalEvents,
    ...(await options.clocks(() => ports)),
    deliveries: observedDeliveries(stores.deliveries, options.enqueued),
    brokers: configuredBrokers(snapshots, brokerPorts),
    hostLimits: undefined, // a call made by this process can be ended only by its client
    notificationClients,
    effects: (call, programs) => background.effects(call, programs),
    texts: background.texts,
    calls: background.calls,
    links: followsLinks(process.cwd()),
    loadedConfiguration: (text, file) => background.configuration(text, file),
    background,
    executors: () => [],
    admissions,
    rejectedCredentials: () => admissions.takeRefused(),
    tokens: lazyTokens({ clock, documents: issuerDocuments }),
    providers,
    providerBreakers,
    wasm: wasmRunner({ modules: wasmModules(objects) }),
    cache: responseCache({ clock, embedder: configuredEmbedder({ snapshots, providers }) }),
    breakers: () => providerBreakers.states(),
    providerKeys: secrets,
    sampler: (samplers as Partial<AnswerSamplers>).answerSampler,
    timeouts,
    random: Math.random,
    classifiers: async () => ports,
    recentTraces: async (tenants) => [
      ...(traces ? await stores.traceRing.recent(tenants, keptTraces, clock.now()) : []),
      ...telemetry.recentTraces(),
    ],
    flushTraces: async () => traces?.flush(),
    metricsText: () => telemetry.metricsText(),
    adminUrl: options.adminUrl,
    consoleUrl: `${options.adminUrl}/console/`,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    version,
    unnamedSessions: sessionsOfProcess(ids.randomHex(4)),
  };
  if (imported) await recordImport(ports, row, firstTenant);
  return ports;
}

/**
 * Returns the first tenant of the active configuration, whose evidence records actions on the whole deployment;
 * `default` if there is no configuration yet.
 */
async function tenantInForce(
  stores: Parameters<typeof readVersion>[0] & Pick<GatewayPorts, 'configStore'>,
): Promise<string> {
  const current = await stores.configStore.current();
  const inForce = current && (await readVersion(stores, current.version));
  return inForce?.configuration.tenants[0]?.id ?? 'default';
}
