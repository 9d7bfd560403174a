/**
 * Composes the parts of the local run, except its listeners: the store, the handlers, the approvals clock, the
 * schedules, and the projector.
 */
import { join } from 'node:path';
import { localExecutorClients } from '#adapters/executors/clients.ts';
import { type Containment, findContainment } from '#adapters/executors/containment.ts';
import { createInterpreter, type Interpreter } from '#adapters/local/asl/interpreter.ts';
import {
  definitionOf,
  localApprovalClock,
  localRolloutClock,
  type MachineName,
  machines,
} from '#adapters/local/clocks.ts';
import { type CommitFeed, createCommitFeed } from '#adapters/local/commit-feed.ts';
import { type DeliveryFeed, deliveryFeed } from '#adapters/local/delivery-feed.ts';
import type { SharedKeys } from '#adapters/local/key-folder.ts';
import type { LocalKeys } from '#adapters/local/keys-file.ts';
import { systemTimers } from '#adapters/local/timers.ts';
import { openViews } from '#adapters/local/views/views.ts';
import { StdioServers } from '#adapters/mcp/stdio.ts';
import { mcpUpstreams } from '#adapters/mcp/upstreams.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { systemIds } from '#adapters/system/ids.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import { followTelemetrySettings } from '#adapters/telemetry/follow-settings.ts';
import type { LogTelemetry } from '#adapters/telemetry/telemetry.ts';
import { closeAbandonedActions } from '#core/actions/sweep-actions.ts';
import { ApprovalEventFeed } from '#core/approvals/event-feed.ts';
import { announceViolations, takesPolicyEvents } from '#core/approvals/notifications/policy-events.ts';
import { allTenants } from '#core/configuration/store/all-tenants.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { Turns } from '#core/kernel/turns.ts';
import { ownHandshake } from '#core/mcp/sessions/conversations.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { refusedPartsRecorded } from '#core/operations/unsigned-parts.ts';
import { localWork } from '#features/features.ts';
import { withExecutors } from '#lambdas/executors.ts';
import { chatHandlers, eventHandlers, httpHandlers, mcpHandlers } from '#lambdas/handlers.ts';
import { mcpGateway } from '#lambdas/mcp/compose.ts';
import type { ChatEndpointPorts } from '#lambdas/middleware/chat-endpoint.ts';
import type { GatewayPorts } from '#lambdas/ports.ts';
import { createHandler as project } from '#lambdas/project/event.ts';
import { sweepReservations } from '#lambdas/sweep/event.ts';
import {
  fileNameOf,
  filePrincipal,
  importConfiguration,
  recordImport,
  watchConfiguration,
} from './configuration-file.ts';
import type { Flags } from './flags.ts';
import type { HttpHandlers } from './http-server.ts';
import { inFlight } from './in-flight.ts';
import { type LocalPorts, localPorts } from './ports.ts';
import { rebuildViews } from './rebuild-views.ts';
import { repeatEvery, runSchedules } from './schedule.ts';
import { type LocalStore, openStore } from './store.ts';

interface GatewayOptions {
  readonly flags: Flags;
  readonly checkout: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly keys: Partial<LocalKeys>;
  readonly sharedKeys?: SharedKeys | undefined;
  readonly telemetry: LogTelemetry;
  readonly adminUrl: string;
  /** Called for every committed entry. */
  readonly committed?: ((entry: EvidenceEntry) => void) | undefined;
}

export interface Gateway {
  readonly handlers: HttpHandlers;
  readonly ports: ChatEndpointPorts;
  /** Returns the configured limit, or the last known one if the store does not respond. */
  maxBodyBytes(): Promise<number>;
  /** Ends open streams, which would otherwise last as long as their clients stay connected. */
  endStreams(): void;
  /** Stops everything in order of dependencies. Call it when no request is in flight. */
  stop(): Promise<void>;
}

