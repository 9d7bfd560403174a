/** `npm start`: the gateway on this machine. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keysPath, type LocalKeys, localKeys } from '#adapters/local/keys-file.ts';
import { lockState } from '#adapters/local/state-lock.ts';
import { systemIds } from '#adapters/system/ids.ts';
import { routes } from '#core/contracts/routes.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { banner, type Ready } from './banner.ts';
import { type Gateway, startGateway } from './compose.ts';
import { type Flags, helpText, isLoopback, parseFlags, UsageError } from './flags.ts';
import { type HttpDoors, type HttpServer, listen } from './http-server.ts';
import { localTelemetry, version } from './ports.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

export async function main(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const flags = parseFlags(args, environment, checkout);
  if (flags.show === 'help') return void process.stdout.write(helpText);
  if (flags.show === 'version') return void process.stdout.write(`${version}\n`);
  await serve(flags, environment);
}

/** The story: lock, keys, listeners, everything behind them, ready; then until a signal ends it. */
async function serve(flags: Flags, environment: NodeJS.ProcessEnv): Promise<void> {
  const signalled = endingSignal();
  const lock = lockState(flags.state);
  process.once('exit', () => lock.release());
  const keys = await usableKeys(flags, environment);
  const telemetry = localTelemetry();
  const doors = Promise.withResolvers<HttpDoors>();
  doors.promise.catch(() => {}); // a failed start ends the process: nobody waits for doors any more
  let maxBodyBytes = 1024 * 1024;
  const servers = await openListeners(flags, doors.promise, telemetry, () => maxBodyBytes);
  const urls = servers.map(({ port }) => `http://${urlHost(flags.host)}:${port}`) as [string, string, string];
  const gateway = await startGateway({ flags, checkout, environment, keys, telemetry, adminUrl: urls[1] });
  doors.resolve({ ...gateway.doors, ...watchingLimit(gateway, (bytes) => (maxBodyBytes = bytes)) });
  await announce(flags, environment, urls, keys);
  await signalled;
  await Promise.all(servers.map((server) => server.drain()));
  await gateway.stop();
  lock.release();
}

/** Generated keys stand in a file: they are for this machine only (contract §2). */
async function usableKeys({ host, state }: Flags, environment: NodeJS.ProcessEnv): Promise<Partial<LocalKeys>> {
  if (isLoopback(host)) return localKeys(state);
  if (environment.GATEWAY_ADMIN_TOKEN) return {};
  throw new UsageError(
    `Generated keys are not used on ${host}, which others can reach. Set GATEWAY_ADMIN_TOKEN (and keys of your own in the configuration), or leave --host at 127.0.0.1.`,
  );
}
