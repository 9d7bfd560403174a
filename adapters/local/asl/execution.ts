/** One execution as it is kept between transitions, so that a restart at any point finds its place. */

export interface Execution {
  readonly machine: string;
  readonly name: string;
  readonly status: 'running' | 'succeeded' | 'failed';
  /** The state that was entered: after a restart it runs again, steps are idempotent. */
  readonly state: string;
  readonly input: unknown;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Tries counted per retrier of the state. */
  readonly attempts: readonly number[];
  /** Kept for the whole entry, so that a token handed out before a restart still settles after it. Never logged. */
  readonly taskToken?: string;
  /** When the state times out, is tried again or has waited enough (epoch ms). */
  readonly wakeAt?: number;
  readonly wakeFor?: 'timeout' | 'retry' | 'wait';
  readonly executionInput: unknown;
  readonly startedAt: number;
  readonly enteredAt: number;
  readonly endedAt?: number;
  readonly output?: unknown;
  /** Counts writes: a writer that read an older revision has lost. */
  readonly revision: number;
}

export interface ExecutionStore {
  /** Puts if absent; false when an execution of that name exists, whatever its status. */
  create(execution: Execution): Promise<boolean>;
  /** Writes the next revision; false when another process moved it on. */
  save(next: Execution): Promise<boolean>;
  get(machine: string, name: string): Promise<Execution | undefined>;
  /** All executions that have not ended, oldest first. */
  running(machine: string): Promise<readonly Execution[]>;
}

/** The state left for `next` with new input; what belonged to the old state goes. */
export function enter(
  from: Execution,
  next: string,
  input: unknown,
  variables: Execution['variables'],
  now: number,
): Execution {
  const { taskToken: _token, wakeAt: _wakeAt, wakeFor: _wakeFor, ...kept } = from;
  return { ...kept, state: next, input, variables, attempts: [], enteredAt: now, revision: from.revision + 1 };
}

export function end(from: Execution, status: 'succeeded' | 'failed', output: unknown, now: number): Execution {
  return { ...enter(from, from.state, from.input, from.variables, from.enteredAt), status, output, endedAt: now };
}
