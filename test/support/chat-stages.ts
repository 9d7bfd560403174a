/**
 * The stages of a chat call without a store: limits and sessions are values of the test, the ledger keeps real entries of one
 * chain a session, and the provider says what the test scripts.
 */
import { join } from 'node:path';
import { packFiles } from '#adapters/files/pack-files.ts';
import type { Answering } from '#core/chat/answering.ts';
import { type ChatRequest, openCall } from '#core/chat/call.ts';
import {
  type AdmittedCall,
  type ApprovedCall,
  type KnownCall,
  type LookedUpCall,
  type RunningCall,
  type ScreenedCall,
  startCall,
} from '#core/chat/call-stages.ts';
import type { ChatPorts } from '#core/chat/ports.ts';
import { StageFailure } from '#core/chat/stage-failure.ts';
import { authenticate } from '#core/configuration/identity/authenticate.ts';
import { loadConfiguration } from '#core/configuration/load/load.ts';
import { buildPolicyDocument } from '#core/configuration/load/policy-document.ts';
import { identitiesOf, keyDigests, resolvedSecrets } from '#core/configuration/store/secrets.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { advanceHead, sealEntry } from '#core/evidence/chain.ts';
import type { Change, Ledger, SessionHead } from '#core/evidence/ports.ts';
import { AsyncQueue } from '#core/kernel/async-queue.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { ReserveOutcome, ReserveRequest, Settlement } from '#core/limits/ports.ts';
import { ngramEmbedder } from '#core/models/cache/ngram-embedder.ts';
import { responseCache } from '#core/models/cache/response-cache.ts';
import { contentPolicyOf } from '#core/models/content-policy/policy-of.ts';
import type { Provider, ProviderCall, ProviderReply, ResourceCall } from '#core/models/providers/ports.ts';
import { createBreakers } from '#core/models/routing/breakers.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import type { Loose } from './loose.ts';
import { woundTimeouts } from './wound-timeouts.ts';

const key = 'stage-key-1';
const packs = packFiles(join(__dirname, '../../policies'));

const configurationOf = (extra: string) => `
version: 1
admin: { token_env: GATEWAY_ADMIN_TOKEN }
people: [{ id: alice, role: operator, tenants: ["*"] }]
tenants:
  - id: default
    api_keys: [{ key: ${key}, kind: agent, name: writer }]
providers:
  - { name: first, type: openai, base_url: "http://127.0.0.1:1", api_key_env: FIRST_KEY, models: [m] }
  - { name: second, type: mock, models: [echo] }
${extra}`;

/** @param extra further keys of the configuration, as YAML. */
async function snapshotOf(extra: string) {
  const { configuration } = await loadConfiguration(configurationOf(extra), { packs });
  const policyDocument = buildPolicyDocument(configuration);
  const digests = await keyDigests(configuration, { get: async () => undefined });
  const { identities, warnings } = identitiesOf(configuration, resolvedSecrets(configuration, digests), []);
  const policy = compilePolicy(policyDocument);
  return { version: 3, sha256: '0'.repeat(64), configuration, policyDocument, policy, identities, warnings };
}

/** What a provider of chat completions answers. */
export const completion = (content: string, over: Loose = {}): JsonObject => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
  ...over,
});

/** The same as events of a stream. */
export const chunks = (...texts: readonly string[]): JsonObject[] => {
  const event = (delta: JsonObject, finish_reason: string | null = null, more: JsonObject = {}): JsonObject => ({
    ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', model: 'm' },
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  });
  const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
  const last: JsonObject = { id: 'chatcmpl-1', object: 'chat.completion.chunk', model: 'm', choices: [], usage };
  return [...texts.map((content) => event({ content })), event({}, 'stop'), last];
};

export async function* streamOf(...events: readonly (JsonObject | Error)[]): AsyncGenerator<JsonObject> {
  for (const event of events) {
    if (event instanceof Error) throw event;
    yield event;
  }
}

export type StageSetting = Awaited<ReturnType<typeof stageSetting>>;

