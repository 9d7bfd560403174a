/**
 * HTTP/3 for the edge. Caddy runs as a child process if its program is found [edge.listeners], because Node.js does not
 * support QUIC. Caddy terminates TLS and QUIC and forwards each request to the cleartext listener with a token that
 * clients do not know, so that the edge trusts the reported address.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Telemetry } from '#core/kernel/ports.ts';
import type { OwnCertificate } from './certificate.ts';

export const http3TokenHeader = 'x-gateway-http3';
/** Number of seconds for which clients remember that HTTP/3 is available. */
const maxAgeSeconds = 86_400;
const startMs = 15_000;

interface Http3Options {
  /** Path of the program. If undefined, `caddy` is looked up on PATH. */
  readonly program: string | undefined;
  readonly host: string;
  /** UDP port. 0 selects any free port. */
  readonly port: number;
  readonly certificate: OwnCertificate;
  /** Port of the HTTP/2 cleartext listener. */
  readonly cleartextPort: number;
  readonly token: string;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

export interface Http3 {
  readonly port: number;
  /** Returns the value of `Alt-Svc` while HTTP/3 is served; undefined once Caddy has ended. */
  advertised(): string | undefined;
  stop(): Promise<void>;
}

/** Returns the program found on PATH, or undefined. */
export function caddyOnPath(environment: NodeJS.ProcessEnv): string | undefined {
  const names = process.platform === 'win32' ? ['caddy.exe'] : ['caddy'];
  return (environment.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => (folder === '' ? [] : names.map((name) => join(folder, name))))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts Caddy. A program found on PATH that cannot be started is skipped with a warning. @throws Error if a program
 * given as an option cannot be started.
 */
export async function startHttp3(options: Http3Options): Promise<Http3 | undefined> {
  const { program, telemetry } = options;
  const found = program ?? caddyOnPath(process.env);
  if (found === undefined) return undefined;
  try {
    return await run(found, options);
  } catch (cause) {
    const why = `HTTP/3 is not served: ${(cause as Error).message}`;
    if (program !== undefined) throw new Error(why, { cause });
    telemetry.log('warn', why, { program: found });
    return undefined;
  }
}

async function run(program: string, options: Http3Options): Promise<Http3> {
  const port = options.port === 0 ? await freeUdpPort(options.host) : options.port;
  const child = spawn(program, ['run', '--config', '-'], {
    stdio: ['pipe', 'ignore', 'pipe'],
    // Without the gateway's environment, which may contain secrets.
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
  });
  let running = true;
  let stopping = false;
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  }).then(() => {
    running = false;
    if (!stopping) options.telemetry.log('error', 'HTTP/3 is no longer served: Caddy ended', { program });
  });
  child.stdin.on('error', () => {}); // a program that ended reports its own reason
  child.stdin.end(JSON.stringify(configurationOf(options, port)));
  try {
    await waitUntilServing(child);
  } catch (cause) {
    stopping = true;
    child.kill('SIGKILL');
    throw cause;
  }
  const advertised = `h3=":${port}"; ma=${maxAgeSeconds}`;
  return {
    port,
    advertised: () => (running ? advertised : undefined),
    async stop() {
      stopping = true;
      if (running) child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Resolves when Caddy reports that it is serving. @throws Error that contains Caddy's last output. */
async function waitUntilServing(child: ChildProcess): Promise<void> {
  const { stderr } = child;
  let said = '';
  const ready = new Promise<void>((resolve) => {
    stderr?.on('data', (chunk) => {
      said = (said + String(chunk)).slice(-16_384);
      if (said.includes('serving initial configuration')) resolve();
    });
  });
  const failed = Promise.race([
    once(child, 'exit').then(([code]) => `it ended with ${code}: ${lastError(said)}`),
    once(child, 'error').then(([fault]) => (fault as Error).message),
    new Promise<string>((resolve) => {
      setTimeout(resolve, startMs, `it was not ready within ${startMs / 1_000} s: ${lastError(said)}`).unref();
    }),
  ]).catch((fault: Error) => fault.message);
  const fault = await Promise.race([ready, failed]);
  if (fault !== undefined) throw new Error(fault);
}

const lastError = (said: string): string => said.trim().split('\n').at(-1)?.slice(0, 300) ?? '';

/**
 * Returns Caddy's complete configuration in its native form, so that it reads no configuration file from the machine.
 */
const configurationOf = ({ host, certificate, cleartextPort, token }: Http3Options, port: number) => ({
  admin: { disabled: true, config: { persist: false } },
  storage: { module: 'file_system', root: join(certificate.certFile, '..', 'caddy') },
  apps: {
    tls: { certificates: { load_files: [{ certificate: certificate.certFile, key: certificate.keyFile }] } },
    http: {
      servers: {
        edge: {
          listen: [`${host.includes(':') ? `[${host}]` : host}:${port}`],
          protocols: ['h3'],
          automatic_https: { disable: true },
          tls_connection_policies: [{ default_sni: 'localhost', protocol_min: 'tls1.3' }],
          read_header_timeout: 10e9,
          max_header_bytes: 10_240,
          routes: [
            {
              handle: [
                {
                  handler: 'reverse_proxy',
                  upstreams: [{ dial: `127.0.0.1:${cleartextPort}` }],
                  transport: { protocol: 'http', versions: ['h2c'] },
                  flush_interval: -1,
                  headers: { request: { set: { [http3TokenHeader]: [token] } } },
                },
              ],
            },
          ],
        },
      },
    },
  },
});

async function freeUdpPort(host: string): Promise<number> {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.bind(0, host);
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((closed) => socket.close(() => closed()));
  return port;
}
