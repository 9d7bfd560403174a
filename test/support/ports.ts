/** Every port over an in-memory store, with a manual clock and a count of store steps. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packFiles } from '#adapters/files/pack-files.ts';
import { issuerDocuments } from '#adapters/http/issuer-documents.ts';
import { notificationClients } from '#adapters/http/notification-clients.ts';
import { httpCall } from '#adapters/http/provider-http.ts';
import { folderObjectStore } from '#adapters/local/folder-object-store.ts';
import { keyFileSigner } from '#adapters/local/signing-keys.ts';
import { lazyEffects } from '#adapters/sql/lazy-effects.ts';
import { systemIds } from '#adapters/system/ids.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import { configTable } from '#adapters/tables/config-table.ts';
import { tableLedger } from '#adapters/tables/ledger.ts';
import type { Store } from '#adapters/tables/store.ts';
import { tableStores } from '#adapters/tables/stores.ts';
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import type { ApprovalClock } from '#core/approvals/ports.ts';
import { configuredEmbedder } from '#core/chat/embedder.ts';
import { lazyTokens } from '#core/configuration/identity/federation/lazy-tokens.ts';
import { sessionsOfProcess } from '#core/configuration/identity/unnamed-sessions.ts';
import { createSnapshots } from '#core/configuration/store/snapshots.ts';
import { storeVersion } from '#core/configuration/store/versions.ts';
import { brokersFrom } from '#core/execution/credentials/brokers.ts';
import type { Executor } from '#core/execution/executors/ports.ts';
import { Admissions } from '#core/limits/admissions.ts';
import { responseCache } from '#core/models/cache/response-cache.ts';
import type { WasmRunner } from '#core/models/content-policy/ports.ts';
import { providersFrom } from '#core/models/providers/providers.ts';
import { createBreakers } from '#core/models/routing/breakers.ts';
import { DependencyStates } from '#core/observatory/dependency-states.ts';
import type { GatewayPorts } from '#core/operations/ports.ts';
import { Probes } from '#core/session/risk/probes.ts';
import type { AnswerSamplers } from '#features/answer-samplers.ts';
import * as samplers from '#features/answer-samplers.ts';
import * as channelLimits from '#features/channel-limits.ts';
import * as judges from '#features/judges.ts';
import { configurationSchema } from '#features/lazy-configuration.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import type { ValueTracers } from '#features/value-tracers.ts';
import * as tracers from '#features/value-tracers.ts';
import type { ChatEndpointPorts } from '#lambdas/middleware/chat-endpoint.ts';
import { rsaKey } from './rsa-key.ts';
import { intercepted, testStore } from './store.ts';

/** Ports that only some hosts have; a test that needs one of them supplies it. */
const elsewhere = {
  archived: undefined,
  archiving: undefined,
  checkpoints: undefined,
  transparency: undefined,
  hostLimits: undefined,
  loadedConfiguration: undefined,
  calls: undefined,
  texts: undefined,
  links: undefined,
  approvalEvents: undefined,
  rejectedCredentials: undefined,
  consoleUrl: undefined,
  configurationTrouble: undefined,
  projectionLagMs: undefined,
};

export const keys = {
  agent: 'agent-key-1',
  other: 'agent-key-2',
  human: 'human-key-1',
  owner: 'owner-key-1',
  viewer: 'viewer-key-1',
};

export const configuration = (extra = '', admin = '', toolPolicies = '{ pack: pr-writer }', tenants = '') => `
version: 1
admin: { token_env: GATEWAY_ADMIN_TOKEN${admin} }
people:
  - { id: alice, role: operator, tenants: ["*"], slack_id: "T01/U01", github_login: alice-gh }
  - { id: bob, role: operator, tenants: ["*"], github_login: bob-gh }
  - { id: vera, role: viewer, tenants: ["*"], github_login: vera-gh }
  - { id: tess, role: operator, tenants: [elsewhere], github_login: tess-gh }
tenants:
  - id: default
    api_keys:
      - { key: ${keys.agent}, kind: agent, owner: bob, name: writer }
      - { key: ${keys.other}, kind: agent, name: other }
      - { key: ${keys.human}, kind: human, person: alice, name: alice-laptop }
      - { key: ${keys.owner}, kind: human, person: bob, name: bob-laptop }
      - { key: ${keys.viewer}, role: viewer, kind: service, owner: bob, name: ci }
  - id: elsewhere
    api_keys: [{ key: elsewhere-key, kind: agent, name: far }]
${tenants}
tool_policies: ${toolPolicies}
credentials:
  brokers: [{ name: scm, type: scm_app, app_id: "1", private_key_env: SCM_KEY }]
  grants:
    - { protocol: git, tool: "scm.create_pull_request", broker: scm, scope: "pull_requests:write,contents:read", ttl_seconds: 600 }
    - { protocol: git, tool: "scm.get_*", broker: scm, scope: "contents:read", ttl_seconds: 600 }
${extra}`;

export interface TestOptions {
  /** The whole configuration as YAML, instead of the default one. */
  readonly configuration?: string;
  /** YAML appended to the configuration. */
  readonly extra?: string;
  /** Additional members of `admin`, each after a comma. */
  readonly admin?: string;
  /** Replacement for the `pr-writer` pack, as a YAML flow mapping. */
  readonly toolPolicies?: string;
  /** Additional tenants, as lines of the YAML list. */
  readonly tenants?: string;
  readonly executors?: readonly Executor[];
  readonly secrets?: Readonly<Record<string, string>>;
  readonly wasm?: WasmRunner;
  /** A store to use instead of an in-memory one. */
  readonly store?: Store;
}

