/**
 * Runs the gateway's state machines without Step Functions: the same definition, task tokens, timers and retries. Every
 * transition is stored before the next state begins, so that a restart at any point re-enters the same state.
 */
import type { Clock, Ids } from '#core/kernel/ports.ts';
import { activity } from './activity.ts';
import { type State, type StateMachine, type TaskState, waitsForToken } from './definition.ts';
import { type Execution, type ExecutionStore, end } from './execution.ts';
import { evaluate } from './expressions.ts';
import { asStatesError, StatesError, timedOut } from './states-error.ts';
import { choose, fail, scopeOf, succeed } from './transition.ts';

export interface Timers {
  /** Calls back once, when the clock reaches `epochMs`. Returns a function that cancels the timer. */
  at(epochMs: number, callback: () => void): () => void;
}

interface InterpreterDeps {
  readonly name: string;
  readonly definition: StateMachine;
  readonly store: ExecutionStore;
  readonly invoke: (functionName: string, payload: unknown) => Promise<unknown>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly timers: Timers;
  /** A number 0 ≤ x < 1, for retry jitter. */
  readonly random: () => number;
  /** Called for failed executions and store faults; the message never contains a task token. */
  readonly report: (message: string) => void;
}

export interface Interpreter {
  /** Starts an execution once per name. Succeeds even if the execution was started before. */
  start(name: string, input: unknown): Promise<void>;
  /**
   * Releases the state that waits for this token, and resolves when the transition is stored. Succeeds even if the
   * token is unknown.
   */
  settle(taskToken: string, output: unknown): Promise<void>;
  /** Resumes every execution that has not ended. Call this once, before the first `settle`. */
  recover(): Promise<number>;
  /** Resolves when every execution has ended or is waiting for a token or a timer. */
  idle(): Promise<void>;
  /** Lets running steps finish and starts no new ones. */
  stop(): Promise<void>;
}

/** Result of running a state; `moved` is called once the transition is stored. */
type StateResult =
  | { readonly armed: Execution }
  | { readonly fault: StatesError }
  | { readonly result: unknown; readonly moved?: PromiseWithResolvers<void> };

const storeRetryMs = 1000;

