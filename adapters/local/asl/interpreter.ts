/**
 * Runs our state machines without Step Functions: the same definition, task tokens, timers, retries. Every transition
 * is written before the next state begins, so that a restart at any point enters the same state again.
 */
import type { Clock, Ids } from '#core/kernel/ports.ts';
import { activity } from './activity.ts';
import { type State, type StateMachine, type TaskState, waitsForToken } from './definition.ts';
import type { Execution, ExecutionStore } from './execution.ts';
import { end } from './execution.ts';
import { evaluate } from './expressions.ts';
import { asStatesError, type StatesError, timedOut } from './states-error.ts';
import { choose, fail, scopeOf, succeed } from './transition.ts';

export interface Timers {
  /** Calls back once when the clock reads `epochMs` or later; answers how to call it off. */
  at(epochMs: number, callback: () => void): () => void;
}

export interface InterpreterDeps {
  readonly name: string;
  readonly definition: StateMachine;
  readonly store: ExecutionStore;
  readonly invoke: (functionName: string, payload: unknown) => Promise<unknown>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly timers: Timers;
  /** 0 ≤ x < 1, for the jitter of retries. */
  readonly random: () => number;
  /** Told of failed executions and of store faults; never of a task token. */
  readonly report: (message: string) => void;
}

export interface Interpreter {
  /** Starts an execution once per name; started before is success. */
  start(name: string, input: unknown): Promise<void>;
  /** Releases the state that waits for this token, and answers when that is written. An unknown token is success. */
  settle(taskToken: string, output: unknown): Promise<void>;
  /** Takes up every execution that has not ended; call it once, before the first `settle`. */
  recover(): Promise<number>;
  /** Answers when every execution has ended or waits for a token or a timer. */
  idle(): Promise<void>;
  /** Lets running steps finish, starts no other. */
  stop(): Promise<void>;
}

/** How a state ended; `moved` is told when the transition is written. */
type Outcome = ({ readonly result: unknown } | { readonly fault: StatesError }) & {
  readonly moved?: PromiseWithResolvers<void>;
};

const storeRetryMs = 1000;

