/** Composes the ports on AWS and on the emulator once per execution environment, and wraps each handler for Lambda. */
import type { KMSClientConfig } from '@aws-sdk/client-kms';
import { clientBounds } from '#adapters/aws/client-bounds.ts';
import { dynamoClient } from '#adapters/aws/dynamodb/client.ts';
import { dynamoStore } from '#adapters/aws/dynamodb/store.ts';
import { formerKeyIds } from '#adapters/aws/kms-signer.ts';
import { objectBucket } from '#adapters/aws/object-bucket.ts';
import { secretsManager } from '#adapters/aws/secrets-manager.ts';
import { packFiles } from '#adapters/files/pack-files.ts';
import { issuerDocuments } from '#adapters/http/issuer-documents.ts';
import { lazyEffects } from '#adapters/sql/lazy-effects.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { systemIds } from '#adapters/system/ids.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import type { BreakersTable } from '#adapters/tables/breakers-table.ts';
import { configTable } from '#adapters/tables/config-table.ts';
import { tableLedger } from '#adapters/tables/ledger.ts';
import type { StoreOptions } from '#adapters/tables/store.ts';
import { tableStores } from '#adapters/tables/stores.ts';
import { sharedTraces } from '#adapters/telemetry/shared-traces.ts';
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { tracesFromEnvironment } from '#adapters/telemetry/traces-from-environment.ts';
import { xrayLink } from '#adapters/telemetry/xray-link.ts';
import { xrayTracer } from '#adapters/telemetry/xray-tracing.ts';
import type { NotificationClients } from '#core/approvals/notifications/deliver-ports.ts';
import type { ApprovalClock } from '#core/approvals/ports.ts';
import { lazyTokens } from '#core/configuration/identity/federation/lazy-tokens.ts';
import { SessionsOfKey } from '#core/configuration/identity/unnamed-sessions.ts';
import { createSnapshots, type Snapshots } from '#core/configuration/store/snapshots.ts';
import { lambdaLimits } from '#core/contracts/host-limits.ts';
import type { HttpContext, HttpEvent, HttpHandler, HttpReply } from '#core/contracts/http.ts';
import { objectFolders } from '#core/contracts/object-folders.ts';
import { type TableName, tableEnvironment } from '#core/contracts/tables.ts';
import type { Signer } from '#core/evidence/ports.ts';
import { configuredBrokers } from '#core/execution/credentials/configured-brokers.ts';
import type { BrokerClients } from '#core/execution/credentials/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Clock, Telemetry } from '#core/kernel/ports.ts';
import { Admissions } from '#core/limits/admissions.ts';
import type { RolloutClock } from '#core/models/rollouts/ports.ts';
import { type BreakerBoard, sharedStates } from '#core/models/routing/breaker-board.ts';
import { DependencyStates } from '#core/observatory/dependency-states.ts';
import { keptTraces } from '#core/observatory/traces.ts';
import { Probes } from '#core/session/risk/probes.ts';
import * as channelLimits from '#features/channel-limits.ts';
import * as judges from '#features/judges.ts';
import { configurationSchema } from '#features/lazy-configuration.ts';
import { tables } from '#features/tables.ts';
import type { ValueTracers } from '#features/value-tracers.ts';
import * as tracers from '#features/value-tracers.ts';
import packageJson from '#package' with { type: 'json' };
import { originalRequest } from './behind-edge.ts';
import { startedEarly } from './early-start.ts';
import { errorReply } from './middleware/answers.ts';
import type { ChatPorts, GatewayPorts } from './ports.ts';
import { type LambdaContext, withFlush } from './with-flush.ts';