/** A time that sorts after every stored time. */
const endOfTime = '9999';
const tracesEveryMs = 1_000;

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { flags, telemetry } = options;
  const report = (message: string) => telemetry.log('warn', message);
  const store = await openStore({ stateFolder: flags.state, durability: flags.durability }, options.environment);
  // The views of a shared store are in the store.
  const views = store.shared
    ? undefined
    : openViews({ path: join(flags.state, 'views.db'), syncs: flags.durability === 'full' }, report);
  const approvalEvents = new ApprovalEventFeed({ timeouts: systemTimeouts, process: systemIds.randomHex(4) });
  const interpreters: Interpreter[] = [];
  const committed: { feed?: CommitFeed } = {};
  const enqueued: { feed?: DeliveryFeed } = {};
  const governed: { ports?: GatewayPorts } = {};
  const local = await localPorts({
    ...options,
    store,
    stateFolder: flags.state,
    configFile: flags.config,
    adoptSigningKey: flags.adoptSigningKey === true,
    archiveBucket: flags.archiveBucket,
    approvalEvents,
    views,
    projectionLagMs: () => committed.feed?.lagMs() ?? 0,
    committed: (entry) => {
      committed.feed?.committed(entry);
      approvalEvents.committed(entry);
      options.committed?.(entry);
    },
    enqueued: (delivery) => enqueued.feed?.enqueued(delivery),
    clocks: async (later) => {
      const of = (name: MachineName) => interpreterOf(name, { store, ports: () => governed.ports ?? later(), report });
      const [approvals, rollouts] = await Promise.all([of('approval'), of('rollout')]);
      interpreters.push(approvals, rollouts);
      return { approvalClock: localApprovalClock(approvals), rolloutClock: localRolloutClock(rollouts) };
    },
  });
  const stdio = stdioServers(local, options.environment, flags.state);
  const mcp = mcpGateway({ ...local, streamSlots: undefined, upstreams: upstreamsOf(local, stdio) });
  const ports = withExecutors(mcp.ports, localExecutorClients(options.environment, [flags.state]));
  governed.ports = ports;
  // No other process uses this store, so started actions without an outcome were interrupted when the previous process
  // ended.
  const abandoned = store.shared ? 0 : await closeAbandonedActions(ports, endOfTime);
  if (abandoned) telemetry.log('warn', 'interrupted actions were closed as unknown', { count: abandoned });
  const cut = store.shared ? 0 : await sweepReservations(ports, new Turns(), Number.MAX_SAFE_INTEGER);
  if (cut) telemetry.log('warn', 'calls that were running when the process ended are settled', { count: cut });
  const resumed = await Promise.all(interpreters.map((each) => each.recover()));
  const count = resumed.reduce((sum, each) => sum + each, 0);
  if (count) telemetry.log('info', 'clocks of approvals and rollouts resumed', { count });

  const tenants = async () => {
    const ids: string[] = [];
    for await (const id of allTenants(ports)) ids.push(id);
    return ids;
  };
  const feed = createCommitFeed({
    log: ports.evidence,
    tenants,
    handler: project({
      ...ports,
      archive: local.archived,
      cover: local.cover,
      views: views && ((entries) => views.project(entries)),
      announce: async (entries) => {
        const wanted = async () => takesPolicyEvents(await ports.snapshots.current({ evenStale: true }));
        if (await wanted()) await announceViolations({ ...ports, wanted }, entries.map(projectEntry));
      },
    }),
    checkpoint: join(flags.state, 'projected.json'),
    clock: systemClock,
    report,
  });
  committed.feed = feed;
  await feed.start();
  const rebuilding = views && !views.complete ? rebuildViews(ports, views, tenants) : undefined;

  const events = eventHandlers(ports);
  const failed = (name: string) => (fault: unknown) =>
    telemetry.log('error', `${name} failed`, { error: fault instanceof Error ? fault.message : String(fault) });
  const notified = deliveryFeed(events.notify, failed('notify'));
  enqueued.feed = notified;
  const parts = [
    ...runSchedules(events, failed),
    repeatEvery(tracesEveryMs, () => local.flushTraces(), failed('traces')),
    followTelemetrySettings(telemetry, ports.snapshots),
    ...(await localWork(ports)),
    await watchConfiguration(flags.config, () => reload(ports, flags.config, options.checkout)),
  ];
  let limit = 0;
  const readLimit = async () => {
    limit = (await ports.snapshots.current({ evenStale: true })).configuration.server.max_body_bytes;
    return limit;
  };
  await readLimit();
  const { configuration } = await ports.snapshots.current({ evenStale: true });
  stdio.startAll(configuration.upstreams.mcp, ownHandshake(ports.version));
  const running = inFlight();
  const http = httpHandlers(ports);
  return {
    ports,
    handlers: {
      ...http,
      ...running.watched({
        'approval-callback': http['approval-callback'],
        ...chatHandlers(ports),
        ...mcpHandlers(mcp),
      }),
    },
    maxBodyBytes: () => readLimit().catch(() => limit),
    endStreams: () => {
      mcp.gateway.endStreams();
      approvalEvents.close();
    },
    stop: async () => {
      await mcp.gateway.stop();
      await running.over();
      await Promise.all(parts.map((part) => part.stop()));
      for (const each of interpreters) await each.stop();
      await notified.stop();
      await feed.stop();
      await rebuilding?.stop();
      await views?.stop();
      await local.closeKept();
      await local.background.stop();
      await ports.wasm.stop();
      await telemetry.flush();
      await store.stop();
    },
  };
}

