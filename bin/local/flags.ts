/** Flags and environment of the local run. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { didYouMean } from '#core/kernel/did-you-mean.ts';

/** Failure that an acknowledged write survives: a crash of the process, or of the machine. */
export type Durability = 'process' | 'full';

export interface Flags {
  readonly config: string;
  readonly state: string;
  /** True if the state folder was not given and defaults to `.gateway` in the current folder. */
  readonly stateFound: boolean;
  readonly host: string;
  readonly gatewayPort: number;
  readonly adminPort: number;
  readonly mcpPort: number;
  /** Port for TLS, HTTP/2 and HTTP/1.1. */
  readonly edgePort: number;
  /** Port for HTTP/2 in cleartext. */
  readonly edgeCleartextPort: number;
  /** The operator's certificate and key (PEM files) instead of a self-signed one. */
  readonly edgeCertificate?: { readonly certFile: string; readonly keyFile: string };
  /** UDP port for HTTP/3 through Caddy. */
  readonly edgeHttp3Port: number;
  /** Path of the Caddy program. If undefined, the one on PATH is used, if any. */
  readonly caddy?: string;
  readonly edge: boolean;
  /** Ring the terminal bell when a request is pending for a person. */
  readonly bell: boolean;
  /** Write log lines as JSON even at a terminal. */
  readonly jsonLog: boolean;
  readonly durability: Durability;
  readonly show?: 'help' | 'version';
  /** Replace the current signing key, and exit. */
  readonly rotateSigningKey?: true;
  /** Add a new transparency log key, which signs together with the current one, or retire the old key; then exit. */
  readonly logKey?: 'rotate' | 'retire';
  /** Continue with this signing key even if the store is registered with another one. */
  readonly adoptSigningKey?: true;
  /** Folder with the keys of all gateways that use a store. If absent, the state folder's keys are used. */
  readonly keys?: string;
  /** Bucket for the archive and checkpoints, instead of subfolders of the state folder. */
  readonly archiveBucket?: string;
  /** Create the keys that are missing from this folder, and exit. */
  readonly makeKeys?: string;
}

/** Usage error, printed without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** Exit code of the process, read by the entry point, which is outside this compiled file. */
  readonly exitCode = 2;
}

export const helpText = `Usage: npm start -- [options]

Runs the gateway on this machine: the deployed functions in one process over a SQLite database.

Options:
  --config FILE       configuration file (GATEWAY_CONFIG, default: config/gateway.yaml)
  --state DIR         state folder (GATEWAY_STATE, default: .gateway)
  --host HOST         address to listen on (default: 127.0.0.1)
  --gateway-port N    port for model calls (default: 8080; here and below, 0 means any free port)
  --admin-port N      port for administration and the console (default: 8081)
  --mcp-port N        port for MCP clients (default: 8082)
  --edge-port N       port that serves all three over TLS, with HTTP/2 and HTTP/1.1 (default: 8443)
  --edge-h2c-port N   the same in cleartext HTTP/2 (default: 8444, or any free port if --edge-port is 0)
  --edge-h3-port N    the same over HTTP/3, if Caddy is installed (default: 8445, or any free port if --edge-port is 0)
  --edge-cert FILE    certificate of the edge (PEM), with --edge-key (default: a self-signed one in the state folder)
  --edge-key FILE     private key of that certificate (PEM)
  --caddy FILE        the Caddy program for HTTP/3 (default: the one on PATH)
  --no-edge           do not start the edge
  --keys DIR          folder with the keys that all gateways of one store share (GATEWAY_KEYS); only --rotate-… and --retire-… change it
  --make-keys DIR     create the keys missing in such a folder, then exit
  --archive-bucket B  keep copies of evidence and checkpoints in this S3 bucket instead of the state folder (GATEWAY_ARCHIVE_BUCKET)
  --durability HOW    process (default): answered requests survive kill -9; full: they survive a power cut as well
  --rotate-signing-key  replace the signing key with a new one that is linked to it, then exit
  --rotate-log-key    replace the key of the transparency log, then exit; the old key signs as well until it is retired
  --retire-log-key    remove the old key of the transparency log, then exit
  --adopt-signing-key   take over a store whose signing key is lost
  --no-bell           on a terminal, do not ring the bell for new requests for approval (GATEWAY_NO_BELL=1)
  --json-log          write log lines as JSON on a terminal as well (GATEWAY_JSON_LOG=1)
  --help              print this help
  --version           print the version

Environment:
  DYNAMODB_ENDPOINT   DynamoDB-compatible server to use instead of the SQLite database; gateways with the same --keys can share it
  AWS_REGION, AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY
                      location of the bucket, on AWS or an S3-compatible server, and the credentials for it
  GATEWAY_ADMIN_TOKEN, GATEWAY_AGENT_KEY, GATEWAY_HUMAN_KEY, GATEWAY_VIEWER_KEY
                      your own secrets instead of generated ones; required if --host is not a loopback address
`;

