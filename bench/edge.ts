/**
 * Latency that this machine's edge adds to a request: the same path at the gateway's own listener and through the edge,
 * for each protocol, with one caller.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent as PlainAgent, request as plainRequest } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChild } from './host.ts';

const configuration = `
version: 1
tenants: [{ id: default, api_keys: [{ key: bench-key, kind: agent, name: bench }] }]
edge: { rate_limit: { per_address: { per_second: 1000000, burst: 1000000 } } }
`;

/** Number of rounds. Protocols take turns, so that other load on the machine affects all of them equally. */
const rounds = 8;
const requestsARound = 250;
const unmeasured = 25;

/** Function that sends one request and resolves when its response has ended. */
type Ask = () => Promise<number>;

export async function benchEdge(): Promise<Record<string, number>> {
  const state = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const config = join(state, 'gateway.yaml');
  await writeFile(config, configuration);
  const ports = ['--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0', '--edge-port', '0'];
  const gateway = await startChild('bin/local.ts', ['--config', config, '--state', state, ...ports]);
  const sessions: ClientHttp2Session[] = [];
  try {
    const { gateway_url, edge_url, edge_h2c_url, edge_certificate } = gateway.ready as Record<string, string>;
    const ca = await readFile(edge_certificate!);
    const agents = {
      plain: new PlainAgent({ keepAlive: true, maxSockets: 1 }),
      tls: new Agent({ keepAlive: true, maxSockets: 1, ca }),
    };
    const open = (url: string, options = {}): Ask => {
      let session: ClientHttp2Session | undefined;
      return () => {
        // The edge closes connections that were idle while the other protocols had their turn.
        if (!session || session.closed || session.destroyed) {
          session = connect(url, options);
          session.on('error', () => {});
          sessions.push(session);
        }
        return overHttp2(session);
      };
    };
    const asks: Readonly<Record<string, Ask>> = {
      direct: () => responseEnd(plainRequest(`${gateway_url}/health`, { agent: agents.plain })),
      'HTTP/1.1 over TLS': () => responseEnd(request(`${edge_url}/api/health`, { agent: agents.tls })),
      'HTTP/2 over TLS': open(edge_url!, { ca }),
      'HTTP/2 in clear text': open(edge_h2c_url!),
    };
    const times = await measureAll(asks);
    agents.plain.destroy();
    agents.tls.destroy();
    const middle = (name: string, share = 0.5): number => at(times.get(name) ?? [], share);
    const figures: Record<string, number> = { 'direct, p50 ms': middle('direct') };
    for (const name of Object.keys(asks)) {
      if (name === 'direct') continue;
      figures[`${name}, added p50 ms`] = middle(name) - middle('direct');
      figures[`${name}, added p99 ms`] = middle(name, 0.99) - middle('direct', 0.99);
    }
    return figures;
  } finally {
    for (const session of sessions) session.destroy();
    await gateway.stop();
    await rm(state, { recursive: true, force: true });
  }
}

async function measureAll(asks: Readonly<Record<string, Ask>>): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>(Object.keys(asks).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++)
    for (const [name, ask] of Object.entries(asks))
      for (let n = 0; n < requestsARound; n++) {
        const from = performance.now();
        const status = await ask();
        const took = performance.now() - from;
        if (status !== 200) throw new Error(`${name} answered ${status}`);
        // The first round warms up both sides; the first requests of each round open a connection.
        if (round > 0 && n >= unmeasured) times.get(name)!.push(took);
      }
  return times;
}

const responseEnd = (call: ReturnType<typeof plainRequest>): Promise<number> =>
  new Promise((resolve, reject) => {
    call.once('response', (response) => response.resume().once('end', () => resolve(response.statusCode ?? 0)));
    call.once('error', reject).end();
  });

const overHttp2 = (session: ClientHttp2Session): Promise<number> =>
  new Promise((resolve, reject) => {
    const stream = session.request({ ':path': '/api/health' });
    let status = 0;
    stream.once('response', (headers) => {
      status = Number(headers[':status']);
    });
    stream
      .once('error', reject)
      .resume()
      .once('end', () => resolve(status));
    stream.end();
  });

const at = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0;