export function createInterpreter(deps: InterpreterDeps): Interpreter {
  const { clock, definition, store } = deps;
  const waiting = new Map<string, (output: unknown) => Promise<void>>();
  const pendingTimers = new Set<() => void>();
  const work = activity();
  let stopped = false;

  /** The story: state after state until the execution ends, waits or is lost to another process. */
  async function drive(execution: Execution): Promise<void> {
    let current: Execution | undefined = execution;
    while (current?.status === 'running' && !stopped) current = await step(current);
    if (current?.status === 'failed') {
      deps.report(`Execution ${current.name} failed in ${current.state}: ${JSON.stringify(current.output)}`);
    }
  }

  async function step(entered: Execution): Promise<Execution | undefined> {
    if (entered.wakeFor === 'retry') await sleepUntil(entered.wakeAt ?? 0);
    const state = definition.States[entered.state];
    if (state === undefined)
      return write(end(entered, 'failed', { Error: 'States.Runtime', Cause: 'No such state.' }, clock.now()));
    const armed = await arm(entered, state);
    if (armed === undefined) return undefined;
    const outcome = await run(armed, state);
    const now = clock.now();
    let next: Execution;
    if ('fault' in outcome) next = await fail(armed, state, outcome.fault, { now, random: deps.random });
    else if (state.Type === 'Choice') next = await choose(armed, state, now);
    else if (state.Type === 'Fail') next = end(armed, 'failed', { Error: state.Error, Cause: state.Cause }, now);
    else next = await succeed(armed, state, outcome.result, now);
    return write(next, outcome.moved);
  }

  /** Writes what must outlive a crash before the state begins: its token and when it wakes. */
  async function arm(entered: Execution, state: State): Promise<Execution | undefined> {
    const isToken = state.Type === 'Task' && waitsForToken(state);
    if (!isToken && state.Type !== 'Wait') return entered;
    if (entered.taskToken !== undefined || entered.wakeFor === 'wait') return entered; // armed before a restart
    const { wakeAt: _at, wakeFor: _for, ...kept } = entered;
    const armed = { ...kept, revision: entered.revision + 1, ...(isToken && { taskToken: deps.ids.randomHex(32) }) };
    try {
      const wakeAt = await deadline(armed, state);
      return write(wakeAt === undefined ? armed : { ...armed, wakeAt, wakeFor: isToken ? 'timeout' : 'wait' });
    } catch (fault) {
      return write(await fail(entered, state, asStatesError(fault), { now: clock.now(), random: deps.random }));
    }
  }

  async function run(execution: Execution, state: State): Promise<Outcome> {
    try {
      if (state.Type === 'Wait') await sleepUntil(execution.wakeAt ?? 0);
      if (state.Type === 'Task') return await runTask(execution, state);
      return { result: execution.input };
    } catch (fault) {
      return { fault: asStatesError(fault) };
    }
  }

  async function runTask(execution: Execution, state: TaskState): Promise<Outcome> {
    const { taskToken } = execution;
    const wakeAt = taskToken === undefined ? await deadline(execution, state) : execution.wakeAt;
    const { FunctionName, Payload } = (await evaluate(state.Arguments, scopeOf(execution))) as TaskState['Arguments'];
    return work.parked(
      new Promise<Outcome>((resolve) => {
        const cancel = wakeAt === undefined ? undefined : timer(wakeAt, () => conclude({ fault: timedOut() }));
        const conclude = (outcome: Outcome) => {
          cancel?.();
          if (taskToken !== undefined) waiting.delete(taskToken);
          resolve(outcome);
        };
        if (taskToken !== undefined) {
          waiting.set(taskToken, (output) => {
            const moved = Promise.withResolvers<void>();
            conclude({ result: asJson(output), moved });
            return moved.promise;
          });
        }
        if (wakeAt !== undefined && wakeAt <= clock.now() && taskToken !== undefined) return; // its time is over: no step
        work.during(deps.invoke(FunctionName, asJson(Payload))).then(
          (result) => {
            if (taskToken === undefined) conclude({ result: { StatusCode: 200, Payload: asJson(result) } });
          },
          (fault) => conclude({ fault: asStatesError(fault) }),
        );
      }),
    );
  }

  async function write(next: Execution, moved?: PromiseWithResolvers<void>): Promise<Execution | undefined> {
    try {
      const kept = await store.save(next);
      moved?.resolve();
      return kept ? next : undefined;
    } catch (fault) {
      moved?.reject(fault);
      throw fault;
    }
  }

  function launch(execution: Execution): void {
    work.during(drive(execution)).catch((fault) => {
      if (stopped) return;
      deps.report(`Execution ${execution.name} stopped for a moment: ${(fault as Error).message}`);
      timer(clock.now() + storeRetryMs, () => resume(execution));
    });
  }

  function resume(last: Execution): void {
    store.get(last.machine, last.name).then(
      (row) => row && launch(row),
      () => timer(clock.now() + storeRetryMs, () => resume(last)),
    );
  }

  async function deadline(execution: Execution, state: State): Promise<number | undefined> {
    if (state.Type === 'Wait' && state.Timestamp !== undefined) {
      return Date.parse(String(await evaluate(state.Timestamp, scopeOf(execution))));
    }
    const template = state.Type === 'Wait' ? state.Seconds : state.Type === 'Task' ? state.TimeoutSeconds : undefined;
    if (template === undefined) return undefined;
    const seconds = await evaluate(template, scopeOf(execution));
    if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 0) return clock.now() + seconds * 1000;
    throw asStatesError(new Error(`${execution.state} needs whole seconds, got ${JSON.stringify(seconds)}.`));
  }

  function timer(at: number, callback: () => void): () => void {
    if (stopped) return () => {};
    const cancel = deps.timers.at(at, () => {
      pendingTimers.delete(cancel);
      callback();
    });
    pendingTimers.add(cancel);
    return () => {
      pendingTimers.delete(cancel);
      cancel();
    };
  }

  const sleepUntil = (at: number) => work.parked(new Promise<void>((resolve) => timer(at, resolve)));

  return {
    start: async (name, input) => {
      const now = clock.now();
      const first: Execution = {
        ...{ machine: deps.name, name, status: 'running', state: definition.StartAt, variables: {}, attempts: [] },
        ...{ input: asJson(input), executionInput: asJson(input), startedAt: now, enteredAt: now, revision: 0 },
      };
      if (await store.create(first)) launch(first);
    },
    settle: async (taskToken, output) => waiting.get(taskToken)?.(output),
    recover: async () => {
      const executions = await store.running(deps.name);
      for (const execution of executions) launch(execution);
      return executions.length;
    },
    idle: work.idle,
    stop: async () => {
      stopped = true;
      for (const cancel of pendingTimers) cancel();
      await work.idle();
    },
  };
}

const asJson = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
