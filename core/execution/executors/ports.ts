/** The executor of an action, and what executors need from outside: one exchange, one transaction, one command. Nothing is tried twice. */
import type { ActionEnvelope, Placement } from '#core/contracts/envelope.ts';
import type { IssuedCredential } from '#core/execution/credentials/ports.ts';
import type { ResultNotes } from '#core/guard/result-notes.ts';
import type { SecretStore } from '#core/kernel/ports.ts';
import type { CommandSlots } from './command-slots.ts';

/** Runs an allowed call with its credential. None configured for a tool: the call is `not_executed`. */
export interface Executor {
  readonly name: string;
  /**
   * Where a call goes, found before it is decided; undefined when it is none of this executor's. An executor without it knows
   * where a call goes by the call itself.
   * @param fresh lists of tools are read from their servers again.
   * @throws GatewayError `service_unavailable` when that cannot be found out, `no_upstream` when no upstream serves the tool.
   */
  place?(call: ActionEnvelope, fresh?: boolean): Promise<Placement | undefined>;
  handles(envelope: ActionEnvelope): boolean;
  /**
   * Takes a place for the call before anything of it is done; undefined where calls need none.
   * @returns to be called when the call is over.
   * @throws GatewayError `rate_limit_error`.
   */
  begin?(envelope: ActionEnvelope): () => void;
  /** @throws when the upstream failed; the message names tool and upstream and holds no secret. */
  execute(
    envelope: ActionEnvelope,
    credential: IssuedCredential | undefined,
    options?: ExecuteOptions,
  ): Promise<unknown>;
}

export interface ExecuteOptions {
  /** Aborting ends the call; what was under way already has an unknown outcome. */
  readonly signal?: AbortSignal | undefined;
  /** Called with what the tool guard noted of the result, before the result is returned or its error thrown. */
  readonly onNotes?: ((notes: ResultNotes) => void) | undefined;
}

export interface OutgoingRequest {
  /** Exactly what is asked for; redirects are answers. */
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Also addresses of private networks and of this machine. */
  readonly allowPrivate: boolean;
  /** From the first look-up to the last byte. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

export interface IncomingAnswer {
  readonly status: number;
  /** Names in lower case; several of one name joined by ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** There was more. */
  readonly truncated: boolean;
}

/**
 * One exchange with a server whose address was checked after resolution, on a connection to exactly that address.
 * @throws ExecutionFault; of unknown effect once the connection stood.
 */
export type HttpExchange = (request: OutgoingRequest, signal?: AbortSignal) => Promise<IncomingAnswer>;

export interface SqlStatement {
  readonly text: string;
  /** For `$1`, `$2` …; bound, never part of the text. */
  readonly values: readonly unknown[];
}

/** A PostgreSQL server by its address. */
export interface PostgresServer {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: 'verify' | 'off';
  readonly ca?: string | undefined;
}

/** An Aurora cluster behind the RDS Data API. */
export interface AuroraCluster {
  readonly resourceArn: string;
  readonly secretArn: string;
  readonly database: string;
}

export interface SqlWork<Server> {
  readonly server: Server;
  /** All in one transaction, in this order. */
  readonly statements: readonly SqlStatement[];
  /** The transaction is READ ONLY and rolled back. */
  readonly readOnly: boolean;
  readonly maxRows: number;
  readonly maxResultBytes: number;
  readonly statementTimeoutMs: number;
}

export interface SqlResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Rows changed, or rows in `rows`. */
  readonly row_count: number;
  readonly fields: readonly { readonly name: string; readonly type: string }[];
  readonly truncated: boolean;
}

/** @throws ExecutionFault; of unknown effect only when the connection ended between COMMIT and its answer. */
export type SqlTransaction<Server> = (work: SqlWork<Server>, signal?: AbortSignal) => Promise<readonly SqlResult[]>;

export interface Command {
  /** The program's name without folder, and its arguments. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute; the program runs in it or below it. Absent: an empty folder of its own. */
  readonly root?: string | undefined;
  /** Below `root`. */
  readonly cwd?: string | undefined;
  readonly timeoutMs: number;
  /** Of each output. */
  readonly maxOutputBytes: number;
  readonly maxProcesses: number;
  /** Of each of its processes; absent where the host itself bounds them. */
  readonly perProcess?: { readonly memoryBytes: number; readonly cpuSeconds: number } | undefined;
  /** Names of environment variables that are passed on. */
  readonly env: readonly string[];
  /** What keeps it away from the gateway; absent where the configuration does without, or the host itself contains it. */
  readonly containment?: { readonly network: boolean } | undefined;
}

export interface CommandResult {
  /** Null when it was killed. */
  readonly exit_code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
  readonly timed_out: boolean;
  /** What this machine has no means to limit; absent where everything is. */
  readonly not_limited?: readonly string[];
}

/** Runs one program, without shell. @throws ExecutionFault; of unknown effect once the program was started. */
export type CommandRunner = (command: Command, signal?: AbortSignal) => Promise<CommandResult>;

/** What the executors of a function are made with; calls of a kind without a client are not executed. */
export interface ExecutorPorts {
  readonly secrets: SecretStore;
  readonly http: HttpExchange | undefined;
  readonly postgres: SqlTransaction<PostgresServer> | undefined;
  readonly dataApi: SqlTransaction<AuroraCluster> | undefined;
  readonly shell: CommandRunner | undefined;
  /** Bounds the commands of this machine; absent where each runs on its own. */
  readonly commandSlots: CommandSlots | undefined;
  /** Reads a line that is one plain command; undefined for every other line. */
  readonly shellWords: ((line: string) => Promise<readonly string[] | undefined>) | undefined;
}