export function createInterpreter(deps: InterpreterDeps): Interpreter {
  const { clock, definition, store } = deps;
  const waiting = new Map<string, (output: unknown) => Promise<void>>();
  const pendingTimers = new Set<() => void>();
  const work = activity();
  let stopped = false;

  /** Runs state after state until the execution ends, waits or is taken over by another process. */
  async function drive(execution: Execution): Promise<void> {
    let current: Execution | undefined = execution;
    while (current?.status === 'running' && !stopped) current = await step(current);
    if (current?.status === 'failed')
      deps.report(`Execution ${current.name} failed in ${current.state}: ${JSON.stringify(current.output)}`);
  }

  async function step(entered: Execution): Promise<Execution | undefined> {
    if (entered.wakeFor === 'retry') await sleepUntil(entered.wakeAt ?? 0);
    const state = definition.States[entered.state];
    const outcome: StateResult =
      state === undefined ? { fault: noSuchState(entered.state) } : await run(entered, state).catch(asFault);
    const now = clock.now();
    if ('armed' in outcome) return write(outcome.armed);
    if (state === undefined || 'fault' in outcome) {
      const fault = 'fault' in outcome ? outcome.fault : noSuchState(entered.state);
      return write(await fail(entered, state, fault, { now, random: deps.random }));
    }
    if (state.Type === 'Choice') return write(await choose(entered, state, now));
    if (state.Type === 'Fail') return write(end(entered, 'failed', { Error: state.Error, Cause: state.Cause }, now));
    return write(await succeed(entered, state, outcome.result, now), outcome.moved);
  }

  async function run(execution: Execution, state: State): Promise<StateResult> {
    if (needsArming(execution, state)) return { armed: await arm(execution, state) };
    if (state.Type === 'Wait') await sleepUntil(execution.wakeAt ?? 0);
    if (state.Type !== 'Task') return { result: execution.input };
    const { FunctionName, Payload } = (await evaluate(state.Arguments, scopeOf(execution))) as TaskState['Arguments'];
    const invoke = () => deps.invoke(FunctionName, asJson(Payload));
    if (execution.taskToken !== undefined) return waitForToken(execution, execution.taskToken, invoke);
    return inTime(await deadline(execution, state), async () => ({
      result: { StatusCode: 200, Payload: asJson(await invoke()) },
    }));
  }

  /** Stores the data that must survive a crash (the state's token and wake-up time) before the state begins. */
  async function arm(entered: Execution, state: State): Promise<Execution> {
    const { wakeAt: _at, wakeFor: _for, ...kept } = entered;
    const isTask = state.Type === 'Task';
    const armed = { ...kept, revision: entered.revision + 1, ...(isTask && { taskToken: deps.ids.randomHex(32) }) };
    const wakeAt = await deadline(armed, state);
    return wakeAt === undefined ? armed : { ...armed, wakeAt, wakeFor: isTask ? 'timeout' : 'wait' };
  }

  /**
   * Waits until the token is settled, the time runs out, or the invocation fails. The invocation's result is ignored.
   */
  async function waitForToken(
    execution: Execution,
    token: string,
    invoke: () => Promise<unknown>,
  ): Promise<StateResult> {
    const { wakeAt } = execution;
    if (wakeAt !== undefined && wakeAt <= clock.now()) throw timedOut(); // overdue after a restart: the token is not needed
    const { promise, resolve } = Promise.withResolvers<StateResult>();
    const conclude = (outcome: StateResult) => {
      waiting.delete(token); // immediately: a second settle must not wait for the transition to be stored
      cancel();
      resolve(outcome);
    };
    const cancel = wakeAt === undefined ? () => {} : timer(wakeAt, () => conclude(asFault(timedOut())));
    waiting.set(token, (output) => {
      const moved = Promise.withResolvers<void>();
      conclude({ result: asJson(output), moved });
      return moved.promise;
    });
    work.during(Promise.resolve().then(invoke)).catch((fault) => conclude(asFault(fault)));
    return work.parked(promise);
  }

  /** Runs a plain task. The deadline is counted from this run; a run interrupted by a crash starts over. */
  async function inTime(wakeAt: number | undefined, task: () => Promise<StateResult>): Promise<StateResult> {
    if (wakeAt === undefined) return task();
    const late = Promise.withResolvers<StateResult>();
    const cancel = timer(wakeAt, () => late.resolve({ fault: timedOut() }));
    return Promise.race([task(), late.promise]).finally(cancel);
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
    const driven = drive(execution).catch((fault) => {
      if (stopped) return;
      deps.report(`Execution ${execution.name} stopped for a moment: ${(fault as Error).message}`);
      timer(clock.now() + storeRetryMs, () => resume(execution));
    });
    void work.during(driven);
  }

  function resume(last: Execution): void {
    const read = store.get(last.machine, last.name).then(
      (row) => row && launch(row),
      () => void timer(clock.now() + storeRetryMs, () => resume(last)),
    );
    void work.during(read);
  }

  async function deadline(execution: Execution, state: State): Promise<number | undefined> {
    if (state.Type === 'Wait' && state.Timestamp !== undefined)
      return Date.parse(String(await evaluate(state.Timestamp, scopeOf(execution))));
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

  async function sleepUntil(at: number): Promise<void> {
    if (at > clock.now()) await work.parked(new Promise<void>((resolve) => timer(at, resolve)));
  }

  return {
    start: async (name, input) => {
      const now = clock.now();
      const first: Execution = {
        machine: deps.name,
        name,
        status: 'running',
        state: definition.StartAt,
        variables: {},
        attempts: [],
        input: asJson(input),
        executionInput: asJson(input),
        startedAt: now,
        enteredAt: now,
        revision: 0,
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

const needsArming = ({ taskToken, wakeFor }: Execution, state: State): boolean =>
  (state.Type === 'Wait' && wakeFor !== 'wait') ||
  (state.Type === 'Task' && waitsForToken(state) && taskToken === undefined);

const asFault = (thrown: unknown): StateResult => ({ fault: asStatesError(thrown) });

const noSuchState = (name: string) => new StatesError('States.Runtime', `There is no state ${name}.`);

const asJson = (value: unknown): unknown => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
