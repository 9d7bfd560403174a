/** One execution as stored between transitions, so that it resumes after a restart at any point. */

export interface Execution {
  readonly machine: string;
  readonly name: string;
  readonly status: 'running' | 'succeeded' | 'failed';
  /** The entered state. After a restart it runs again; steps are idempotent. */
  readonly state: string;
  readonly input: unknown;
  readonly variables: Readonly<Record<string, unknown>>;
  /** Tries counted per retrier of the state. */
  readonly attempts: readonly number[];
  /** Valid for the whole entry, so that a token issued before a restart still settles after it. Never logged. */
  readonly taskToken?: string;
  /** Time at which the state times out, is tried again or has waited long enough (epoch ms). */
  readonly wakeAt?: number;
  readonly wakeFor?: 'timeout' | 'retry' | 'wait';
  readonly executionInput: unknown;
  readonly startedAt: number;
  readonly enteredAt: number;
  readonly endedAt?: number;
  readonly output?: unknown;
  /** Counts writes. A writer that read an older revision loses. */
  readonly revision: number;
}

export interface ExecutionStore {
  /** Puts if absent. False if an execution of that name exists, whatever its status. */
  create(execution: Execution): Promise<boolean>;
  /** Writes the next revision. False if another process advanced it. */
  save(next: Execution): Promise<boolean>;
  get(machine: string, name: string): Promise<Execution | undefined>;
  /** Returns all executions that have not ended, oldest first. */
  running(machine: string): Promise<readonly Execution[]>;
}

/** Leaves the state for `next` with new input. Drops the data of the old state. */
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
