/**
 * `npm run bench -- --soak-minutes 30`: sixteen callers of whole and streamed chats, actions, approvals used twice
 * concurrently, and MCP tools, while the gateway is killed twenty times. Exits with 1 on the first acknowledged call
 * that is lost or ran twice, or on the first invalid chain.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startChild } from '../host.ts';
import { configuration } from './configuration.ts';
import { SoakedGateway } from './gateway.ts';
import { Traffic } from './traffic.ts';
import { verifyRound } from './verify.ts';

const kills = 20;

/** @param minutes how long the traffic runs, excluding the checks in between. */
export async function benchSoak(minutes: number): Promise<void> {
  const state = await mkdtemp(join(tmpdir(), 'gateway-soak-'));
  const [provider, mcp, jobs] = await Promise.all(
    ['provider', 'mcp', 'counting'].map((name) => startChild(`bench/${name}-server.ts`, [])),
  );
  const config = join(state, 'gateway.yaml');
  const behind = { provider: provider!.ready.port, mcp: mcp!.ready.port, jobs: jobs!.ready.port };
  await writeFile(config, configuration(behind));
  const gateway = new SoakedGateway(config, join(state, 'state'));
  try {
    await gateway.start();
    for (let round = 1; round <= kills; round++) {
      const traffic = new Traffic(gateway, round);
      traffic.start();
      // Between half and one and a half times its share of the time, so that kills meet every step of a call.
      await pause((0.5 + Math.random()) * ((minutes * 60_000) / kills));
      await gateway.killAndStart();
      const noted = await traffic.end();
      await verifyRound(gateway.urls.admin, behind.jobs, noted);
      console.log(lineOf(round, noted, gateway));
    }
    console.log('no call was lost or ran twice, and every chain is valid');
  } finally {
    await gateway.stop();
    await Promise.all([provider, mcp, jobs].map((child) => child?.stop()));
    await rm(state, { recursive: true, force: true });
  }
}

const lineOf = (
  round: number,
  noted: { readonly calls: number; readonly cut: number },
  { memory, starts }: SoakedGateway,
): string =>
  [
    `round ${round} of ${kills}: ${noted.calls.toLocaleString('en')} calls`,
    `${noted.cut} cut off by the kill`,
    `${memory.at(-1)} MB before it`,
    `ready again after ${Math.round(starts.at(-1) ?? 0)} ms`,
  ].join(', ');
