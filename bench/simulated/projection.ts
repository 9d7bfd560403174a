/**
 * The evidence stream as AWS would deliver it, in virtual time: the product's own projection, checkpoints and
 * transparency log, over services that respond after fixed times. Requests and billed units are counted.
 */
import type { S3Client } from '@aws-sdk/client-s3';
import type { DynamoDBRecord } from 'aws-lambda';
import { archiveBucket } from '#adapters/aws/archive-bucket.ts';
import { checkpointBucket } from '#adapters/aws/checkpoint-bucket.ts';
import { toItem } from '#adapters/aws/dynamodb/items.ts';
import { chainQueue } from '#adapters/tables/chain-queue.ts';
import { observationsTable } from '#adapters/tables/observations-table.ts';
import type { Row } from '#adapters/tables/store.ts';
import type { EntryDraft, EvidenceEntry } from '#core/contracts/evidence.ts';
import { chainBatches, chainQueuePrefix, entryBatches } from '#core/contracts/evidence-streams.ts';
import { advanceHead, sealEntry } from '#core/evidence/chain.ts';
import { checkedStretches, checkpointStretches } from '#core/evidence/checkpointer.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { projectEntries } from '#core/observatory/project-entries.ts';
import { coverQueued } from '#lambdas/project/chains.ts';
import { intercepted, testStore } from '../../test/support/store.ts';
import { signer } from '../../test/unit/evidence/sample.ts';
import { importedOfFeatures, type SimulatedLog } from '../of-features.ts';
import { sizeOf, unitsOf } from '../store-rates.ts';
import { createRandom, VirtualTime } from './virtual-time.ts';

export interface EvidenceLoad {
  readonly tenants: number;
  /** Rate for all tenants together. */
  readonly entriesPerSecond: number;
  /** Number of sessions that each tenant has open at the same time. */
  readonly sessions: number;
  readonly seconds: number;
  /** Number of shards in each stream; a table has one shard per partition. */
  readonly shards: number;
  readonly body?: EntryDraft['body'];
}

export interface EvidenceTally {
  readonly entries: number;
  /** Seconds from the time an entry is written to its checkpoint and its leaf in the log. */
  readonly lagSeconds: { readonly p50: number; readonly p99: number; readonly most: number };
  /** Entries that no checkpoint covers at the end. */
  readonly uncovered: number;
  readonly invocations: number;
  readonly gbSeconds: number;
  readonly puts: number;
  readonly gets: number;
  readonly signatures: number;
  readonly writeUnits: number;
  readonly readUnits: number;
}

/** Milliseconds per service request, and CPU time per entry and per session's run of entries (from `npm run bench`). */
const ms = { s3: 25, sign: 15, dynamodb: 6, entryCpu: 0.4, sessionCpu: 0.8, stretchCpu: 0.15 };
const memoryGb = 1;
const cpus = 1024 / 1769;
const startMs = Date.UTC(2026, 0, 1);

