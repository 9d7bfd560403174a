/** `npm start`: the gateway on this machine. */

import { randomBytes } from 'node:crypto';
import { existsSync, fstatSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeDurably } from '#adapters/local/durable-file.ts';
import { makeKeys, sharedKeys } from '#adapters/local/key-folder.ts';
import { keysPath, type LocalKeys, localKeys } from '#adapters/local/keys-file.ts';
import { rotateSigningKey } from '#adapters/local/signing-keys.ts';
import { lockState } from '#adapters/local/state-lock.ts';
import { systemClock } from '#adapters/system/clock.ts';
import { systemIds } from '#adapters/system/ids.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import { isLoopbackHost } from '#core/catalog/networks.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { CallerShares } from '#core/limits/caller-shares.ts';
import { resourceHosts } from '#core/mcp/resource-address.ts';
import type { LocalEdge } from '#features/feature.ts';
import { features, localLog } from '#features/features.ts';
import { routes } from '#features/routes.ts';
import { beforeBody } from '#lambdas/middleware/before-body.ts';
import { defaultStateFolder } from '../agentctl/local-run.ts';
import { folderTrouble } from '../agentctl/own-folder.ts';
import { approvalLines } from './approval-lines.ts';
import { type BannerDetails, banner, clientCommand, type Output, type ReadyEvent } from './banner.ts';
import { type Gateway, startGateway } from './compose.ts';
import { consolePages } from './console.ts';
import { demoModels } from './demo-models.ts';
import { endingSignal } from './ending-signal.ts';
import { type Flags, helpText, parseFlags, UsageError } from './flags.ts';
import { type HttpServer, listen } from './http-server.ts';
import { messagesError } from './messages-error.ts';
import { heldBodyBytes } from './open-requests.ts';
import { localTelemetry, version } from './ports.ts';
import { type SignInLink, signInLink } from './sign-in-link.ts';
import { type WebSockets, webSockets } from './web-socket.ts';

type Urls = Pick<ReadyEvent, 'gateway_url' | 'admin_url' | 'mcp_url'>;
type EdgeUrls = Pick<ReadyEvent, 'edge_url' | 'edge_h2c_url' | 'edge_http3_port' | 'edge_certificate'>;

/** Requests get 10 seconds; steps and schedules get the remaining time. */
const drainMs = 20_000;

const checkout = fileURLToPath(new URL('../..', import.meta.url));

