/**
 * The cost of telemetry per chat call. The same calls are made to one gateway in blocks, with spans, metrics and log
 * lines alternately on and off, so that other load on the machine affects both equally.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chatBody, chatConfiguration } from './chat.ts';
import { type Child, startChild } from './host.ts';
import { load } from './load.ts';
import type { CpuUsage, TelemetrySwitch } from './switched-telemetry.ts';

const pairs = 80;
const callsOfBlock = 100;
const ports = ['--gateway-port', '0', '--admin-port', '0', '--mcp-port', '0', '--edge-port', '0'];

export async function benchTelemetry(): Promise<Record<string, number>> {
  const state = await mkdtemp(join(tmpdir(), 'gateway-bench-'));
  const provider = await startChild('bench/provider-server.ts', []);
  const started: Child[] = [provider];
  try {
    const config = join(state, 'gateway.yaml');
    await writeFile(config, chatConfiguration(provider.ready.port));
    const gateway = await startChild('bin/local.ts', ['--state', join(state, 's'), '--config', config, ...ports], {
      loadedFirst: new URL('./telemetry-switch.ts', import.meta.url),
      env: { GATEWAY_COMPILED: '0' }, // modules can be replaced only if they are not bundled
    });
    started.push(gateway);
    const calls = {
      url: `${gateway.ready.gateway_url}/v1/chat/completions`,
      headers: { 'x-api-key': 'bench-key' },
      body: chatBody(false),
      concurrency: 16,
    };
    await load({ ...calls, requests: 1_500 });
    return await figuresOf(gateway, () => load({ ...calls, requests: callsOfBlock }));
  } finally {
    for (const child of started.reverse()) await child.stop();
    await rm(state, { recursive: true, force: true });
  }
}

async function figuresOf(gateway: Child, block: () => ReturnType<typeof load>): Promise<Record<string, number>> {
  const taken: Record<'on' | 'off', number[]> = { on: [], off: [] };
  for (let n = 0; n < 2 * pairs; n++) {
    // On, off, off, on: a slow drift affects both equally.
    const on = n % 4 === 0 || n % 4 === 3;
    const before = await switchTelemetry(gateway, on);
    const { failed } = await block();
    if (failed > 0) throw new Error(`${failed} of ${callsOfBlock} calls failed`);
    taken[on ? 'on' : 'off'].push((await switchTelemetry(gateway, on)) - before);
  }
  const [on, off] = [median(taken.on), median(taken.off)];
  // Blocks of a pair run one after the other, so that other load on the machine affects both.
  const share = median(taken.on.map((each, n) => 1 - taken.off[n]! / each));
  return {
    'chat call with telemetry: processor time, ms': on / callsOfBlock,
    'without: processor time, ms': off / callsOfBlock,
    'share of telemetry in a call, %': 100 * share,
  };
}

/** Turns telemetry on or off. @returns the gateway's CPU time so far, in ms */
async function switchTelemetry({ process: child }: Child, on: boolean): Promise<number> {
  child.send({ on } satisfies TelemetrySwitch);
  const [{ cpuMs }] = (await once(child, 'message')) as [CpuUsage];
  return cpuMs;
}

const median = (all: readonly number[]): number => all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!;