export async function simulateProjection(load: EvidenceLoad): Promise<EvidenceTally> {
  const time = new VirtualTime(startMs);
  const clock = { now: time.now };
  const random = createRandom(7);
  const used = { puts: 0, gets: 0, signatures: 0, writeUnits: 0, readUnits: 0, invocations: 0, gbSeconds: 0 };
  const rows = testStore();
  const counted = intercepted(rows, async (method, args, go) => {
    await time.pause(ms.dynamodb);
    const written = method === 'putMany' ? (args[1] as Row[]) : method === 'put' ? [args[1] as Row] : [];
    for (const row of written) used.writeUnits += unitsOf(toItem(row), false);
    if (method === 'update') used.writeUnits++;
    if (method === 'transact') used.writeUnits += 2 * (args[0] as unknown[]).length;
    for (const row of written) if (String(row.series).startsWith(chainQueuePrefix)) deliver(row);
    const found = await go();
    if (method === 'get') used.readUnits += Math.ceil(sizeOf(toItem((found ?? {}) as Row)) / 4_096);
    if (method === 'getMany') used.readUnits += (found as unknown[]).length;
    return found;
  });
  const objects = simulatedObjects();
  const countSignature = async (): Promise<void> => {
    used.signatures++;
    await time.pause(ms.sign);
  };
  const signing = {
    ...signer,
    sign: async (bytes: Uint8Array) => {
      await countSignature();
      return signer.sign(bytes);
    },
  };
  const telemetry = {
    count: () => {},
    log: (level: string, message: string, about: object) =>
      void (level === 'error' && fail(`${message} ${JSON.stringify(about)}`)),
  };
  const fail = (message: string) => {
    throw new Error(message);
  };
  const ids = { uuid: () => String(Math.floor(random() * 1e15)).padStart(15, '0') };
  const [log] = await importedOfFeatures<SimulatedLog>('bench/simulated-log.ts');
  const store = { store: counted };
  const queue = chainQueue({ ...store, clock, ids });

  const waiting = new Map<string, { index: number; at: number }[]>();
  const lags: number[] = [];
  /** Builds the process for a lane, with its own caches. */
  const environment = () => {
    const client = simulatedS3(time, used, objects);
    const archive = archiveBucket({ client, bucket: 'b' });
    const checkpoints = checkpointBucket({ client, bucket: 'b', signer: signing, clock, remembers: true });
    const covering = {
      last: checkpoints.last,
      append: async (points: Parameters<typeof checkpoints.append>[0]) => {
        await checkpoints.append(points);
        for (const { tenant, session_id, index } of points) {
          const own = waiting.get(`${tenant}#${session_id}`) ?? [];
          while (own[0] && own[0].index <= index) lags.push(time.exactly() - own.shift()!.at);
        }
      },
    };
    const observations = observationsTable(store);
    const contradictions = { put: async () => fail('a contradiction') };
    const opened = log?.openSimulatedLog({ client, store, clock, pause: time.pause, signing: countSignature });
    return {
      checkpoints: covering,
      archive,
      log: opened,
      observations,
      clock,
      contradictions,
      telemetry: telemetry as never,
    };
  };

  async function project(own: ReturnType<typeof environment>, entries: readonly EvidenceEntry[]): Promise<void> {
    const sessions = new Set(entries.map(({ session_id }) => session_id)).size;
    await time.pause((entries.length * ms.entryCpu + sessions * ms.sessionCpu) / cpus);
    const failed = await projectEntries(
      {
        observations: own.observations,
        archive: own.archive,
        views: undefined,
        announce: async () => {},
        setAside: { put: async () => fail('set aside') },
        telemetry: own.telemetry,
        pause: time.pause,
        cover: async (all) => queue.put(await checkedStretches(own, all)),
      },
      entries,
    );
    if (failed) throw failed.cause;
  }

  async function cover(own: ReturnType<typeof environment>, all: readonly Row[]): Promise<void> {
    const records = all.map(
      (row): DynamoDBRecord => ({
        dynamodb: { NewImage: { series: { S: String(row.series) }, stretches: { S: String(row.stretches) } } },
      }),
    );
    const stretches = all.reduce((sum, row) => sum + JSON.parse(String(row.stretches)).length, 0);
    await time.pause((stretches * ms.stretchCpu) / cpus);
    const coverStretches = (of: Parameters<typeof checkpointStretches>[1]) => checkpointStretches(own, of);
    await coverQueued({ coverStretches, telemetry: own.telemetry }, records);
  }

  /**
   * Builds a lane of an event source mapping. It runs one invocation at a time, with the records that arrive until its
   * window ends or its batch is full.
   */
  function lane<T>(
    { mostRecords: most, windowSeconds }: typeof entryBatches,
    work: (own: ReturnType<typeof environment>, batch: readonly T[]) => Promise<void>,
  ) {
    const own = environment();
    const buffer: T[] = [];
    let busy = false;
    let due = Number.POSITIVE_INFINITY;
    const look = async (): Promise<void> => {
      if (busy || buffer.length === 0 || (buffer.length < most && time.exactly() < due)) return;
      busy = true;
      due = Number.POSITIVE_INFINITY;
      used.invocations++;
      const begun = time.exactly();
      await work(own, buffer.splice(0, most));
      used.gbSeconds += ((time.exactly() - begun) / 1_000) * memoryGb;
      busy = false;
      if (buffer.length > 0) arm();
    };
    const arm = () => {
      due = time.exactly() + windowSeconds * 1_000;
      time.at(due, () => void look());
      void look();
    };
    return (item: T) => {
      buffer.push(item);
      if (busy) return;
      if (due === Number.POSITIVE_INFINITY) arm();
      else void look();
    };
  }

  const lanes = Array.from({ length: load.shards * entryBatches.lanes }, () => lane(entryBatches, project));
  const writers = Array.from({ length: load.shards }, () => lane<Row>(chainBatches, cover));
  const deliver = (row: Row) => {
    writers[hashOf(String(row.series)) % writers.length]!(row);
  };

  const heads = new Map<string, SessionHead>();
  const gap = 1_000 / load.entriesPerSecond;
  const count = Math.floor(load.entriesPerSecond * load.seconds);
  const place = () => Math.floor(random() * load.sessions);
  for (let n = 0; n < count; n++)
    time.at(startMs + n * gap, () => {
      const tenant = `t${n % load.tenants}`;
      const session_id = `s-${place()}`;
      const id = `${tenant}#${session_id}`;
      const head = heads.get(id);
      const entry = sealEntry(draftOf(tenant, session_id, n, time.now(), load.body), head);
      heads.set(id, advanceHead(head, entry));
      waiting.set(id, [...(waiting.get(id) ?? []), { index: entry.index, at: time.exactly() }]);
      lanes[hashOf(id) % lanes.length]!(entry);
    });
  await time.run(4);
  rows.close();
  const sorted = lags.sort((a, b) => a - b);
  const at = (part: number) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0) / 1_000;
  return {
    ...used,
    entries: count,
    lagSeconds: { p50: at(0.5), p99: at(0.99), most: at(1) },
    uncovered: count - lags.length,
  };
}