/** Connects the MCP gateway's servers: over HTTP, or as child processes of this process. */
const upstreamsOf = ({ secrets, telemetry, pause, dependencyStates }: LocalPorts, stdio: StdioServers) =>
  mcpUpstreams({
    secrets,
    pause,
    telemetry,
    stdio,
    outgoing: () => telemetry.outgoing(),
    connected: (server, down) => dependencyStates.connected(server, down),
  });

function stdioServers(ports: LocalPorts, environment: NodeJS.ProcessEnv, state: string) {
  const { secrets, clock, telemetry, dependencyStates } = ports;
  const found = new Map<boolean, Promise<Containment | undefined>>();
  const contain = (network: boolean) => {
    const known = found.get(network) ?? findContainment([state], undefined, network ? 'seen' : 'hidden');
    found.set(network, known);
    return known;
  };
  return new StdioServers({
    secrets,
    clock,
    telemetry,
    environment,
    contain,
    connected: (server, down) => dependencyStates.connected(server, down),
  });
}

interface InterpreterOptions {
  readonly store: LocalStore;
  readonly ports: () => GatewayPorts;
  readonly report: (message: string) => void;
}

async function interpreterOf(name: MachineName, { store, ports, report }: InterpreterOptions): Promise<Interpreter> {
  let handlers: ReturnType<typeof eventHandlers> | undefined;
  return createInterpreter({
    name,
    definition: await definitionOf(name),
    store: store.executions,
    clock: systemClock,
    ids: systemIds,
    timers: systemTimers(systemClock),
    random: Math.random,
    report,
    invoke: async (functionName, payload) => {
      handlers ??= eventHandlers(ports());
      const performing = machines[name].function;
      if (functionName !== performing) throw new Error(`The state machine calls the unknown function ${functionName}.`);
      return handlers[performing](payload as never);
    },
  });
}

/** Reimports the file. If it is invalid, reports the error and keeps the active configuration. */
async function reload(ports: GatewayPorts, path: string, checkout: string): Promise<void> {
  const { telemetry, configurationTrouble } = ports;
  try {
    const tenant = async () => (await ports.snapshots.current({ evenStale: true })).configuration.tenants[0]?.id;
    const { row, imported, warnings } = await refusedPartsRecorded(
      async () => ({ ports, principal: filePrincipal((await tenant()) ?? 'default') }),
      () => importConfiguration(ports, path, checkout),
    ).catch((fault: unknown) => {
      configurationTrouble?.failed(fileNameOf(path, checkout), (fault as Error).message);
      throw fault;
    });
    configurationTrouble?.loaded();
    const { configuration, warnings: inForce } = await ports.snapshots.refresh();
    if (imported) await recordImport(ports, row, configuration.tenants[0]?.id ?? 'default');
    for (const warning of new Set([...warnings, ...(imported ? inForce : [])])) telemetry.log('warn', warning);
    if (imported) telemetry.log('info', 'configuration imported', { version: row.version, file: path });
  } catch (fault) {
    telemetry.log('error', 'configuration not imported; the current one stays in force', {
      file: path,
      error: (fault as Error).message,
    });
  }
}
