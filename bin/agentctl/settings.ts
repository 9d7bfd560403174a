/**
 * Selects the gateway and the credential, from flags, then the environment, then the configuration file, then a local
 * run's files.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isLoopback } from '#core/configuration/identity/federation/urls.ts';
import type { Route } from '#core/contracts/route.ts';
import { type Fields, text } from '#core/kernel/json-fields.ts';
import { UsageError } from './failure.ts';
import type { Globals } from './globals.ts';
import { type LocalKey, type LocalRun, readJsonFile, readLocalRun } from './local-run.ts';

export interface Settings {
  /** Returns the admin or gateway address for a route, without a trailing slash. */
  urlFor(route: Route): string;
  readonly timeoutMs: number;
  /** State folder named on the command line, if no gateway has run there. */
  readonly unusedState: string | undefined;
  /** Returns the credential for a route, or undefined if none is known. */
  keyFor(route: Route): string | undefined;
}

/** An address, and whether it comes from a state folder that the user did not name. */
interface Address {
  readonly url: string;
  readonly found: boolean;
}

export function readSettings(globals: Globals, env: NodeJS.ProcessEnv): Settings {
  const config = readConfig(globals.config);
  const run = localRunOf(globals, env);
  // A state folder on the command line overrides the environment.
  const pinned = globals.state !== undefined && globals.url === undefined && run().adminUrl !== undefined;
  const given =
    globals.url ?? (pinned ? run().adminUrl : (unlessEmpty(env.AGENTCTL_URL) ?? unlessEmpty(env.GATEWAY_ADMIN_URL)));
  const admin = resolveAddress('adminUrl', given ?? text(config.url), run);

  const addressFor = (route: Route): Address => {
    if (route.surface !== 'gateway') return admin;
    const named =
      globals.gateway ?? (pinned ? run().gatewayUrl : unlessEmpty(env.AGENTCTL_GATEWAY)) ?? text(config.gateway);
    if (named === undefined && !isLoopback(admin.url))
      throw new UsageError(`${admin.url} is the admin address; give --gateway (AGENTCTL_GATEWAY), the gateway address`);
    return resolveAddress('gatewayUrl', named, run);
  };
  return {
    urlFor: (route) => addressFor(route).url,
    timeoutMs: globals.timeout * 1000,
    unusedState: globals.url === undefined && !pinned ? globals.state : undefined,
    keyFor: (route) => {
      const target = addressFor(route);
      const own = ownKey(globals, env, config, target.url, pinned);
      return own === undefined ? generatedKey(target.url, globals.as ?? localKeyFor(route), run) : sentTo(target, own);
    },
  };
}

/** Reads the local run on first use; it is not needed if address and key are given. */
export function localRunOf({ state }: Globals, env: NodeJS.ProcessEnv): () => LocalRun {
  let run: LocalRun | undefined;
  return () => {
    run ??= readLocalRun(state ?? unlessEmpty(env.GATEWAY_STATE));
    return run;
  };
}

/**
 * Returns the generated key for a route: agents call tools and models, humans vote and read, and the admin token is for
 * administration.
 */
function localKeyFor(route: Route): LocalKey {
  if (route.platform || route.access === 'admin') return 'admin';
  return route.agents === 'yes' && route.method === 'POST' ? 'agent' : 'human';
}

function readConfig(chosen: string | undefined): Fields {
  const config = readJsonFile(chosen ?? join(homedir(), '.config', 'agentctl.json'));
  if (chosen !== undefined && config === undefined) throw new UsageError(`there is no configuration file ${chosen}`);
  return config ?? {};
}

function ownKey(globals: Globals, env: NodeJS.ProcessEnv, config: Fields, url: string, pinned: boolean) {
  if (globals.key !== undefined) return sendable(globals.key);
  if (globals.as !== undefined || pinned) return undefined;
  const configured = [text(config.url), text(config.gateway)].filter((each) => each !== undefined);
  const belongs = configured.length === 0 || configured.some((each) => sameOrigin(each, url));
  const key = unlessEmpty(env.AGENTCTL_KEY) ?? (belongs ? text(config.key) : undefined);
  return key === undefined ? undefined : sendable(key);
}

/**
 * Checks that two URLs have the same origin: a key from a configuration is sent only to addresses from the same
 * configuration.
 */
const sameOrigin = (configured: string, url: string): boolean =>
  new URL(asAddress(configured, 'configured', addresses.adminUrl.byDefault)).origin === new URL(url).origin;

/**
 * Returns the key if it may be sent to the address.
 * @throws UsageError if the address comes from the current folder, because the folder's author would get the key
 * [cli.own-folder].
 */
export function sentTo({ url, found }: Address, key: string): string {
  if (!found) return key;
  throw new UsageError(
    `the address ${url} comes from a state folder that you did not name, so your key is not sent there: name the folder with --state or the address with --url, or use a key of the folder with --as`,
  );
}

/** Returns the generated key of the local run at this address, or undefined for any other address [cli.own-folder]. */
export function generatedKey(url: string, name: LocalKey, run: () => LocalRun): string | undefined {
  if (!isLoopback(url)) return undefined;
  const { urls, keys } = run();
  return urls.some((own) => sameOrigin(own, url)) ? keys[name] : undefined;
}

const addresses = {
  adminUrl: { which: 'admin', byDefault: 'http://127.0.0.1:8081' },
  gatewayUrl: { which: 'gateway', byDefault: 'http://127.0.0.1:8080' },
  mcpUrl: { which: 'MCP', byDefault: 'http://127.0.0.1:8082' },
} as const;

/**
 * Returns the address from the flag, environment or configuration; otherwise the local run's address or the default.
 */
export function resolveAddress(
  member: keyof typeof addresses,
  named: string | undefined,
  run: () => LocalRun,
): Address {
  const { which, byDefault } = addresses[member];
  const local = named === undefined ? run()[member] : undefined;
  const url = asAddress(named ?? local ?? byDefault, which, byDefault);
  return { url, found: local !== undefined && run().state.found };
}

function asAddress(given: string, which: string, example: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new UsageError(`the ${which} address must look like ${example}, without user, query or fragment`);
  return url.href.replace(/\/+$/, '');
}

function sendable(key: string): string {
  const trimmed = key.trim();
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new UsageError('the key must be visible ASCII characters without spaces');
  return trimmed;
}

/** Treats an empty variable as unset. */
const unlessEmpty = (value: string | undefined): string | undefined => (value ? value : undefined);
