/** Conditions on parameters that a proposed rule has: what was seen, and nothing beside it where something is changed. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { ArgumentPredicate } from '#core/contracts/tool-policy.ts';
import { escaped } from './targets.ts';

type Conditions = Record<string, ArgumentPredicate>;

/** Words of one parameter that a rule lists; more of them, and longer or several words, are free text, limited in length. */
const maxValues = 8;
const shortWord = 64;

/** A name that is not a path into parameters. */
const isPlain = (name: string): boolean => /^[A-Za-z_][\w-]*$/.test(name);

/**
 * @param seen calls that the rule is to cover.
 * @param targets the globs that the rule has for their targets: a parameter that repeats the target has to match them, too.
 * @param others names of parameters seen with other calls of the tool: the rule is not for those.
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

/** A read may look for anything; a call that changes something is bound to the values that were seen. */
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

/** Each option that was seen and no other; words without a dash are bound by the target. No variable is set before the command. */
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
