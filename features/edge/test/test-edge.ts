/** An edge in this process in front of real test listeners, and clients for each protocol. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '#adapters/system/clock.ts';
import { systemIds } from '#adapters/system/ids.ts';
import { type LogTelemetry, logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { buildIdentities } from '#core/configuration/identity/identities.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import type { Serve } from '../../../bin/local/http-server.ts';
import { type Certificate, keptCertificate } from '../host/certificate.ts';
import { startEdge } from '../host/edge.ts';
import { section } from '../section.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

export interface TestEdge {
  readonly tlsPort: number;
  readonly cleartextPort: number;
  readonly certificate: Certificate;
  readonly telemetry: LogTelemetry;
  /** The upstream listeners, which tests can close to simulate an outage. */
  readonly upstream: Server;
  h1(path: string, sent?: Sent): Promise<Answer>;
  h2(path: string, sent?: Sent): Promise<Answer>;
  h2c(path: string, sent?: Sent): Promise<Answer>;
  stop(): Promise<void>;
}

export const edgeToken = 'token-of-the-edge';
export const criticalKey = 'key-of-the-pager';
export const plainKey = 'key-of-an-agent';

/** @param settings `edge` settings in the configuration. @param unknown whether the configuration cannot be read. */
export async function testEdge(
  upstream: RequestListener,
  settings: object = {},
  unknown?: Error,
  unreadMs?: number,
  sessionIdleMs?: number,
): Promise<TestEdge> {
  const behind = createServer({ keepAliveTimeout: 0 }, upstream).listen(0, '127.0.0.1');
  await once(behind, 'listening');
  const url = `http://127.0.0.1:${(behind.address() as AddressInfo).port}`;
  const behindIt = { url, serve: async (...call: Parameters<Serve>) => void upstream(...call) };
  const state = mkdtempSync(join(tmpdir(), 'edge-'));
  const certificate = await keptCertificate(state, '127.0.0.1', systemClock.now());
  const telemetry = logTelemetry({ clock: systemClock, service: 'edge', write: () => {} });
  const snapshot = snapshotWith(settings);
  const edge = await startEdge({
    host: '127.0.0.1',
    tlsPort: 0,
    cleartextPort: 0,
    certificate,
    upstreams: { gateway: behindIt, admin: behindIt, mcp: behindIt },
    snapshot: async () => {
      if (unknown) throw unknown;
      return snapshot;
    },
    telemetry,
    clock: systemClock,
    ids: systemIds,
    token: edgeToken,
    unreadMs,
    sessionIdleMs,
  });
  const { tlsPort, cleartextPort } = edge;
  const sessions = new Map<string, ClientHttp2Session>();
  const session = (origin: string): ClientHttp2Session => {
    const known = sessions.get(origin);
    if (known && !known.closed && !known.destroyed) return known;
    const made = connect(origin, { ca: certificate.cert });
    made.on('error', () => {});
    sessions.set(origin, made);
    return made;
  };
  return {
    tlsPort,
    cleartextPort,
    certificate,
    telemetry,
    upstream: behind,
    h1: (path, sent) => overH1(tlsPort, certificate.cert, path, sent),
    h2: (path, sent) => overH2(session(`https://localhost:${tlsPort}`), path, sent),
    h2c: (path, sent) => overH2(session(`http://localhost:${cleartextPort}`), path, sent),
    stop: async () => {
      for (const open of sessions.values()) open.destroy();
      await edge.drain(100);
      behind.closeAllConnections();
      behind.close();
      rmSync(state, { recursive: true, force: true });
    },
  };
}

function snapshotWith(settings: object): Snapshot {
  const key = { tenant: 'default', role: 'operator', kind: 'agent' } as const;
  const { identities } = buildIdentities({
    keys: [
      { ...key, key_sha256: sha256(plainKey) },
      { ...key, key_sha256: sha256(criticalKey), priority: 'critical' },
    ],
    people: [],
    firstTenant: 'default',
  });
  return { configuration: { identity: {}, edge: section.edge.parse(settings) }, identities } as unknown as Snapshot;
}

function overH1(port: number, ca: string, path: string, { method, headers, body }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest({
      host: 'localhost',
      servername: 'localhost',
      port,
      path,
      ca,
      agent: false,
      method: method ?? 'GET',
      headers,
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.end(body);
  });
}

function overH2(session: ClientHttp2Session, path: string, { method, headers, body }: Sent = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request(
      { ':path': path, ':method': method ?? 'GET', ...headers },
      { endStream: body === undefined },
    );
    const chunks: Buffer[] = [];
    let answered: IncomingHttpHeaders & { ':status'?: number | undefined } = {};
    stream.on('response', (given) => {
      answered = given;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => {
      if (stream.rstCode !== 0) return reject(new Error(`reset with ${stream.rstCode}`));
      resolve({ status: answered[':status'] ?? 0, headers: answered, body: Buffer.concat(chunks).toString() });
    });
    if (body !== undefined) stream.end(body);
  });
}
