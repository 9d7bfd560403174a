/**
 * Which gateway is spoken to, and with which credential. Flags come before the environment, that before the
 * configuration file, that before what a local run left in its state folder.
 */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Route } from '#core/contracts/route.ts';
import { UsageError } from './failure.ts';
import type { Globals } from './globals.ts';
import { type Fields, text } from './json-fields.ts';
import { type LocalKey, type LocalRun, readJsonFile, readLocalRun, stateFolder } from './local-run.ts';

const defaultUrl = 'http://127.0.0.1:8081';
const defaultGatewayUrl = 'http://127.0.0.1:8080';

export interface Settings {
  /** Where a route is called: the admin or the gateway address, without a slash at its end. */
  urlFor(route: Route): string;
  readonly timeoutMs: number;
  /** The credential for a route, or undefined when none is known. */
  keyFor(route: Route): string | undefined;
}

export function readSettings(globals: Globals, env: NodeJS.ProcessEnv): Settings {
  const config = readConfig(globals.config);
  const run = readLocalRun(stateFolder(globals.state ?? set(env.GATEWAY_STATE)));
  // A state folder named on the command line means that run, whatever the environment says.
  const pinned = globals.state !== undefined && globals.url === undefined && run.adminUrl !== undefined;
  const given = globals.url ?? (pinned ? run.adminUrl : (set(env.AGENTCTL_URL) ?? set(env.GATEWAY_ADMIN_URL)));
  const url = address('admin', given ?? text(config.url) ?? run.adminUrl ?? defaultUrl);

  const urlFor = (route: Route): string => {
    if (route.surface !== 'gateway') return url;
    const named = globals.gateway ?? (pinned ? run.gatewayUrl : set(env.AGENTCTL_GATEWAY));
    return address('gateway', named ?? text(config.gateway) ?? run.gatewayUrl ?? defaultGatewayUrl);
  };
  return {
    urlFor,
    timeoutMs: globals.timeout * 1000,
    keyFor: (route) => {
      const target = urlFor(route);
      const own = ownKey(globals, env, config, target, pinned);
      return own ?? (mayHaveLocalKeys(target, run) ? run.keys[globals.as ?? localKeyFor(route)] : undefined);
    },
  };
}

/** Agents act, humans vote and read, the admin token does what is an administrator's. */
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
  const key = set(env.AGENTCTL_KEY) ?? (belongs ? text(config.key) : undefined);
  return key === undefined ? undefined : sendable(key);
}

/** A configuration's key goes to the configuration's addresses only. */
const sameOrigin = (configured: string, url: string): boolean =>
  new URL(address('configured', configured)).origin === new URL(url).origin;

/** Generated keys never leave for a foreign host: they are for this machine's run. */
function mayHaveLocalKeys(url: string, { adminUrl, gatewayUrl }: LocalRun): boolean {
  return isLoopback(url) || [adminUrl, gatewayUrl].some((own) => own !== undefined && sameOrigin(own, url));
}

export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

function address(which: string, given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    throw new UsageError(`the ${which} address must look like ${defaultUrl}, without user, query or fragment`);
  }
  return url.href.replace(/\/+$/, '');
}

function sendable(key: string): string {
  const trimmed = key.trim();
  if (!/^[\x21-\x7e]+$/.test(trimmed)) throw new UsageError('the key must be visible ASCII characters without spaces');
  return trimmed;
}

/** An empty variable is as good as none. */
const set = (value: string | undefined): string | undefined => (value ? value : undefined);
