/** The executor interface and its ports: HTTP exchanges, SQL transactions and commands. None of these are retried. */
import type { OwnNetworks } from '#core/contracts/config/catalog.ts';
import type { ActionEnvelope, Placement } from '#core/contracts/envelope.ts';
import type { IssuedCredential } from '#core/execution/credentials/ports.ts';
import type { ResultNotes } from '#core/guard/result-notes.ts';
import type { SecretStore } from '#core/kernel/ports.ts';
import type { CommandSlots } from './command-slots.ts';

/** Executor that runs an allowed call with its credential. A call without an executor ends as `not_executed`. */
export interface Executor {
  readonly name: string;
  /**
   * Finds the placement of a call before a decision is made on it. Returns undefined if this executor does not handle
   * the call. Executors without this method get the destination from the call itself.
   * @param fresh re-reads the servers' tools.
   * @throws GatewayError `service_unavailable` if the placement cannot be determined, `no_upstream` if no upstream
   * serves the tool.
   */
  place?(call: ActionEnvelope, fresh?: boolean): Promise<Placement | undefined>;
  handles(envelope: ActionEnvelope): boolean;
  /**
   * Takes a slot for the call before it starts. Undefined if calls need none.
   * @returns a function to call when the call has ended.
   * @throws GatewayError `rate_limit_error`.
   */
  begin?(envelope: ActionEnvelope): () => void;
  /** Executes the call. @throws if the upstream failed; the message names tool and upstream and contains no secret. */
  execute(
    envelope: ActionEnvelope,
    credential: IssuedCredential | undefined,
    options?: ExecuteOptions,
  ): Promise<unknown>;
}

export interface ExecuteOptions {
  /** Signal that ends the call when aborted. The outcome of a request already sent is then unknown. */
  readonly signal?: AbortSignal | undefined;
  /** Callback for the tool guard's notes on the result, called before the result is returned or its error thrown. */
  readonly onNotes?: ((notes: ResultNotes) => void) | undefined;
}

export interface OutgoingRequest {
  /** The exact URL; redirects are not followed. */
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Whether addresses in private networks and on this machine are allowed. */
  readonly allowPrivate: boolean;
  /** Networks from the configuration. */
  readonly networks?: OwnNetworks | undefined;
  /** Time limit, measured from the first DNS lookup to the last byte. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

export interface IncomingAnswer {
  readonly status: number;
  /** Response headers. Names are in lower case; values of repeated headers are joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** True if the body was longer than the limit. */
  readonly truncated: boolean;
}

/**
 * One exchange with a server, on a connection to exactly the address that was checked after DNS resolution.
 * @throws ExecutionFault, whose effect is unknown once connected.
 */
export type HttpExchange = (request: OutgoingRequest, signal?: AbortSignal) => Promise<IncomingAnswer>;

export interface SqlStatement {
  readonly text: string;
  /** Values for `$1`, `$2` …, which are bound and never part of the SQL text. */
  readonly values: readonly unknown[];
}

/** Address and login of a PostgreSQL server. */
export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: 'verify' | 'off';
  readonly ca?: string | undefined;
}

/** An Aurora cluster reached through the RDS Data API. */
export interface AuroraCluster {
  readonly resourceArn: string;
  readonly secretArn: string;
  readonly database: string;
}

export interface SqlWork<Server> {
  readonly server: Server;
  /** Statements of one transaction, in execution order. */
  readonly statements: readonly SqlStatement[];
  /** Whether the transaction is READ ONLY, in which case it is rolled back at the end. */
  readonly readOnly: boolean;
  readonly maxRows: number;
  readonly maxResultBytes: number;
  readonly statementTimeoutMs: number;
}

export interface SqlResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Number of changed rows, or of rows in `rows`. */
  readonly row_count: number;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
  readonly truncated: boolean;
}

/**
 * A transaction. @throws ExecutionFault, whose effect is unknown only if the connection ended between COMMIT and the
 * server's response.
 */
export type SqlTransaction<Server> = (work: SqlWork<Server>, signal?: AbortSignal) => Promise<readonly SqlResult[]>;

export interface Command {
  /** The program's name without its folder, and the arguments. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute path in or below which the program runs. If absent, the program runs in an empty folder of its own. */
  readonly root?: string | undefined;
  /** Below `root`. */
  readonly cwd?: string | undefined;
  readonly timeoutMs: number;
  /** Size limit for each output stream. */
  readonly maxOutputBytes: number;
  readonly maxProcesses: number;
  /** Limits for each of the program's processes; absent if the host itself limits them. */
  readonly perProcess?: { readonly memoryBytes: number; readonly cpuSeconds: number } | undefined;
  /** Names of environment variables to pass on. */
  readonly env: readonly string[];
  /** Isolation from the gateway; absent if the configuration disables it or the host itself isolates the program. */
  readonly containment?: { readonly network: boolean } | undefined;
}

export interface CommandResult {
  /** The exit code; null if the program was killed. */
  readonly exit_code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly timed_out: boolean;
  /** Limits that this machine cannot enforce; absent if it enforces all of them. */
  readonly not_limited?: readonly string[];
}

/** Runs one program without a shell. @throws ExecutionFault, whose effect is unknown once the program has started. */
export type CommandRunner = (command: Command, signal?: AbortSignal) => Promise<CommandResult>;

/** Clients and ports for executors. Calls for which there is no client are not executed. */
export interface ExecutorPorts {
  readonly secrets: SecretStore;
  readonly http: HttpExchange | undefined;
  readonly postgres: SqlTransaction<PostgresServer> | undefined;
  readonly dataApi: SqlTransaction<AuroraCluster> | undefined;
  readonly shell: CommandRunner | undefined;
  /** Limits on concurrent commands on this machine. Absent if each command runs on a machine of its own. */
  readonly commandSlots: CommandSlots | undefined;
  /** Parses a line that consists of one plain command. Returns undefined for other lines. */
  readonly shellWords: ((line: string) => Promise<readonly string[] | undefined>) | undefined;
}
