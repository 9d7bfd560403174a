/** Conditions on parameters in a proposed rule: the recorded values, and no others if the call changes something. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ArgumentPredicate } from '#core/contracts/tool-policy.ts';
import { escaped } from './targets.ts';

type Conditions = Record<string, ArgumentPredicate>;

/**
 * Maximum number of values that a rule lists for a parameter. More of them, and longer texts, are free text with a
 * maximum length.
 */
const maxValues = 8;
const shortWord = 64;

/** Checks for a name without the syntax of parameter paths. */
const isPlain = (name: string): boolean => /^[A-Za-z_][\w-]*$/.test(name);

/**
 * Returns the conditions of a rule.
 * @param seen calls that the rule must cover.
 * @param targets the rule's target globs: a parameter that repeats the target must match them as well.
 * @param others names of parameters in other calls of the tool, which the rule does not allow.
 */
export function conditionsOf(
  calls: readonly ToolCall[],
  targets: readonly string[],
  others: readonly string[],
): Conditions {
  const [first] = calls;
  const seen = calls.map(({ parameters }) => parameters);
  if (first?.protocol === 'shell' && Array.isArray(first.parameters.argv)) return shellConditions(seen);
  const names = new Set(seen.flatMap(Object.keys));
  const conditions: Conditions = {};
  for (const name of others) if (!names.has(name) && isPlain(name)) conditions[name] = { absent: true };
  for (const name of names) {
    if (!isPlain(name)) continue;
    const having = calls.filter(({ parameters }) => Object.hasOwn(parameters, name));
    const values = having.map(({ parameters }) => parameters[name]);
    const repeats = having.every(({ parameters, target }) => parameters[name] === target);
    const predicate = repeats ? { glob: [...targets] } : predicateOf(values, first?.capability === 'read');
    if (predicate) conditions[name] = { ...(values.length < seen.length && { absent: true }), ...predicate };
  }
  return conditions;
}

/**
 * Returns the condition on a parameter. A read accepts any text; a call that changes something is limited to the
 * recorded values.
 */
function predicateOf(values: readonly unknown[], reads: boolean): ArgumentPredicate | undefined {
  const scalars = values.filter((value) => ['string', 'number', 'boolean'].includes(typeof value)) as (
    | string
    | number
    | boolean
  )[];
  if (scalars.length < values.length) return undefined;
  const distinct = [...new Set(scalars)];
  const texts = distinct.filter((value) => typeof value === 'string');
  if (texts.length < distinct.length) return { in: distinct };
  if (reads) return undefined;
  const words =
    distinct.length <= maxValues && texts.every((text) => /^[\w.:@+-]*$/.test(text) && text.length <= shortWord);
  return words ? { in: distinct } : { max_length: 2 * Math.max(...texts.map(({ length }) => length)) };
}

/**
 * Returns the conditions on a command: only recorded options, no variables before the command. The target covers words
 * without a dash.
 */
function shellConditions(seen: readonly ToolCall['parameters'][]): Conditions {
  const options = seen.flatMap(({ argv }) => (argv as string[]).slice(1).filter((word) => word.startsWith('-')));
  const shows = seen.find((each) => each.shows !== undefined)?.shows;
  return {
    argv: { absent: false },
    'argv[*]': { glob: ['[!-]**', ...[...new Set(options)].sort().map(escaped)] },
    ...Object.fromEntries(['env', 'command', 'cmd', 'script', 'shell'].map((name) => [name, { absent: true }])),
    cwd: cwdOf(seen),
    ...(typeof shows === 'string' && { shows: { equals: shows } }),
  };
}

function cwdOf(seen: readonly ToolCall['parameters'][]): ArgumentPredicate {
  const folders = [...new Set(seen.flatMap(({ cwd }) => (typeof cwd === 'string' ? [cwd] : [])))].sort();
  const absent = seen.some(({ cwd }) => cwd === undefined);
  return { ...(absent && { absent: true }), ...(folders.length > 0 && { in: folders }) };
}