export type TestPorts = Awaited<ReturnType<typeof testPorts>>;

export async function testPorts(options: TestOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  const rows = testStore();
  const steps = countedSteps(options.store ?? rows);
  const store = { store: steps.store, scan: rows.scan };
  const time = { ms: Date.UTC(2026, 0, 1) };
  const clock = { now: () => time.ms };
  const started: string[] = [];
  const settled: string[] = [];
  const approvalClock: ApprovalClock = {
    start: async (id) => void started.push(id),
    settle: async (token) => void settled.push(token),
  };
  const values: Record<string, string | (() => string)> = {
    GATEWAY_ADMIN_TOKEN: 'admin-token-1',
    SCM_KEY: rsaKey,
    ...options.secrets,
  };
  const secrets = {
    get: async (name: string) => {
      const value = values[name];
      return typeof value === 'function' ? value() : value;
    },
  };
  const objects = folderObjectStore(join(folder, 'objects'));
  const configStore = { ...configTable(store), schema: configurationSchema };
  const packs = packFiles(join(__dirname, '../../policies'));
  const loaded = await loadConfiguration(
    options.configuration ?? configuration(options.extra, options.admin, options.toolPolicies, options.tenants),
    { packs },
  );
  await storeVersion({ configStore, objects, clock }, loaded.configuration, 'test', 'file');
  const snapshots = createSnapshots({ configStore, objects, clock, secrets });
  const lines: string[] = [];
  const telemetry = logTelemetry({ clock, write: (line) => void lines.push(line), service: 'test' });
  const stores = tableStores(store, clock);
  const providers = providersFrom({ http: httpCall, secrets, clock, timeouts: systemTimeouts, bedrock: undefined });
  const providerBreakers = createBreakers();
  const ports: GatewayPorts & ChatEndpointPorts = {
    clock,
    ids: systemIds,
    telemetry,
    secrets,
    providerKeys: secrets,
    objects,
    results: folderObjectStore(join(folder, 'results')),
    definitionTexts: folderObjectStore(join(folder, 'definitions')),
    configStore,
    channelLimits,
    judges: Object.values(judges),
    listedSecretNames: undefined,
    snapshots,
    compileModule: async (bytes) => (await import('#adapters/wasm/module.ts')).compileModule(bytes),
    packs,
    ...stores,
    provenance: (tracers as Partial<ValueTracers>).valueTracer?.({ store: store.store, clock, ids: systemIds }),
    ledger: tableLedger(store),
    signer: await keyFileSigner(join(folder, 'signing-key.pem')),
    votes: await keyFileSigner(join(folder, 'vote-key.pem')),
    probes: new Probes(),
    dependencyStates: new DependencyStates(),
    approvalClock,
    rolloutClock: { start: async () => {} },
    brokers: async (name) =>
      brokersFrom((await snapshots.current()).configuration, {
        secrets,
        clock,
        ids: systemIds,
        tickets: stores.tickets,
        clients: undefined,
      })(name),
    notificationClients,
    effects: lazyEffects,
    ...elsewhere,
    executors: () => options.executors ?? [],
    admissions: new Admissions(clock, () => telemetry.count('svc_credentials_rejected_total', {})),
    tokens: lazyTokens({ clock, documents: issuerDocuments }),
    providers,
    providerBreakers,
    wasm: options.wasm ?? { check: async () => Promise.reject(new Error('no WASM here')) },
    cache: responseCache({ clock, embedder: configuredEmbedder({ snapshots, providers }) }),
    breakers: () => providerBreakers.states(),
    sampler: (samplers as Partial<AnswerSamplers>).answerSampler,
    timeouts: systemTimeouts,
    random: Math.random,
    recentTraces: async () => telemetry.recentTraces(),
    metricsText: () => telemetry.metricsText(),
    adminUrl: 'http://127.0.0.1:8081',
    pause: async (ms) => {
      time.ms += ms;
    },
    version: '0.0.0-test',
    unnamedSessions: sessionsOfProcess('test'),
  };
  await snapshots.current();
  return {
    ports,
    store,
    steps,
    started,
    settled,
    lines,
    telemetry,
    /** Replaces or removes a secret. */
    setSecret: (name: string, value: string | undefined) => {
      if (value === undefined) delete values[name];
      else values[name] = value;
    },
    /** Advances the clock. */
    pass: (seconds: number) => {
      time.ms += seconds * 1000;
    },
    stop: async () => {
      rows.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Counts store calls and sequential steps: overlapping calls share a step. Each lasts one turn, like a call over a
 * network.
 */
function countedSteps(store: Store) {
  const count = { calls: 0, steps: 0, open: 0 };
  const counted = intercepted(store, async (_, __, go) => {
    count.calls++;
    if (count.open++ === 0) count.steps++;
    try {
      await new Promise((resolve) => setImmediate(resolve));
      return await go();
    } finally {
      count.open--;
    }
  });
  return {
    store: counted,
    /** Returns the number of store calls that `work` made, and the sequential steps they took. */
    async during<T>(work: () => Promise<T>): Promise<{ steps: number; calls: number; value: T }> {
      const before = { ...count };
      const value = await work();
      return { steps: count.steps - before.steps, calls: count.calls - before.calls, value };
    },
  };
}
