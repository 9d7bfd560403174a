/** An execution as stored between transitions, so that it can resume after a restart at any point. */

export interface Execution {
  readonly machine: string;
  readonly name: string;
  readonly status: 'running' | 'succeeded' | 'failed';
  /** The most recently entered state. After a restart it runs again; steps are idempotent. */
  readonly state: string;
  readonly input: unknown;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Attempts counted for each of the state's retriers. */
  readonly attempts: readonly number[];
  /**
   * Valid while the state is active, so that a token issued before a restart still settles it afterwards. Never logged.
   */
  readonly taskToken?: string;
  /** Time at which the state times out, is retried, or finishes waiting (epoch ms). */
  readonly wakeAt?: number;
  readonly wakeFor?: 'timeout' | 'retry' | 'wait';
  readonly executionInput: unknown;
  readonly startedAt: number;
  readonly enteredAt: number;
  readonly endedAt?: number;
  readonly output?: unknown;
  /** Counts writes. A write based on an older revision fails. */
  readonly revision: number;
}

export interface ExecutionStore {
  /**
   * Creates the execution if it does not exist. Returns false if an execution with that name exists, whatever its
   * status.
   */
  create(execution: Execution): Promise<boolean>;
  /** Writes the next revision. Returns false if another process has already advanced it. */
  save(next: Execution): Promise<boolean>;
  get(machine: string, name: string): Promise<Execution | undefined>;
  /** Returns all executions that have not ended, oldest first. */
  running(machine: string): Promise<readonly Execution[]>;
}

/** Leaves the state for `next` with new input. Drops the previous state's data. */
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
