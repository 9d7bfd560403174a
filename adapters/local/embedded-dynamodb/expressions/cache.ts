/** Caches parsed expressions: a process sends few different ones, repeatedly. */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { invalid } from '../faults.ts';
import { checkedValue, type Item, setAttribute } from '../values.ts';
import { parseCondition } from './conditions.ts';
import type { Bound } from './paths.ts';
import { parseProjection } from './projections.ts';
import type { Condition, Parsed, Path, Update } from './tree.ts';
import { parseUpdate } from './updates.ts';

/** Far more than the adapters have. A caller that invents new ones must not fill the memory. */
const maxKnown = 2_000;

function remembered<T>(parse: (text: string, called: string) => Parsed<T>, called: string) {
  const known = new RecentMap<string, Parsed<T>>({ max: maxKnown });
  return (text: string): Parsed<T> => known.getOrInsertComputed(text, () => parse(text, called));
}

export const conditionOf = remembered<Condition>(parseCondition, 'ConditionExpression');
export const filterOf = remembered<Condition>(parseCondition, 'FilterExpression');
export const keyConditionOf = remembered<Condition>(parseCondition, 'KeyConditionExpression');
export const updateOf = remembered<Update>(parseUpdate, 'UpdateExpression');
export const projectionOf = remembered<readonly Path[]>(parseProjection, 'ProjectionExpression');

interface Placeholders {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>> | undefined;
  readonly ExpressionAttributeValues?: Readonly<Item> | undefined;
}

const nothing = {};

/**
 * Binds the placeholders of a request, which must be those that its expressions use.
 * @throws ValidationException for one that is undefined, unused, or has no valid value
 */
export function bind(request: Placeholders, ...expressions: (Parsed<unknown> | undefined)[]): Bound {
  const { ExpressionAttributeNames: names = nothing, ExpressionAttributeValues: values = nothing } = request;
  const used = expressions.filter((expression) => expression !== undefined);
  const has = (kind: 'names' | 'values', placeholder: string) => used.some((each) => each[kind].has(placeholder));
  if (used.length === 0 && (names !== nothing || values !== nothing))
    throw invalid(
      `ExpressionAttribute${names !== nothing ? 'Names' : 'Values'} can only be specified when using expressions`,
    );
  for (const { names: wanted } of used)
    for (const name of wanted)
      if (!Object.hasOwn(names, name))
        throw invalid(`An expression attribute name used in the document path is not defined; attribute name: ${name}`);
  for (const { values: wanted } of used)
    for (const value of wanted)
      if (!Object.hasOwn(values, value))
        throw invalid(`An expression attribute value used in expression is not defined; attribute value: ${value}`);
  // A single expression has found its placeholders, so if the counts match, all are used.
  const [only, second] = used;
  const single = second === undefined ? only : undefined;
  for (const name of unsure(names, 'Names', single?.names))
    if (!has('names', name))
      throw invalid(`Value provided in ExpressionAttributeNames unused in expressions: keys: {${name}}`);
  for (const value of unsure(values, 'Values', single?.values))
    if (!has('values', value))
      throw invalid(`Value provided in ExpressionAttributeValues unused in expressions: keys: {${value}}`);
  return { names: names as Bound['names'], values: values === nothing ? nothing : checkedValues(values as Item) };
}

function unsure(given: object, which: 'Names' | 'Values', needed: ReadonlySet<string> | undefined): readonly string[] {
  if (given === nothing) return none;
  const found = checkedNames(given, which);
  return found.length === needed?.size ? none : found;
}

const none: readonly string[] = [];

function checkedNames(given: object, which: 'Names' | 'Values'): string[] {
  const found = Object.keys(given);
  if (given !== nothing && found.length === 0) throw invalid(`ExpressionAttribute${which} must not be empty`);
  const sign = which === 'Names' ? '#' : ':';
  for (const name of found)
    if (!name.startsWith(sign) || name.length < 2)
      throw invalid(`ExpressionAttribute${which} contains invalid key: Syntax error; key: "${name}"`);
  return found;
}

/** Returns the same object if every value is normalised. */
function checkedValues(values: Item): Item {
  let checked = values;
  for (const name of Object.keys(values)) {
    const value = checkedValue(values[name]!);
    if (value === values[name]) continue;
    if (checked === values) checked = { ...values };
    setAttribute(checked, name, value);
  }
  return checked;
}
