/**
 * Runs MCP servers as child processes in a local run, without a shell, in a scrubbed environment, and restarts them
 * when they exit.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Containment } from '#adapters/executors/containment.ts';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Clock, SecretStore, Telemetry } from '#core/kernel/ports.ts';
import { UpstreamFault } from '#core/mcp/ports.ts';
import { redactResult } from '#core/mcp/tools/redact-result.ts';
import { ChannelLink, type ChannelOptions, logOfServer } from './channel.ts';
import { boundedJson, tooLarge } from './http-exchange.ts';
import { idIn, LineReader } from './lines.ts';
import { StderrTail } from './stderr-tail.ts';

/** Environment variables that every program gets. */
const harmless = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];
/**
 * Variables that `inherit` passes on: programs such as npx need them behind a proxy that inspects TLS
 * [mcp.stdio-start].
 */
const inherited: Readonly<Record<McpUpstreamEntry['inherit'][number], readonly string[]>> = {
  proxy: ['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy']
    .flatMap((name) => [name, name.toUpperCase()])
    .concat('npm_config_proxy', 'npm_config_https_proxy', 'npm_config_noproxy'),
  certificates: [
    ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'],
    'npm_config_cafile',
  ],
};
const longestBackOffMs = 30_000;
/** Uptime after which a process is considered successfully started. */
const settledMs = 60_000;
const graceMs = 2_000;
/** Multiple of the result limit at which a line is treated as endless. */
const endlessFactor = 8;

interface Server {
  readonly link: ChannelLink;
  readonly child: ChildProcessWithoutNullStreams;
}

interface SupervisedServer {
  starting: Promise<Server> | undefined;
  failures: number;
  startedAt: number;
  notBefore: number;
  /** Reason why the process last exited, with the last error output. */
  why: string;
}

interface StdioPorts {
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'log'>;
  readonly environment: NodeJS.ProcessEnv;
  /** Returns the containment for a server with or without network access; undefined if this machine permits none. */
  readonly contain: (network: boolean) => Promise<Containment | undefined>;
  /** Called when a server has completed its handshake, or with the reason why it did not or why it has exited. */
  readonly connected: ((server: string, down?: string) => void) | undefined;
}

export class StdioServers {
  readonly #ports: StdioPorts;
  readonly #servers = new Map<string, SupervisedServer>();
  #stopped = false;

  constructor(ports: StdioPorts) {
    this.#ports = ports;
  }

  /**
   * Returns an entry's running server. Restarts one that exited, with a longer delay after each failure. @throws
   * UpstreamFault
   */
  async connect(entry: McpUpstreamEntry, options: ChannelOptions): Promise<ChannelLink> {
    if (this.#stopped) throw new UpstreamFault('unreachable', 'the gateway is shutting down');
    const key = JSON.stringify([entry.name, entry.command, entry.env, entry.inherit]);
    const supervised = this.#servers.get(key) ?? {
      starting: undefined,
      failures: 0,
      startedAt: 0,
      notBefore: 0,
      why: '',
    };
    this.#servers.set(key, supervised);
    const running = await supervised.starting?.catch(() => undefined);
    if (running && !running.link.isOver) return running.link;
    const now = this.#ports.clock.now();
    if (now < supervised.notBefore) {
      const seconds = Math.ceil((supervised.notBefore - now) / 1000);
      throw new UpstreamFault(
        'unreachable',
        `${supervised.why}. It has failed ${supervised.failures === 1 ? 'once' : `${supervised.failures} times in a row`} and restarts with the next call, in ${seconds} s at the earliest`,
      );
    }
    supervised.startedAt = now;
    const starting = this.#start(entry, options, supervised);
    supervised.starting = starting;
    return (await starting).link;
  }

