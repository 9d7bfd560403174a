/**
 * `npm run bench -- --soak-minutes 30`: whole and streamed chats, actions, approvals used by two callers concurrently,
 * and MCP calls, while the gateway is killed every two minutes. Exits with 1 on the first acknowledged call that is
 * lost or ran twice, or on the first invalid chain.
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

/** Time that the gateway runs before each kill. */
const roundMs = 120_000;

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
    const rounds = Math.max(1, Math.round((minutes * 60_000) / roundMs));
    for (let round = 1; round <= rounds; round++) {
      const traffic = new Traffic(gateway, round);
      traffic.start();
      await pause(Math.min(roundMs, minutes * 60_000));
      await gateway.killAndStart();
      const noted = await traffic.end();
      await verifyRound(gateway.urls.admin, behind.jobs, noted);
      console.log(lineOf(round, rounds, noted, gateway));
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
  rounds: number,
  noted: { readonly calls: number; readonly cut: number },
  { memory, starts }: SoakedGateway,
): string =>
  [
    `round ${round} of ${rounds}: ${noted.calls.toLocaleString('en')} calls`,
    `${noted.cut} cut off by the kill`,
    `${memory.at(-1)} MB before it`,
    `ready again after ${Math.round(starts.at(-1) ?? 0)} ms`,
  ].join(', ');