/** Inputs from which access to the archive, checkpoints and transparency log is built. */
export interface EvidenceSources {
  readonly bucket: string;
  readonly signer: Signer;
  readonly store: StoreOptions;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/**
 * Signer that uses a KMS key. Signatures made with earlier keys still verify, and the function may sign with the linked
 * keys.
 */
type SignerOfKeys = (
  keyId: string,
  config: KMSClientConfig,
  former: readonly string[],
  linked?: readonly string[],
) => Signer;

/**
 * Capabilities that only some functions have (`core/contracts/functions.ts`), so that other functions do not bundle
 * these clients.
 */
export interface HostCapabilities {
  readonly signer?: SignerOfKeys;
  /** Vote signer, for functions that create or use votes. */
  readonly votes?: SignerOfKeys;
  /** Archive, checkpoints and transparency log, for functions that read them. */
  readonly kept?: (
    from: EvidenceSources,
  ) => Partial<Pick<GatewayPorts, 'archived' | 'checkpoints' | 'archiving' | 'transparency'>>;
  readonly approvalClock?: (stateMachineArn: string) => ApprovalClock;
  readonly rolloutClock?: (stateMachineArn: string) => RolloutClock;
  /** Clients that the credential brokers use to call their issuers. */
  readonly brokerClients?: () => BrokerClients;
  /** Circuit breakers shared by all environments, for functions that call providers or show their state. */
  readonly breakers?: (store: StoreOptions) => BreakersTable;
  /** Notification channels, for functions that send notifications or accept votes. */
  readonly notificationClients?: NotificationClients;
  /** Adds the executors for allowed actions. */
  readonly executors?: (ports: GatewayPorts, environment: NodeJS.ProcessEnv) => GatewayPorts;
}

const notGiven = (what: string) => () => Promise.reject(new Error(`this function has no ${what}`));
const noSigner: Signer = { keyId: '', sign: notGiven('signer'), publicKey: notGiven('signer') };
const noClock: ApprovalClock = { start: notGiven('approval clock'), settle: notGiven('approval clock') };

const failing = (what: string) => () => {
  throw new Error(`this function has no ${what}`);
};
const noNotifications: NotificationClients = {
  webhook: failing('client of webhooks'),
  sendJson: notGiven('client for chat systems and Git hosts'),
  postSigned: notGiven('client of webhooks'),
};

/** Placeholder for functions without access to the archive, checkpoints and log. */
const nothingKept = { archived: undefined, checkpoints: undefined, archiving: undefined, transparency: undefined };
/**
 * Capabilities of a host that handles one request at a time: no workers, no open approval streams and no local servers.
 */
const oneCallAtATime = {
  calls: undefined,
  loadedConfiguration: undefined,
  approvalEvents: undefined,
  rejectedCredentials: undefined,
  configurationTrouble: undefined,
  projectionLagMs: undefined,
  cache: undefined,
  links: undefined,
};

/** Composes the ports shared by all functions, from the tables and addresses in the environment. */
export function compose(
  environment: NodeJS.ProcessEnv,
  host: HostCapabilities = {},
): GatewayPorts &
  Pick<ChatPorts, 'storedObjects'> & { readonly store: StoreOptions; readonly breakerBoard?: BreakerBoard } {
  const needed = (name: string): string => {
    const value = environment[name];
    if (!value) throw new Error(`the function's environment lacks ${name}`);
    return value;
  };
  const names = Object.keys(tables) as TableName[];
  const physical = Object.fromEntries(names.map((name) => [name, needed(tableEnvironment(name))])) as Record<
    TableName,
    string
  >;
  const store = { store: dynamoStore({ client: dynamoClient(clientBounds()), tables: physical }) };
  const clock = systemClock;
  const telemetry = logTelemetry({
    clock,
    write: (line) => void process.stdout.write(`${line}\n`),
    service: 'agent-governance-gateway',
    deployment: needed('GATEWAY_NAME'),
    ...traced(environment),
  });
  const secrets = secretsManager({ secretIds: secretIds(environment) });
  const bucket = needed('OBJECT_BUCKET');
  const objects = objectBucket({ bucket });
  const breakerBoard = host.breakers?.(store);
  const configStore = { ...configTable(store, breakerBoard), schema: configurationSchema };
  const snapshots = createSnapshots({
    configStore,
    objects,
    clock,
    changed: () => secrets.forget(),
    random: Math.random,
  });
  telemetry.exportTo(tracesFromEnvironment(environment, { telemetry, snapshots }));
  const stores = tableStores(store, clock);
  const { traceRing } = stores;
  if (environment.SHARED_TRACES === 'on')
    telemetry.shareTraces(sharedTraces({ ring: traceRing, clock, ids: systemIds, telemetry }));
  const unnamedSessions = new SessionsOfKey(Math.random);
  const clients = host.brokerClients?.();
  const linked = formerKeyIds(environment, 'SIGNING_KEY_LINKED_IDS');
  const signer = host.signer?.(needed('SIGNING_KEY_ID'), {}, formerKeyIds(environment), linked) ?? noSigner;
  const brokerPorts = { secrets, clock, ids: systemIds, tickets: stores.tickets, clients };
  return {
    store,
    ...(breakerBoard && { breakerBoard }),
    breakers: breakerBoard && ((providers) => sharedStates(breakerBoard, providers)),
    clock,
    ids: systemIds,
    telemetry,
    secrets,
    providerKeys: undefined,
    objects,
    results: objectBucket({ bucket, folder: objectFolders.results }),
    definitionTexts: objectBucket({ bucket, folder: objectFolders.definitions }),
    configStore,
    channelLimits,
    judges: Object.values(judges),
    listedSecretNames: undefined, // the Secrets Manager bundles contain only the operator's values
    snapshots,
    hostLimits: lambdaLimits,
    compileModule: async (bytes) => (await import('#adapters/wasm/module.ts')).compileModule(bytes),
    packs: packFiles(`${environment.LAMBDA_TASK_ROOT ?? '.'}/policies`),
    ...stores,
    provenance: (tracers as Partial<ValueTracers>).valueTracer?.({ store: store.store, clock, ids: systemIds }),
    ledger: tableLedger({ ...store, contended: (session) => unnamedSessions.contended(session) }),
    signer,
    votes: host.votes?.(needed('VOTE_KEY_ID'), {}, formerKeyIds(environment, 'VOTE_KEY_FORMER_IDS')) ?? noSigner,
    notificationClients: host.notificationClients ?? noNotifications,
    ...nothingKept,
    ...host.kept?.({
      bucket: needed('ARCHIVE_BUCKET'),
      environment,
      signer,
      store,
      clock,
      telemetry,
    }),
    probes: new Probes(),
    dependencyStates: new DependencyStates(),
    approvalClock: host.approvalClock?.(needed('APPROVAL_STATE_MACHINE_ARN')) ?? noClock,
    rolloutClock: host.rolloutClock?.(needed('ROLLOUT_STATE_MACHINE_ARN')) ?? { start: notGiven('rollout clock') },
    brokers: configuredBrokers(snapshots, brokerPorts),
    effects: lazyEffects,
    ...oneCallAtATime,
    executors: () => [],
    admissions: new Admissions(clock, () => telemetry.count('svc_credentials_rejected_total', {})),
    tokens: lazyTokens({ clock, documents: issuerDocuments }),
    recentTraces: async (tenants) => [
      ...(await traceRing.recent(tenants, keptTraces, clock.now())),
      ...telemetry.recentTraces(),
    ],
    metricsText: () => telemetry.metricsText(),
    adminUrl: needed('ADMIN_URL'),
    consoleUrl: environment.CONSOLE_URL, // absent without CloudFront, which serves the console
    timeouts: systemTimeouts,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    version: packageJson.version,
    unnamedSessions,
  };
}

/** Returns this function's Secrets Manager ids. Each secret is a JSON object of environment-style names. */
const secretIds = (environment: NodeJS.ProcessEnv): string[] =>
  Object.entries(environment).flatMap(([name, value]) => (name.startsWith('SECRET_') && value ? [value] : []));

/** Size limit for replies: API Gateway accepts 6 MiB after JSON wrapping, and turns larger ones into an error. */
const maxReplyBytes = 5 * 1024 * 1024;

export const contextOf = (context: LambdaContext): HttpContext => ({
  awsRequestId: context.awsRequestId,
  ...endOf(context),
});

/** Returns the time at which Lambda ends the function. */
const endOf = (context: Pick<LambdaContext, 'getRemainingTimeInMillis'>): { endsAtMs?: number } => {
  const left = context.getRemainingTimeInMillis?.();
  return left === undefined ? {} : { endsAtMs: systemClock.now() + left };
};

/**
 * Returns an HTTP handler as a Lambda proxy handler. Streamed bodies are collected, because this integration is
 * buffered.
 */
export async function httpHandler(createHandler: (ports: GatewayPorts) => HttpHandler, host: HostCapabilities = {}) {
  const ready = await composedEarly(() => composeFunction(host, createHandler));
  return withFlush(
    () => ready().ports.telemetry,
    async (event: HttpEvent, context) => {
      const reply = await ready().handler(originalRequest(event), contextOf(context));
      const { finished, ...answer } = await bufferReply(reply);
      await finished;
      return answer;
    },
  );
}

/** Composes a function's ports and its handler. */
export function composeFunction<H>(
  host: HostCapabilities,
  createHandler: (ports: GatewayPorts) => H,
): { ports: GatewayPorts; handler: H } {
  const ports = compose(process.env, host);
  const executing = host.executors?.(ports, process.env) ?? ports;
  return { ports: executing, handler: createHandler(executing) };
}

/**
 * Composes and reads the configuration while the function is being loaded. Calls never wait for a read that began
 * before the environment was frozen.
 */
export const composedEarly = <T extends { readonly ports: { readonly snapshots: Pick<Snapshots, 'refresh'> } }>(
  make: () => T,
): Promise<() => T> => startedEarly(make, ({ ports }) => ports.snapshots.refresh(), systemTimeouts);

/** Collects a streamed body. */
export async function bufferReply(reply: HttpReply): Promise<Omit<HttpReply, 'body'> & { body: string }> {
  if (typeof reply.body === 'string') return { ...reply, body: reply.body };
  let body = '';
  let bytes = 0;
  for await (const chunk of reply.body) {
    body += chunk;
    bytes += Buffer.byteLength(chunk);
    if (bytes > maxReplyBytes) {
      const message = `The response is larger than ${maxReplyBytes} bytes, the limit of a buffered API Gateway integration; request less at a time.`;
      return bufferReply(errorReply(new GatewayError('payload_too_large', message)));
    }
  }
  return { ...reply, body };
}

/** Returns a handler for events other than HTTP. */
export async function eventHandler<E, R>(
  createHandler: (ports: GatewayPorts) => (event: E, host?: { readonly endsAtMs?: number }) => Promise<R>,
  host: HostCapabilities,
) {
  const ready = await composedEarly(() => composeFunction(host, createHandler));
  return withFlush(
    () => ready().ports.telemetry,
    (event: E, context): Promise<R> => ready().handler(event, endOf(context)),
  );
}

/** Returns X-Ray tracing if the function is traced, and the links to its traces. */
function traced(environment: NodeJS.ProcessEnv) {
  const tracer = xrayTracer(environment);
  return { link: xrayLink(environment, tracer !== undefined), ...(tracer && { tracer }) };
}