  /**
   * Starts servers before the first client request. A failure is logged, and the first call that needs the server
   * restarts it.
   */
  startAll(entries: readonly McpUpstreamEntry[], handshake: ChannelOptions['handshake']): void {
    const options = { handshake, signal: new AbortController().signal };
    for (const entry of entries.filter(({ transport }) => transport === 'stdio'))
      this.connect(entry, options).catch((fault: Error) =>
        this.#ports.telemetry.log('warn', 'an MCP server was not started', {
          upstream: entry.name,
          error: fault.message,
        }),
      );
  }

  /** Ends every child: closes its input, then sends SIGTERM, then SIGKILL. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const servers = await Promise.all(
      [...this.#servers.values()].map(({ starting }) => starting?.catch(() => undefined)),
    );
    await Promise.all(servers.map((server) => server && endServer(server)));
  }

  async #start(entry: McpUpstreamEntry, options: ChannelOptions, supervised: SupervisedServer): Promise<Server> {
    const { telemetry } = this.#ports;
    const [program, ...args] = await this.#lineOf(entry);
    const env = await this.#environmentOf(entry);
    const child = spawn(program!, args, { env, shell: false, stdio: 'pipe' });
    const link = new ChannelLink(entry, logOfServer(telemetry, entry));
    const tail = new StderrTail();
    // A proxy's address may contain a password.
    const hidden = entry.inherit.includes('proxy') ? [...entry.env, ...inherited.proxy] : entry.env;
    const secrets = hidden.flatMap((name) => env[name] ?? []);
    const seconds = () => Math.round((this.#ports.clock.now() - supervised.startedAt) / 100) / 10;
    const withTail = (why: string) => {
      const last = tail.last(secrets);
      return `${why} after ${seconds()} s${last && `. Last output: ${last}`}`;
    };
    const over = (what: string) => {
      if (link.isOver) return;
      const why = withTail(what);
      supervised.why = why;
      if (!this.#stopped) this.#ports.connected?.(entry.name, why);
      link.over(new UpstreamFault('broken', why));
      const lived = this.#ports.clock.now() - supervised.startedAt;
      supervised.failures = lived >= settledMs ? 1 : supervised.failures + 1;
      supervised.notBefore = this.#ports.clock.now() + Math.min(longestBackOffMs, 250 * 2 ** (supervised.failures - 1));
      telemetry.log('warn', 'MCP server process exited', {
        upstream: entry.name,
        why,
        failures: supervised.failures,
      });
    };
    child.on('error', (fault: NodeJS.ErrnoException) =>
      over(`the process could not be started (${fault.code ?? 'failed'})`),
    );
    // `close` is emitted after the last output.
    child.on('close', (code, signal) => over(`the process exited with ${signal ?? `code ${code}`}`));
    child.stdin.on('error', () => {}); // reported when the process exits
    const lines = new LineReader(entry.max_result_bytes, {
      line: (text) => takeLine(link, text, entry),
      overlong: (id) => id !== undefined && link.fail(id, tooLarge(entry.max_result_bytes)),
    });
    const endless = () => {
      over('it wrote a line without a line break');
      child.kill('SIGKILL');
    };
    let waiting: NodeJS.Timeout | undefined;
    const unwatch = () => {
      clearTimeout(waiting);
      waiting = undefined;
    };
    child.once('close', unwatch);
    // No response can follow an endless line, so the program is ended and restarted with the next call.
    child.stdout.on('data', (bytes: Buffer) => {
      lines.push(bytes);
      if (lines.overlongCharacters > endlessFactor * entry.max_result_bytes) endless();
      else if (lines.overlongCharacters === 0) unwatch();
      else waiting ??= setTimeout(endless, entry.timeout_ms);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      tail.add(text);
      telemetry.log('debug', 'MCP server output', {
        upstream: entry.name,
        text: redactResult(text.slice(0, 500)),
      });
    });
    const send = async (message: JsonObject) => {
      if (!child.stdin.writable) throw new UpstreamFault('session-lost', 'its process has ended');
      if (child.stdin.write(`${JSON.stringify(message)}\n`)) return;
      await Promise.race([once(child.stdin, 'drain'), once(child, 'exit')]).catch(() => {
        throw new UpstreamFault('unreachable', 'its process could not be started');
      });
    };
    try {
      await link.begin({ send, close: async () => {} }, options.handshake, options.signal, entry.start_timeout_ms);
      this.#ports.connected?.(entry.name);
      return { link, child };
    } catch (fault) {
      over('it did not answer the handshake');
      child.kill('SIGKILL');
      if (!(fault instanceof UpstreamFault) || fault.kind !== 'timeout') throw fault;
      throw new UpstreamFault('timeout', withTail(fault.message), fault);
    }
  }

  /**
   * Returns the command line. @throws UpstreamFault if the server must be contained and this machine permits no
   * containment.
   */
  async #lineOf({ name, command, contained, network }: McpUpstreamEntry): Promise<readonly string[]> {
    if (!contained) return command!;
    const found = await this.#ports.contain(network);
    if (found) return found.wrap(command!, { network });
    const what = 'this machine cannot contain programs: neither unshare nor bwrap can create a user namespace here';
    throw new UpstreamFault(
      'unreachable',
      `${what}. Permit user namespaces, or write contained: false for upstreams.mcp ${name}`,
    );
  }

  async #environmentOf({ env, inherit }: McpUpstreamEntry): Promise<Record<string, string>> {
    const { environment, secrets } = this.#ports;
    const given: Record<string, string> = {};
    for (const name of [...harmless, ...inherit.flatMap((group) => inherited[group])])
      if (environment[name] !== undefined) given[name] = environment[name];
    for (const name of env) {
      const value = await secrets.get(name);
      if (value !== undefined) given[name] = value;
    }
    return given;
  }
}

/**
 * Handles a line. Lines that are not messages, which servers also print, are ignored. A response that exceeds its
 * limits fails its request.
 */
function takeLine(link: ChannelLink, text: string, entry: McpUpstreamEntry): void {
  let message: unknown;
  try {
    message = boundedJson(text, entry, 'it printed a line that is not JSON');
  } catch (fault) {
    const id = idIn(text);
    if (fault instanceof UpstreamFault && id !== undefined) link.fail(id, fault);
    return;
  }
  for (const each of Array.isArray(message) ? message : [message]) link.take(each);
}

async function endServer({ child, link }: Server): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const exit = once(child, 'exit');
  await link.shut();
  child.stdin.end();
  const terminating = setTimeout(() => child.kill('SIGTERM'), graceMs / 4);
  const killed = setTimeout(() => child.kill('SIGKILL'), graceMs);
  await exit;
  clearTimeout(terminating);
  clearTimeout(killed);
}
