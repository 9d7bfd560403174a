/** A collector that accepts OTLP traces over gRPC (protobuf) and HTTP (JSON, gzip) and records them. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { Server, ServerCredentials, type ServiceDefinition, status } from '@grpc/grpc-js';
import { type Decoded, decode, type Message } from './protobuf.ts';

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly traceState: string | undefined;
  readonly name: string;
  readonly kind: 'internal' | 'server' | 'client';
  readonly startNs: bigint;
  readonly endNs: bigint;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  readonly flags: number;
  readonly resource: Readonly<Record<string, unknown>>;
  readonly scope: string;
}

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Body as received: compressed. */
  readonly body: Buffer;
}

export interface OtlpReceiver {
  readonly grpcUrl: string;
  readonly httpUrl: string;
  readonly spans: readonly ReceivedSpan[];
  /** Number of spans in each accepted request. */
  readonly batches: readonly number[];
  /** Requests received over HTTP. */
  readonly requests: readonly ReceivedRequest[];
  /** Resolves when this many spans have arrived. */
  received(count: number): Promise<void>;
  /** Sets whether it rejects requests. */
  refuse(yes: boolean): void;
  /** Returns the number of requests rejected so far. */
  readonly refused: () => number;
  stop(): Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const batches: number[] = [];
  const requests: ReceivedRequest[] = [];
  const waiting = new Map<() => void, number>();
  let refusing = false;
  let refusals = 0;
  const take = (request: Decoded): boolean => {
    if (refusing) {
      refusals++;
      return false;
    }
    const came = spansOf(request);
    spans.push(...came);
    batches.push(came.length);
    for (const [wake, count] of waiting) if (spans.length >= count) wake();
    return true;
  };

  const grpc = new Server();
  grpc.addService(traceService, {
    Export: (call: { request: Buffer }, done: (error: object | null, reply?: Buffer) => void) => {
      if (take(decode(call.request, exportRequest))) done(null, Buffer.alloc(0));
      else done({ code: status.RESOURCE_EXHAUSTED, details: 'enough for today' });
    },
  });
  const grpcPort = await new Promise<number>((resolve, reject) =>
    grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    ),
  );

  const http = createServer({ keepAliveTimeout: 0 }, async (incoming, response) => {
    const body = await buffer(incoming);
    requests.push({ path: incoming.url ?? '', headers: incoming.headers, body });
    const plain = incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    const taken = take(JSON.parse(plain.toString('utf8')));
    response.writeHead(taken ? 200 : 429, { 'content-type': 'application/json' }).end('{}');
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');

  return {
    grpcUrl: `http://127.0.0.1:${grpcPort}`,
    httpUrl: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    spans,
    batches,
    requests,
    received: (count) =>
      spans.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.set(resolve, count)),
    refuse(yes) {
      refusing = yes;
    },
    refused: () => refusals,
    async stop() {
      grpc.forceShutdown();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}

const asIs = (bytes: Buffer): Buffer => bytes;

/**
 * Trace service whose messages stay bytes, because this receiver parses them itself instead of using the code that
 * wrote them.
 */
const traceService = {
  Export: {
    path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
    requestStream: false,
    responseStream: false,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  },
} satisfies ServiceDefinition;

// opentelemetry-proto 1.x: trace/v1, common/v1, resource/v1.
const anyValue: Message = {
  1: ['stringValue', 'string'],
  2: ['boolValue', 'bool'],
  3: ['intValue', 'varint'],
  4: ['doubleValue', 'double'],
  5: ['arrayValue', () => ({ 1: ['values[]', anyValue] })],
};
const keyValue: Message = { 1: ['key', 'string'], 2: ['value', anyValue] };
const resource: Message = { 1: ['attributes[]', keyValue], 2: ['droppedAttributesCount', 'varint'] };
const scope: Message = { 1: ['name', 'string'], 2: ['version', 'string'] };
const span: Message = {
  1: ['traceId', 'hex'],
  2: ['spanId', 'hex'],
  3: ['traceState', 'string'],
  4: ['parentSpanId', 'hex'],
  5: ['name', 'string'],
  6: ['kind', 'varint'],
  7: ['startTimeUnixNano', 'fixed64'],
  8: ['endTimeUnixNano', 'fixed64'],
  9: ['attributes[]', keyValue],
  10: ['droppedAttributesCount', 'varint'],
  12: ['droppedEventsCount', 'varint'],
  14: ['droppedLinksCount', 'varint'],
  15: ['status', { 2: ['message', 'string'], 3: ['code', 'varint'] }],
  16: ['flags', 'fixed32'],
};
const scopeSpans: Message = { 1: ['scope', scope], 2: ['spans[]', span] };
const exportRequest: Message = {
  1: ['resourceSpans[]', { 1: ['resource', resource], 2: ['scopeSpans[]', scopeSpans] }],
};

const kinds = { 1: 'internal', 2: 'server', 3: 'client' } as const;

/** Converts both request formats, and the Collector's output, to the same spans. */
export function spansOf(request: Decoded): ReceivedSpan[] {
  return request.resourceSpans.flatMap(({ resource: shared, scopeSpans: scopes }: Decoded) =>
    scopes.flatMap(({ scope: by, spans: list }: Decoded) =>
      list.map((one: Decoded) => ({
        traceId: one.traceId,
        spanId: one.spanId,
        parentSpanId: one.parentSpanId,
        traceState: one.traceState,
        name: one.name,
        kind: kinds[one.kind as keyof typeof kinds],
        startNs: BigInt(one.startTimeUnixNano),
        endNs: BigInt(one.endTimeUnixNano),
        attributes: attributesOf(one.attributes),
        failed: one.status?.code === 2,
        flags: one.flags,
        resource: attributesOf(shared.attributes),
        scope: `${by.name}@${by.version}`,
      })),
    ),
  );
}

const attributesOf = (list: readonly Decoded[]): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, plainOf(value)]));

function plainOf(value: Decoded): unknown {
  if (value.arrayValue) return value.arrayValue.values.map(plainOf);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.boolValue ?? value.doubleValue;
}