/** One configuration, and ports whose answers the test sets. */
export async function stageSetting(extra = '', over: Partial<ChatPorts> = {}) {
  const snapshot = await snapshotOf(extra);
  const script = {
    reserved: { ok: true, limits: {}, budgets: [] } as ReserveOutcome,
    head: undefined as SessionHead | undefined,
    /** What stands against the key. */
    risk: undefined as Loose,
    answer: async (_call: ProviderCall): Promise<ProviderReply> => ({ type: 'json', body: completion('Hi.') }),
    post: async (_endpoint: string, _call: ProviderCall): Promise<JsonObject> => ({}),
    resource: async (_call: ResourceCall): Promise<JsonObject> => ({ id: 'theirs-1' }),
    put: async (_row: Loose): Promise<void> => {},
  };
  const seen = {
    reserves: [] as ReserveRequest[],
    began: [] as string[],
    settled: [] as Settlement[],
    asked: [] as ProviderCall[],
    resources: [] as ResourceCall[],
    rows: [] as Loose[],
    counts: [] as string[],
    logs: [] as string[],
    spans: [] as { name: string; attributes: Loose }[],
  };
  const now = { ms: Date.UTC(2026, 0, 1) };
  const clock = { now: () => now.ms };
  const timers = woundTimeouts();
  const ledger = chainLedger();
  const provider: Provider = {
    name: 'first',
    type: 'openai',
    dialect: 'openai',
    call: (call) => {
      seen.asked.push(call);
      return script.answer(call);
    },
    post: (endpoint, call) => script.post(endpoint, call),
    resource: (call) => {
      seen.resources.push(call);
      return script.resource(call);
    },
    download: async () => undefined,
  };
  const ports = {
    clock,
    ids: { uuid: () => crypto.randomUUID() },
    telemetry: telemetryOf(seen),
    snapshots: { current: async () => snapshot, refresh: async () => snapshot },
    evidence: { head: async () => script.head },
    keyRisks: { of: async () => script.risk, update: async () => {} },
    ledger,
    counters: {
      reserve: async (request: ReserveRequest) => {
        seen.reserves.push(request);
        return script.reserved;
      },
      begin: async (_tenant: string, id: string) => void seen.began.push(id),
      extend: async () => {},
      settle: async (_tenant: string, _id: string, settlement: Settlement) => void seen.settled.push(settlement),
    },
    providers: { get: async () => provider },
    providerBreakers: createBreakers(),
    batchStore: {
      put: async (row: Loose) => {
        await script.put(row);
        seen.rows.push(row);
      },
    },
    cache: responseCache({ clock, embedder: ngramEmbedder() }),
    wasm: { check: async () => Promise.reject(new Error('no WASM here')) },
    rolloutsInForce: Object.assign(async () => [], { forget: () => {} }),
    timeouts: timers,
    random: () => 0.5,
    pause: async () => {},
    ...{ texts: undefined, hostLimits: undefined, provenance: undefined, cancellations: undefined, links: undefined },
    adminUrl: 'http://127.0.0.1:8081',
    ...over,
  } as unknown as ChatPorts;
  const policy = await contentPolicyOf(snapshot.configuration, 'default', ports);
  const leaving = new AbortController();

  const running = (body: JsonObject = {}, request: Partial<ChatRequest> = {}): RunningCall => {
    const call = openCall(
      snapshot,
      {
        dialect: 'openai',
        body: { model: 'm', messages: [{ role: 'user', content: 'Hello.' }], ...body },
        principal: authenticate({ 'x-api-key': key }, snapshot.identities),
        ...{ sessionId: 's-1', requestId: 'r-1', transport: 'http', passed: {}, signal: leaving.signal },
        ...request,
      },
      '11111111-2222-3333-4444-555555555555',
    );
    return startCall(call, ports.clock);
  };
  const admitted = (body: JsonObject = {}, request: Partial<ChatRequest> = {}): AdmittedCall => ({
    ...running(body, request),
    ...{ reserved: true, startNoted: false, limitHeaders: {}, head: null, requestSha256: 'as-it-came' },
    standing: { session: undefined, key: undefined },
  });
  const screened = (body: JsonObject = {}, request: Partial<ChatRequest> = {}): ScreenedCall => {
    const call = admitted(body, request);
    return { ...call, body: call.call.body, lines: [], inputVerdict: { decision: 'allow', findings: [] } };
  };
  const approved = (body: JsonObject = {}, request: Partial<ChatRequest> = {}): ApprovedCall => ({
    ...screened(body, request),
    approval: undefined,
  });
  const looked = (body: JsonObject = {}, request: Partial<ChatRequest> = {}): LookedUpCall => ({
    ...approved(body, request),
    lookup: undefined,
  });
  return {
    ...{ ports, policy, snapshot, script, seen, now, timers, ledger, provider },
    ...{ running, admitted, screened, approved, looked },
    leave: (reason?: unknown) => leaving.abort(reason),
  };
}

/** Where stages put the answer. */
export function keptAnswer() {
  const kept = {
    json: undefined as { readonly status: number; readonly body: JsonObject } | undefined,
    events: [] as JsonObject[],
    /** What was known when the stream began. */
    began: undefined as KnownCall | undefined,
  };
  const queue = new AsyncQueue<JsonObject>();
  queue.write = (event) => {
    kept.events.push(event);
    return undefined;
  };
  const answering: Answering = {
    stream(known) {
      kept.began ??= known;
      return queue;
    },
    json: (status, body) => {
      kept.json = { status, body };
    },
    events: (_status, events) => void kept.events.push(...events),
  };
  return { ...kept, answering, kept };
}

/** The failure that a stage ends its call with; other faults fail the test. */
export const failureOf = (stage: Promise<unknown>): Promise<StageFailure> =>
  stage.then(
    () => Promise.reject(new Error('the stage did not end the call')),
    (thrown: unknown) => (thrown instanceof StageFailure ? thrown : Promise.reject(thrown)),
  );

/** A chain for each session, in memory, of entries as the real ledger seals them. */
function chainLedger(): Ledger & { readonly entries: EvidenceEntry[]; readonly changes: Change[] } {
  const heads = new Map<string, SessionHead>();
  const entries: EvidenceEntry[] = [];
  const changed: Change[] = [];
  return {
    entries,
    changes: changed,
    commit: async ({ draft, changes = [], owner }) => {
      const session = `${draft.tenant}/${draft.session_id}`;
      const entry = sealEntry(draft, heads.get(session));
      const head = advanceHead(heads.get(session), entry, owner);
      heads.set(session, head);
      entries.push(entry);
      changed.push(...changes);
      return { ok: true, entry, head };
    },
  };
}

function telemetryOf(seen: {
  readonly counts: string[];
  readonly logs: string[];
  readonly spans: { name: string; attributes: Loose }[];
}): Loose {
  return {
    span: async (name: string, attributes: Loose, work: (span: Loose) => Promise<unknown>) => {
      const span = { name, attributes: { ...attributes } };
      seen.spans.push(span);
      return work({ traceId: 't-1', elapsedUs: () => 0, set: (more: Loose) => Object.assign(span.attributes, more) });
    },
    continued: (_from: unknown, work: () => unknown) => work(),
    outgoing: () => ({}),
    count: (name: string, labels: Record<string, string>) => {
      seen.counts.push([name, ...Object.values(labels)].join(' '));
    },
    gauge: () => {},
    observe: () => {},
    log: (_level: string, message: string) => void seen.logs.push(message),
  };
}
