/**
 * The subset of the Amazon States Language (JSONata mode) that the gateway's state machines use. Anything else is
 * rejected on loading.
 */

export interface Retrier {
  readonly ErrorEquals: readonly string[];
  readonly IntervalSeconds?: number;
  readonly MaxAttempts?: number;
  readonly BackoffRate?: number;
  readonly MaxDelaySeconds?: number;
  readonly JitterStrategy?: 'FULL' | 'NONE';
}

/** Effects of leaving a state. Values are templates: strings `{% … %}` anywhere inside are JSONata. */
export interface Exit {
  readonly Assign?: Readonly<Record<string, unknown>>;
  readonly Output?: unknown;
}

interface Catcher extends Exit {
  readonly ErrorEquals: readonly string[];
  readonly Next: string;
}

interface StateFields extends Exit {
  readonly Comment?: string;
  readonly Next?: string;
  readonly End?: boolean;
}

export interface TaskState extends StateFields {
  readonly Type: 'Task';
  readonly Resource: string;
  readonly Arguments: { readonly FunctionName: string; readonly Payload?: unknown };
  readonly TimeoutSeconds?: number | string;
  readonly Retry?: readonly Retrier[];
  readonly Catch?: readonly Catcher[];
}

interface ChoiceState extends Exit {
  readonly Type: 'Choice';
  readonly Comment?: string;
  readonly Choices: readonly (Exit & { readonly Condition: string; readonly Next: string })[];
  readonly Default?: string;
}

interface WaitState extends StateFields {
  readonly Type: 'Wait';
  readonly Seconds?: number | string;
  readonly Timestamp?: string;
}

interface PassState extends StateFields {
  readonly Type: 'Pass';
}

interface SucceedState extends Exit {
  readonly Type: 'Succeed';
  readonly Comment?: string;
}

interface FailState {
  readonly Type: 'Fail';
  readonly Comment?: string;
  readonly Error?: string;
  readonly Cause?: string;
}

export type State = TaskState | ChoiceState | WaitState | PassState | SucceedState | FailState;

export interface StateMachine {
  readonly Comment?: string;
  readonly QueryLanguage: 'JSONata';
  readonly StartAt: string;
  readonly States: Readonly<Record<string, State>>;
}

const tokenSuffix = '.waitForTaskToken';
const resources = ['arn:aws:states:::lambda:invoke', `arn:aws:states:::lambda:invoke${tokenSuffix}`];
const types = ['Task', 'Choice', 'Wait', 'Pass', 'Succeed', 'Fail'];

export const waitsForToken = (state: TaskState): boolean => state.Resource.endsWith(tokenSuffix);

/** Parses a definition and replaces its `${Name}` placeholders. */
export function loadDefinition(text: string, substitutions: Readonly<Record<string, string>>): StateMachine {
  const filled = text.replace(/\$\{(\w+)\}/g, (_, name: string) => {
    const value = substitutions[name];
    if (value === undefined) throw new Error(`The state machine names \${${name}}, for which there is no value.`);
    return JSON.stringify(value).slice(1, -1);
  });
  const machine = JSON.parse(filled) as StateMachine;
  if (machine.QueryLanguage !== 'JSONata')
    throw new Error('Only state machines with "QueryLanguage": "JSONata" run here.');
  for (const [name, state] of Object.entries(machine.States)) refuseUnknown(name, state);
  return machine;
}

function refuseUnknown(name: string, state: State): void {
  if (!types.includes(state.Type))
    throw new Error(`State ${name} has Type ${state.Type}; the local interpreter supports ${types.join(', ')}.`);
  if (state.Type === 'Task' && !resources.includes(state.Resource)) {
    throw new Error(
      `State ${name} has Resource ${state.Resource}; the local interpreter supports ${resources.join(', ')}.`,
    );
  }
}
