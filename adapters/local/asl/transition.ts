/** Advances an execution according to a state's outcome. Pure except for JSONata. */
import type { Exit, Retrier, State, TaskState } from './definition.ts';
import { type Execution, end, enter } from './execution.ts';
import { evaluate, type Scope } from './expressions.ts';
import { asStatesError, matchesError, type StatesError } from './states-error.ts';

interface Moment {
  readonly now: number;
  readonly random: () => number;
}

/** Returns the variables available to a state's expressions before the state has a result. */
export function scopeOf(execution: Execution): Scope {
  return {
    variables: execution.variables,
    states: {
      input: execution.input,
      context: {
        Execution: {
          Id: `${execution.machine}/${execution.name}`,
          Name: execution.name,
          Input: execution.executionInput,
          StartTime: new Date(execution.startedAt).toISOString(),
        },
        State: {
          Name: execution.state,
          EnteredTime: new Date(execution.enteredAt).toISOString(),
          RetryCount: execution.attempts.reduce((sum, count) => sum + count, 0),
        },
        StateMachine: { Name: execution.machine },
        ...(execution.taskToken !== undefined && { Task: { Token: execution.taskToken } }),
      },
    },
  };
}

/**
 * Leaves the state with its result: assigns variables, computes the output, then enters `Next` or ends the execution.
 */
export async function succeed(execution: Execution, state: Exit & { Next?: string }, result: unknown, now: number) {
  const scope = scopeOf(execution);
  return leave(execution, state, { ...scope, states: { ...scope.states, result } }, result, now);
}

/** Applies Retry first, then Catch; otherwise fails the execution (the order that the language defines). */
export async function fail(
  execution: Execution,
  state: State | undefined,
  error: StatesError,
  moment: Moment,
): Promise<Execution> {
  const { Retry = [], Catch = [] }: Partial<TaskState> = state?.Type === 'Task' ? state : {};
  const retry = planRetry(Retry as readonly Retrier[], error.error, execution.attempts, moment.random);
  if (retry !== undefined) {
    const again = enter(execution, execution.state, execution.input, execution.variables, execution.enteredAt);
    return { ...again, attempts: retry.counts, wakeAt: moment.now + retry.delayMs, wakeFor: 'retry' };
  }
  const catcher = Catch.find(({ ErrorEquals }) => matchesError(ErrorEquals, error.error));
  if (catcher === undefined) return end(execution, 'failed', error.output, moment.now);
  const scope = scopeOf(execution);
  const caught = { ...scope, states: { ...scope.states, errorOutput: error.output } };
  return leave(execution, catcher, caught, error.output, moment.now);
}

/** Takes the first branch of a Choice whose condition is true, or else `Default`. */
export async function choose(execution: Execution, state: State & { Type: 'Choice' }, now: number): Promise<Execution> {
  const scope = scopeOf(execution);
  for (const branch of state.Choices) {
    if ((await evaluate(branch.Condition, scope)) === true)
      return leave(execution, branch, scope, execution.input, now);
  }
  if (state.Default === undefined) {
    return end(
      execution,
      'failed',
      { Error: 'States.NoChoiceMatched', Cause: `No choice of ${execution.state} matches.` },
      now,
    );
  }
  return leave(execution, { ...state, Next: state.Default }, scope, execution.input, now);
}

/** Leaves a state. Output and Assign both use the values that the variables had when the state was entered. */
async function leave(
  execution: Execution,
  exit: Exit & { readonly Next?: string },
  scope: Scope,
  defaultOutput: unknown,
  now: number,
): Promise<Execution> {
  try {
    const output = exit.Output === undefined ? defaultOutput : await evaluate(exit.Output, scope);
    const assigned = (await evaluate(exit.Assign ?? {}, scope)) as Record<string, unknown>;
    if (exit.Next === undefined) return end(execution, 'succeeded', output, now);
    return enter(execution, exit.Next, output, { ...execution.variables, ...assigned }, now);
  } catch (fault) {
    return end(execution, 'failed', asStatesError(fault).output, now);
  }
}

interface RetryPlan {
  readonly delayMs: number;
  /** Number of attempts for each retrier, stored with the execution. */
  readonly counts: readonly number[];
}

/**
 * Plans a retry using the first retrier that names the error. Returns undefined if none does or it has no attempts
 * left.
 */
function planRetry(
  retriers: readonly Retrier[],
  error: string,
  counts: readonly number[],
  random: () => number,
): RetryPlan | undefined {
  const index = retriers.findIndex((retrier) => matchesError(retrier.ErrorEquals, error));
  const retrier = retriers[index];
  const tried = counts[index] ?? 0;
  if (retrier === undefined || tried >= (retrier.MaxAttempts ?? 3)) return undefined;
  const grown = (retrier.IntervalSeconds ?? 1) * (retrier.BackoffRate ?? 2) ** tried;
  const capped = Math.min(grown, retrier.MaxDelaySeconds ?? Number.POSITIVE_INFINITY) * 1000;
  return {
    delayMs: retrier.JitterStrategy === 'FULL' ? random() * capped : capped,
    counts: retriers.map((_, at) => (counts[at] ?? 0) + (at === index ? 1 : 0)),
  };
}