export async function main(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<void> {
  const flags = parseFlags(args, environment, checkout);
  if (flags.show === 'help') return void process.stdout.write(helpText);
  if (flags.show === 'version') return void process.stdout.write(`${version}\n`);
  if (flags.makeKeys !== undefined) return make(flags.makeKeys);
  assertOwnFolder(flags);
  if (flags.rotateSigningKey) return rotate(flags.keys ?? flags.state);
  if (flags.logKey) return changeLogKey(flags.keys ?? flags.state, flags.logKey);
  await serve(flags, environment);
}

/**
 * Refuses a state folder that came with a repository, because it would contain the author's keys and policies
 * [cli.own-folder].
 */
function assertOwnFolder({ state, stateFound }: Flags): void {
  const trouble = stateFound && existsSync(state) ? folderTrouble(state) : undefined;
  if (trouble === undefined) return;
  throw new UsageError(
    `The state folder ${state} was found here and is not used: ${trouble}. Name this folder or another one with --state to use it.`,
  );
}

async function make(folder: string): Promise<void> {
  process.umask(0o077);
  const made = await makeKeys(folder, (await localLog())?.logKey);
  const what = made.length > 0 ? `Made ${made.join(', ')}` : 'All keys existed already';
  process.stdout.write(`${what} in ${folder}. Give these files to each gateway that uses the store, with --keys.\n`);
}

/** Replaces the signing key. No gateway may be running on the folder at the time. */
async function rotate(state: string): Promise<void> {
  process.umask(0o077);
  const lock = lockState(state);
  try {
    const { from, to } = await rotateSigningKey(state, systemClock);
    process.stdout.write(`After the next start, key ${to} signs evidence; signatures of ${from} stay valid.\n`);
  } finally {
    lock.release();
  }
}

/** Changes the log key. No gateway may be running on the folder at the time. */
async function changeLogKey(state: string, what: 'rotate' | 'retire'): Promise<void> {
  process.umask(0o077);
  const log = await localLog();
  if (!log) throw new UsageError('This gateway keeps no log of sessions, so it has no log key.');
  const lock = lockState(state);
  try {
    process.stdout.write(`${await log.changeLogKey(state, what)}\n`);
  } finally {
    lock.release();
  }
}

/** Runs the gateway: lock, keys, listeners, handlers, ready; then serves until a signal ends it. */
async function serve(flags: Flags, environment: NodeJS.ProcessEnv): Promise<void> {
  process.umask(0o077); // the state folder holds keys and evidence: readable by its owner only
  const signalled = endingSignal();
  const lock = lockState(flags.state);
  process.once('exit', () => lock.release());
  const keys = await usableKeys(flags, environment);
  const shared = await keysOfStore(flags, environment);
  const forPeople = process.stderr.isTTY === true && !flags.jsonLog;
  const coloured = !environment.NO_COLOR && environment.TERM !== 'dumb';
  const telemetry = localTelemetry(forPeople ? { coloured } : undefined);
  const started = Promise.withResolvers<Gateway>();
  started.promise.catch(() => {}); // a failed start is reported once, by the throw below
  const edgeToken = randomBytes(16).toString('hex');
  const sockets = webSockets(
    started.promise.then(({ ports }) => ports),
    { edgeToken },
  );
  const link = keys.human === undefined ? undefined : signInLink(keys.human, systemClock);
  const servers = await openListeners(flags, started.promise, { telemetry, sockets, edgeToken, link });
  const [gateway_url, admin_url, mcp_url] = servers.map(({ port }) => `http://${urlHost(flags.host)}:${port}`);
  const urls = { gateway_url, admin_url, mcp_url } as Urls;
  const gateway = await startGateway({
    flags,
    checkout,
    environment,
    keys,
    telemetry,
    adminUrl: urls.admin_url,
    sharedKeys: shared,
    committed: approvalView(flags),
  });
  started.resolve(gateway);
  const { edge, ...edgeUrls } = await openEdge(flags, { urls, servers }, gateway, telemetry, edgeToken);
  const { configuration } = await gateway.ports.snapshots.current({ evenStale: true });
  const shown = { fragment: link?.fragment, demoModels: demoModels(configuration), state: otherState(flags.state) };
  await announce(flags, keys, shown, {
    event: 'ready',
    version,
    ...urls,
    ...edgeUrls,
    keys_file: keys.agent ? keysPath(flags.state) : null,
  });
  await signalled;
  setTimeout(() => process.exit(1), drainMs).unref(); // a step that never ends must not keep the process alive
  gateway.endStreams();
  await Promise.all([edge?.drain(), sockets.close(), ...servers.map((server) => server.drain())]);
  await gateway.stop();
  lock.release();
}

/** Prints pending requests only if a person is at a terminal; a pipe or a file is read by a program. */
function approvalView({ state, bell }: Flags): ReturnType<typeof approvalLines> | undefined {
  if (process.stdout.isTTY !== true) return undefined;
  const client = clientCommand(otherState(state));
  const write = (text: string) => void process.stdout.write(text);
  return approvalLines({ write, bell, client, timeouts: systemTimeouts });
}

/** Returns the folder unless it is `agentctl`'s default. */
const otherState = (state: string): string | undefined => (state === defaultStateFolder() ? undefined : state);

/** Returns the generated keys. They are stored in a file, so they are valid on this machine only. */
async function usableKeys({ host, state }: Flags, environment: NodeJS.ProcessEnv): Promise<Partial<LocalKeys>> {
  if (isLoopbackHost(host)) return localKeys(state);
  if (environment.GATEWAY_ADMIN_TOKEN) return {};
  throw new UsageError(
    `Generated keys are not used on ${host}, which other machines can reach. Set GATEWAY_ADMIN_TOKEN (and keys of your own in the configuration), or leave --host at 127.0.0.1.`,
  );
}

/**
 * Returns the store's keys. A container that loses its folder also loses its generated keys, and the store then refuses
 * its next start.
 */
async function keysOfStore({ keys, host, state }: Flags, { DYNAMODB_ENDPOINT: endpoint }: NodeJS.ProcessEnv) {
  if (keys !== undefined) return sharedKeys(keys, (await localLog())?.logKey);
  if (!endpoint || isLoopbackHost(host) || existsSync(join(state, 'signing-key.pem'))) return undefined;
  throw new UsageError(
    `DYNAMODB_ENDPOINT is set and ${state} has no signing-key.pem. Gateways that share a store need the same keys: make them once with --make-keys DIR, and name that folder with --keys (GATEWAY_KEYS) at each of them.`,
  );
}

interface ListenerNeeds {
  readonly telemetry: Telemetry;
  readonly sockets: WebSockets;
  readonly edgeToken: string;
  readonly link: SignInLink | undefined;
}

/** Opens the gateway, admin and MCP listeners. */
function openListeners(
  flags: Flags,
  gateway: Promise<Gateway>,
  { telemetry, sockets, edgeToken, link }: ListenerNeeds,
): Promise<HttpServer[]> {
  const gatewayRoutes = routes.filter(({ surface }) => surface === 'gateway');
  const surfaces = [
    { port: flags.gatewayPort, routes: gatewayRoutes, upgrade: sockets.upgrade, errorBody: messagesError },
    {
      port: flags.adminPort,
      routes: routes.filter(({ surface }) => surface === 'admin' || surface === 'callbacks'),
      pages: consolePages(checkout, link),
    },
    {
      port: flags.mcpPort,
      routes: routes.filter(({ surface }) => surface === 'mcp'),
      ownNames: async () => {
        const { ports } = await gateway;
        // If there is no configuration, no additional names are accepted, and the listener's health check still works.
        const snapshot = await ports.snapshots.current({ evenStale: true }).catch(() => undefined);
        return snapshot ? resourceHosts(snapshot.configuration.identity) : [];
      },
    },
  ];
  const shared = {
    host: flags.host,
    edgeToken,
    ids: systemIds,
    telemetry,
    handlers: gateway.then(({ handlers }) => handlers),
    maxBodyBytes: () => gateway.then((ready) => ready.maxBodyBytes()),
    bodies: new CallerShares(heldBodyBytes),
    beforeBody: async (event: HttpEvent) => {
      const { ports } = await gateway;
      return beforeBody(event, ports);
    },
  };
  shared.handlers.catch(() => {});
  return Promise.all(surfaces.map((surface) => listen({ ...shared, ...surface })));
}

/** Opens the edge listeners once the other three respond. */
async function openEdge(
  flags: Flags,
  { urls, servers: [gateway, admin, mcp] }: { readonly urls: Urls; readonly servers: readonly HttpServer[] },
  { ports }: Gateway,
  telemetry: Telemetry,
  token: string,
): Promise<EdgeUrls & { readonly edge: LocalEdge | undefined }> {
  const { host } = flags;
  const [load] = flags.edge ? features.flatMap(({ localEdge }) => localEdge ?? []) : [];
  if (!load)
    return { edge: undefined, edge_url: null, edge_h2c_url: null, edge_http3_port: null, edge_certificate: null };
  const edge = await (await load()).openEdge({
    host,
    stateFolder: flags.state,
    ownCertificate: flags.edgeCertificate,
    tlsPort: flags.edgePort,
    cleartextPort: flags.edgeCleartextPort,
    upstreams: {
      gateway: { url: urls.gateway_url, serve: gateway!.serve },
      admin: { url: urls.admin_url, serve: admin!.serve },
      mcp: { url: urls.mcp_url, serve: mcp!.serve },
    },
    snapshot: () => ports.snapshots.current({ evenStale: true }),
    telemetry,
    clock: systemClock,
    ids: systemIds,
    token,
    http3: { program: flags.caddy, port: flags.edgeHttp3Port },
  });
  return {
    edge,
    edge_url: `https://${urlHost(host)}:${edge.tlsPort}`,
    edge_h2c_url: `http://${urlHost(host)}:${edge.cleartextPort}`,
    edge_http3_port: edge.http3Port ?? null,
    edge_certificate: edge.certificateFile,
  };
}

/** Announces the run: to people on stdout, to programs as its last line, and to `agentctl` in the state folder. */
async function announce(
  flags: Flags,
  keys: Partial<LocalKeys>,
  shown: BannerDetails,
  ready: ReadyEvent,
): Promise<void> {
  await writeDurably(join(flags.state, 'ready.json'), `${JSON.stringify(ready)}\n`);
  process.stdout.write(`${banner(ready, keys, output(), shown)}\n${JSON.stringify(ready)}\n`);
}

const output = (): Output => ({ terminal: process.stdout.isTTY === true, file: fstatSync(process.stdout.fd).isFile() });

const urlHost = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
};
