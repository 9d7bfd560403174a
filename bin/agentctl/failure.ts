/** Command errors and their exit codes: 1 negative, 2 usage, 3 unreachable. */

export const exitCodes = { ok: 0, negative: 1, usage: 2, unreachable: 3 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** An error whose message is a full explanation, so that it is shown without a stack trace. */
export class Failure extends Error {
  readonly exitCode: ExitCode;
  /** Type in the document that `--json` prints, unless the server sent one. */
  get type(): string {
    return { 0: 'failed', 1: 'failed', 2: 'usage', 3: 'unreachable' }[this.exitCode];
  }
  /** Advice, shown on its own line. */
  readonly hint: string | undefined;
  /** The server's error document, unchanged. */
  readonly body: string | undefined;
  /** HTTP status with which the server refused the request. */
  readonly status: number | undefined;

  constructor(
    exitCode: ExitCode,
    message: string,
    options: { hint?: string | undefined; body?: string | undefined; status?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'Failure';
    this.exitCode = exitCode;
    this.hint = options.hint;
    this.body = options.body;
    this.status = options.status;
  }
}

/** Error for an invalid command line; it is shown with the command's help. */
export class UsageError extends Failure {
  constructor(message: string, cause?: unknown) {
    super(exitCodes.usage, message, { cause });
    this.name = 'UsageError';
  }
}

/** Describes why a file could not be used, in the system's words but without repeating the path. */
export function fileTrouble(doing: string, file: string, cause: unknown): UsageError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const known: Record<string, string> = {
    ENOENT: 'there is no such file or folder',
    EACCES: 'permission denied',
    EISDIR: 'it is a folder',
  };
  return new UsageError(`cannot ${doing} ${file}: ${known[code ?? ''] ?? message}`, cause);
}
