/** Evaluates a state machine's templates: any string `{% … %}` in them is JSONata, everything else is literal. */
import jsonata from 'jsonata';
import { StatesError } from './states-error.ts';

/** Variables available to expressions: `$states` and the execution's own. */
export interface Scope {
  readonly states: {
    readonly input: unknown;
    readonly result?: unknown;
    readonly errorOutput?: unknown;
    readonly context: unknown;
  };
  readonly variables: Readonly<Record<string, unknown>>;
}

const compiled = new Map<string, jsonata.Expression>();
const pattern = /^\{%([\s\S]*)%\}$/;

export const isExpression = (value: unknown): value is string => typeof value === 'string' && pattern.test(value);

/** Evaluates every expression in a template. @throws StatesError `States.QueryEvaluationError` */
export async function evaluate(template: unknown, scope: Scope): Promise<unknown> {
  if (isExpression(template)) return evaluateExpression(template, scope);
  if (Array.isArray(template)) return Promise.all(template.map((item) => evaluate(item, scope)));
  if (template === null || typeof template !== 'object') return template;
  const entries = Object.entries(template).map(async ([key, value]) => [key, await evaluate(value, scope)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Compiles an expression. @throws StatesError if that fails */
export function compile(text: string): jsonata.Expression {
  const source = pattern.exec(text)?.[1] ?? text;
  let expression = compiled.get(source);
  if (expression === undefined) {
    try {
      expression = jsonata(source);
    } catch (fault) {
      throw evaluationFault(text, (fault as Error).message);
    }
    compiled.set(source, expression);
  }
  return expression;
}

async function evaluateExpression(text: string, scope: Scope): Promise<unknown> {
  let json: string | undefined;
  try {
    const value = await compile(text).evaluate(undefined, { ...scope.variables, states: scope.states });
    json = JSON.stringify(value); // JSONata sequences become plain arrays; a JSONata function fails
  } catch (fault) {
    if (fault instanceof StatesError) throw fault;
    throw evaluationFault(text, (fault as Error).message);
  }
  // Step Functions fails on an expression without a value instead of omitting the field.
  if (json === undefined) throw evaluationFault(text, 'it has no value');
  return JSON.parse(json);
}

const evaluationFault = (text: string, why: string) =>
  new StatesError('States.QueryEvaluationError', `The expression ${text} failed: ${why}.`);
