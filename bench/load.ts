/** A bounded load on one loopback address: N requests in total, C at a time, over keep-alive connections. */
import { Agent, request } from 'node:http';

/**
 * Number of calls after which V8 has compiled most of the code that handles a call, as in a long-running process. After
 * 5,000 calls, compiling still takes a quarter of the CPU time of a chat call. The first calls have separate figures.
 */
export const warmUpCalls = 20_000;

export interface Load {
  readonly url: string;
  readonly headers?: Record<string, string>;
  readonly body: (n: number) => string;
  readonly requests: number;
  readonly concurrency: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Time until the first bytes of the body. */
  readonly firstP50Ms: number;
  readonly firstP99Ms: number;
  readonly failed: number;
}

export async function load({ url, headers = {}, body, requests, concurrency }: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const times: number[] = [];
  const firsts: number[] = [];
  let failed = 0;
  let next = 0;
  const one = (text: string) =>
    new Promise<number>((resolve, reject) => {
      const from = performance.now();
      const sent = {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
        ...headers,
      };
      const call = request(url, { method: 'POST', agent, headers: sent }, (response) => {
        response.once('data', () => firsts.push(performance.now() - from));
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      });
      call.once('error', reject).end(text);
    });
  const worker = async () => {
    while (next < requests) {
      const text = body(next++);
      const from = performance.now();
      const status = await one(text).catch(() => 0);
      times.push(performance.now() - from);
      if (status !== 200) failed++;
    }
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  const seconds = (performance.now() - from) / 1000;
  agent.destroy();
  return {
    perSecond: requests / seconds,
    p50Ms: at(times, 0.5),
    p99Ms: at(times, 0.99),
    firstP50Ms: at(firsts, 0.5),
    firstP99Ms: at(firsts, 0.99),
    failed,
  };
}

function at(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
