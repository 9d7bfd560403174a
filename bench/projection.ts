/**
 * What the consumer of the evidence stream takes on AWS: its own code and the AWS SDK over services that answer after the
 * milliseconds below. Waiting and CPU are measured apart, for a function of 1,024 MB has 0.58 of a CPU.
 */
import { generateKeyPairSync, sign } from 'node:crypto';
import { Readable } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { archiveBucket } from '#adapters/aws/archive-bucket.ts';
import { checkpointBucket } from '#adapters/aws/checkpoint-bucket.ts';
import { observationsTable } from '#adapters/dynamodb/observations-table.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { TableName } from '#core/contracts/tables.ts';
import { advanceHead, sealEntry } from '#core/evidence/chain.ts';
import { checkpointEntries } from '#core/evidence/checkpointer.ts';
import type { SessionHead, Signer } from '#core/evidence/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { createHandler } from '../lambdas/project/event.ts';

const cpus = 1024 / 1769;
/** `parallelizationFactor` of the event source mapping, and its batch size. */
const lanes = 10;
const batchSize = 100;
const warmBatches = 20;
const batches = 60;
/** Milliseconds a service takes to answer. */
const latency = { s3: 40, sign: 15, dynamodb: 8 };

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Answers what the SDK sends, after a while. */
const answering = (ms: number, body: (target: string) => string) => ({
  handle: async (request: { headers: Record<string, string>; method: string }) => {
    await pause(ms);
    const target = request.headers['x-amz-target'] ?? request.method;
    return {
      response: {
        statusCode: 200,
        headers: { 'content-type': 'application/x-amz-json-1.0' },
        body: Readable.from([Buffer.from(body(target))]),
      },
    };
  },
});

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const signer: Signer = {
  keyId: 'bench',
  async sign(message) {
    await pause(latency.sign);
    return sign('sha256', message, privateKey).toString('base64');
  },
  publicKey: async () => publicKey.export({ type: 'spki', format: 'pem' }).toString(),
};

function handler() {
  const shared = { region: 'us-east-1', credentials: { accessKeyId: 'k', secretAccessKey: 's' } };
  const listing = '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>';
  const client = new S3Client({
    ...shared,
    requestHandler: answering(latency.s3, (method) => (method === 'GET' ? listing : '')) as never,
  });
  const dynamo = new DynamoDBClient({ ...shared, requestHandler: answering(latency.dynamodb, () => '{}') as never });
  const telemetry = logTelemetry({ clock: systemClock, write: () => {}, service: 'bench' });
  const archive = archiveBucket({ client, bucket: 'archive' });
  const checkpoints = checkpointBucket({ client, bucket: 'archive', signer, clock: systemClock, remembers: true });
  const tables = { observations: 'observations' } as Record<TableName, string>;
  return createHandler({
    archive,
    telemetry,
    announce: async () => {},
    observations: observationsTable({ client: dynamo, tables }),
    setAside: { put: async () => {} },
    pause: async () => {},
    cover: (entries) => checkpointEntries({ checkpoints, archive, telemetry, log: undefined }, entries),
  });
}

/** Sessions of a lane each get an entry in turn. */
function* entriesOf(sessions: number): Generator<EvidenceEntry, never> {
  const heads = new Map<number, SessionHead>();
  for (let n = 0; ; n++) {
    const session = n % sessions;
    const head = heads.get(session);
    const entry = sealEntry(chatDraft(session, n), head);
    heads.set(session, advanceHead(head, entry));
    yield entry;
  }
}

const chatDraft = (session: number, n: number) => ({
  tenant: 'default',
  session_id: `s-${session}`,
  timestamp: new Date(1_767_225_600_000 + n).toISOString(),
  kind: 'chat' as const,
  envelope_id: `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  actor: { key_id: 'key-1', agent: 'bench' },
  body: {
    dialect: 'openai',
    model: 'fast',
    resolved_model: 'gpt-4o',
    provider: 'openai',
    outcome: 'completed',
    stream: false,
    usage: { input_tokens: 900, output_tokens: 240 },
    cost_microusd: 4_650,
    latency_ms: 2_000,
    cache: 'MISS',
    attempts: [],
    findings: [],
  },
});

/** Batches made beforehand, so that sealing is not measured. */
function batchesOf(sessions: number, count: number) {
  const entries = entriesOf(sessions);
  return Array.from({ length: count }, () => ({
    Records: Array.from({ length: batchSize }, () => {
      const entry = entries.next().value;
      return {
        eventName: 'INSERT' as const,
        dynamodb: { SequenceNumber: entry.hash, NewImage: { entry: { S: canonicalize(entry) } } },
      };
    }),
  }));
}

async function lane(sessions: number): Promise<{ cpuMs: number; waitedMs: number }> {
  const project = handler();
  const made = batchesOf(sessions, warmBatches + batches);
  for (const batch of made.slice(0, warmBatches)) await project(batch);
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  for (const batch of made.slice(warmBatches)) {
    const { batchItemFailures } = await project(batch);
    if (batchItemFailures.length > 0) throw new Error('a batch was not projected');
  }
  const wallMs = (performance.now() - start) / batches;
  const { user, system } = process.cpuUsage(cpu);
  const cpuMs = (user + system) / 1000 / batches;
  return { cpuMs, waitedMs: Math.max(0, wallMs - cpuMs) };
}

/** Figures by name; every name carries its unit. */
export async function benchProjection(): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const sessions of [1, 10, 100]) {
    const { cpuMs, waitedMs } = await lane(sessions);
    figures[`CPU an entry, ${sessions} sessions a batch (ms)`] = cpuMs / batchSize;
    figures[`entries a second and shard, ${sessions} sessions a batch`] =
      (lanes * batchSize * 1000) / (waitedMs + cpuMs / cpus);
  }
  return figures;
}
