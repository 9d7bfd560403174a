/**
 * Requests /health every ten milliseconds without waiting for the previous response. It runs in a separate thread, so
 * that the sender's own cost is not attributed to the gateway.
 */
import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

export interface Times {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly failed: number;
}

export interface ProbeTimes {
  readonly gateway: Times;
  /** Times of an otherwise idle process, probed at the same moments: the machine's own latency. */
  readonly idle: Times;
}

const everyMs = 10;

/** A probe that sends requests to one URL until the thread ends. */
class Probe {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 });
  #times: number[] = [];
  #open = new Set<number>();
  #failed = 0;

  constructor(url: string) {
    this.#url = url;
  }

  begin(): void {
    [this.#times, this.#open, this.#failed] = [[], new Set(), 0];
  }

  ask(): void {
    const [began, times, open] = [performance.now(), this.#times, this.#open];
    open.add(began);
    const ended = (well: boolean) => {
      open.delete(began);
      times.push(performance.now() - began);
      if (!well && times === this.#times) this.#failed++;
    };
    request(this.#url, { agent: this.#agent }, (response) =>
      response.resume().once('end', () => ended(response.statusCode === 200)),
    )
      .once('error', () => ended(false))
      .end();
  }

  /** Ends the probe. Requests that are still pending count with the time they have waited so far. */
  end(): Times {
    const late = [...this.#open].map((began) => performance.now() - began);
    const sorted = [...this.#times, ...late].sort((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
    return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), failed: this.#failed };
  }
}

const { gateway, idle } = workerData as { gateway: string; idle: string };
const probes = { gateway: new Probe(`${gateway}/health`), idle: new Probe(idle) };

setInterval(() => {
  probes.gateway.ask();
  probes.idle.ask();
}, everyMs);

parentPort?.on('message', (what: 'begin' | 'end') => {
  if (what === 'end')
    return parentPort?.postMessage({ gateway: probes.gateway.end(), idle: probes.idle.end() } satisfies ProbeTimes);
  probes.gateway.begin();
  probes.idle.begin();
});