const text = { type: 'string' } as const;
const options = {
  config: text,
  state: text,
  host: text,
  'gateway-port': text,
  'admin-port': text,
  'mcp-port': text,
  'edge-port': text,
  'edge-h2c-port': text,
  'edge-h3-port': text,
  caddy: text,
  'edge-cert': text,
  'edge-key': text,
  'no-edge': { type: 'boolean' },
  'no-bell': { type: 'boolean' },
  'json-log': { type: 'boolean' },
  durability: text,
  keys: text,
  'make-keys': text,
  'archive-bucket': text,
  'rotate-signing-key': { type: 'boolean' },
  'rotate-log-key': { type: 'boolean' },
  'retire-log-key': { type: 'boolean' },
  'adopt-signing-key': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** Parses the flags. @throws UsageError */
export function parseFlags(args: readonly string[], environment: NodeJS.ProcessEnv, checkout: string): Flags {
  const values = parse(args);
  const show = values.help ? 'help' : values.version ? 'version' : undefined;
  const archiveBucket = bucketName(values['archive-bucket'] ?? (environment.GATEWAY_ARCHIVE_BUCKET || undefined));
  const state = values.state ?? (environment.GATEWAY_STATE || undefined);
  const keys = values.keys ?? (environment.GATEWAY_KEYS || undefined);
  return {
    config: resolve(values.config ?? (environment.GATEWAY_CONFIG || resolve(checkout, 'config/gateway.yaml'))),
    state: resolve(state ?? '.gateway'),
    stateFound: state === undefined,
    host: values.host ?? '127.0.0.1',
    gatewayPort: port('--gateway-port', values['gateway-port'], 8080),
    adminPort: port('--admin-port', values['admin-port'], 8081),
    mcpPort: port('--mcp-port', values['mcp-port'], 8082),
    edgePort: port('--edge-port', values['edge-port'], 8443),
    edgeCleartextPort: port('--edge-h2c-port', values['edge-h2c-port'], values['edge-port'] === '0' ? 0 : 8444),
    edgeHttp3Port: port('--edge-h3-port', values['edge-h3-port'], values['edge-port'] === '0' ? 0 : 8445),
    ...(values.caddy !== undefined && { caddy: resolve(values.caddy) }),
    edge: values['no-edge'] !== true,
    bell: values['no-bell'] !== true && !environment.GATEWAY_NO_BELL,
    jsonLog: values['json-log'] === true || Boolean(environment.GATEWAY_JSON_LOG),
    ...certificateFiles(values['edge-cert'], values['edge-key']),
    durability: durability(values.durability),
    ...(values['rotate-signing-key'] && { rotateSigningKey: true }),
    ...(values['rotate-log-key'] && { logKey: 'rotate' as const }),
    ...(values['retire-log-key'] && { logKey: 'retire' as const }),
    ...(values['adopt-signing-key'] && { adoptSigningKey: true }),
    ...(keys !== undefined && { keys: resolve(keys) }),
    ...(archiveBucket !== undefined && { archiveBucket }),
    ...(values['make-keys'] !== undefined && { makeKeys: resolve(values['make-keys']) }),
    ...(show && { show }),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values;
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const unknown = code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && /'(-[^']+)'/.exec(message)?.[1];
    throw new UsageError(`${unknown ? unknownOption(unknown) : message.replace(/\.?$/, '.')} See --help.`, { cause });
  }
}

/** Suggests the intended option, or every option that a shortened name may mean, since there are several ports. */
function unknownOption(given: string): string {
  const name = given.replace(/^-+/, '');
  const longer = Object.keys(options).filter((each) => each.split('-').includes(name));
  const meant = longer.length > 0 ? `; there are --${longer.join(', --')}` : didYouMean(name, Object.keys(options));
  return `There is no option ${given}${meant}${meant.endsWith('?') ? '' : '.'}`;
}

function certificateFiles(cert: string | undefined, key: string | undefined): Pick<Flags, 'edgeCertificate'> {
  if (cert === undefined && key === undefined) return {};
  if (cert === undefined || key === undefined)
    throw new UsageError(
      `--edge-cert and --edge-key belong together; ${cert === undefined ? '--edge-cert' : '--edge-key'} is missing.`,
    );
  return { edgeCertificate: { certFile: resolve(cert), keyFile: resolve(key) } };
}

function bucketName(given: string | undefined): string | undefined {
  if (given === undefined || /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(given)) return given;
  throw new UsageError(
    `--archive-bucket (GATEWAY_ARCHIVE_BUCKET) is ${JSON.stringify(given)}; it must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and hyphens.`,
  );
}

function durability(given = 'process'): Durability {
  if (given === 'process' || given === 'full') return given;
  throw new UsageError(`--durability is ${JSON.stringify(given)}; it must be process or full.`);
}

function port(flag: string, given: string | undefined, byDefault: number): number {
  if (given === undefined) return byDefault;
  const number = Number(given);
  if (/^\d{1,5}$/.test(given) && number <= 65_535) return number;
  throw new UsageError(`${flag} is ${JSON.stringify(given)}; it must be a port from 0 (any free one) to 65535.`);
}