const draftOf = (
  tenant: string,
  session_id: string,
  n: number,
  now: number,
  body: EntryDraft['body'] = {},
): EntryDraft => ({
  tenant,
  session_id,
  timestamp: new Date(now).toISOString(),
  kind: 'allow',
  envelope_id: `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  actor: { key_id: 'key-1', agent: 'simulated' },
  body: {
    tool: 'scm.get_file_contents',
    target: 'acme/web',
    capability: 'read',
    matched_rule: 'git:scm.get_*',
    ...body,
  },
});

function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x85ebca6b) >>> 0;
}

interface Input {
  readonly Key?: string;
  readonly Body?: string | Uint8Array;
  readonly Prefix?: string;
}

const simulatedObjects = () => ({
  bodies: new Map<string, string | Uint8Array>(),
  folders: new Map<string, string[]>(),
});

/** Number of requests that an SDK client sends concurrently. */
const sockets = 50;

/** Simulates the part of S3 that the projection uses, through a single process's client. */
function simulatedS3(
  time: VirtualTime,
  used: { puts: number; gets: number },
  { bodies, folders }: ReturnType<typeof simulatedObjects>,
): S3Client {
  const named = (name: string) => Object.assign(new Error(name), { name });
  let free = sockets;
  const waiting: (() => void)[] = [];
  const answered = async (): Promise<void> => {
    if (free === 0) await new Promise<void>((go) => waiting.push(go));
    else free--;
    await time.pause(ms.s3);
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  const send = async (command: { readonly constructor: { readonly name: string }; readonly input: Input }) => {
    const { Key = '', Body = '', Prefix = '' } = command.input;
    const { name } = command.constructor;
    await answered();
    if (name === 'PutObjectCommand') {
      used.puts++;
      if (bodies.has(Key)) throw named('PreconditionFailed');
      bodies.set(Key, Body);
      const folder = Key.slice(0, Key.lastIndexOf('/') + 1);
      folders.set(folder, [...(folders.get(folder) ?? []), Key]);
      return {};
    }
    used.gets++;
    if (name === 'ListObjectsV2Command')
      return { Contents: (folders.get(Prefix) ?? []).toSorted().map((found) => ({ Key: found })) };
    const found = bodies.get(Key);
    if (found === undefined) throw named('NoSuchKey');
    const bytes = Buffer.from(found as string);
    return { Body: { transformToString: async () => bytes.toString(), transformToByteArray: async () => bytes } };
  };
  return { send } as unknown as S3Client;
}
