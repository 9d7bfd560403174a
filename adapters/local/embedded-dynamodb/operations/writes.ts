/** The effect of PutItem, UpdateItem, DeleteItem and ConditionCheck, independent of its time. */
import type { Catalog } from '../catalog.ts';
import { applyUpdate, changedPaths } from '../expressions/apply-update.ts';
import { bind, conditionOf, updateOf } from '../expressions/cache.ts';
import { holds } from '../expressions/evaluate.ts';
import type { ResolvedPath } from '../expressions/paths.ts';
import { invalid } from '../faults.ts';
import { itemText, parseItem } from '../item-text.ts';
import { checkedKey, type Place, placeOfItem } from '../keys.ts';
import { oneOf } from '../request.ts';
import type { Row, Table } from '../table.ts';
import { attributeOf, checkedItem, checkedValue, type Item, setAttribute } from '../values.ts';

export interface WriteRequest {
  readonly TableName?: string;
  readonly Item?: Item;
  readonly Key?: Item;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Item;
  readonly ReturnValues?: string;
  readonly ReturnValuesOnConditionCheckFailure?: string;
  readonly ReturnConsumedCapacity?: string;
}

/** A request with valid expressions. The call checks keys and attributes. @throws ValidationException */
export type Prepared = () => Write;

/** A write whose request is valid. */
export interface Write {
  readonly table: Table;
  readonly place: Place;
  /** Whether a failed condition returns the current item. */
  readonly showsItem: boolean;
  /**
   * Computes the outcome for the current item. Undefined if the condition does not hold. @throws ValidationException
   */
  readonly outcome: (before: Item | undefined) => Outcome | undefined;
}

export interface Outcome {
  /** The new item; absent if there is none. */
  readonly after?: Item;
  /** The row to write; absent if no item is written, or it is deleted. */
  readonly row?: Row;
  readonly deletes?: true;
  /** Paths changed by an update. */
  readonly paths?: readonly ResolvedPath[];
}

const nothing: Item = {};

export function put(catalog: Catalog, request: WriteRequest): Prepared {
  const table = catalog.table(request.TableName);
  const condition = conditionIn(request);
  const bound = bind(request, condition);
  const shows = showsItem(request);
  if (request.Item === undefined) throw invalid("Value null at 'item' failed to satisfy constraint: must not be null");
  return () => {
    const item = checkedItem(request.Item);
    const row = table.toRow(item);
    return {
      table,
      place: row.place,
      showsItem: shows,
      outcome: (before) =>
        condition && !holds(condition.tree, before ?? nothing, bound) ? undefined : { after: item, row },
    };
  };
}

export function update(catalog: Catalog, request: WriteRequest): Prepared {
  const table = catalog.table(request.TableName);
  const { keys } = table.definition;
  const condition = conditionIn(request);
  const expression = request.UpdateExpression === undefined ? undefined : updateOf(request.UpdateExpression);
  const bound = bind(request, condition, expression);
  const paths = expression ? changedPaths(expression.tree, bound, table.keyNames) : [];
  const nested = paths.some(({ length }) => length > 1);
  const shows = showsItem(request);
  return () => {
    const key = checkedKey(request.Key, keys);
    return {
      table,
      place: placeOfItem(key, keys),
      showsItem: shows,
      outcome: (before) => {
        if (condition && !holds(condition.tree, before ?? nothing, bound)) return undefined;
        const was = before ?? key;
        const item = nested ? parseItem(itemText(was)) : { ...was };
        if (expression) applyUpdate(item, was, expression.tree, bound);
        const after = nested ? checkedItem(item) : withChecked(item, paths);
        return { after, row: table.toRow(after), paths };
      },
    };
  };
}

/** Normalises the changed attributes of `item`, in place. Unchanged ones were normalised when stored. */
function withChecked(item: Item, changed: readonly ResolvedPath[]): Item {
  for (const [name] of changed) {
    const value = attributeOf(item, name as string);
    if (value !== undefined) setAttribute(item, name as string, checkedValue(value));
  }
  return item;
}

export function remove(catalog: Catalog, request: WriteRequest): Prepared {
  const prepared = check(catalog, request);
  return () => {
    const { outcome, ...write } = prepared();
    return { ...write, outcome: (before) => outcome(before) && (before ? { deletes: true } : {}) };
  };
}

export function check(catalog: Catalog, request: WriteRequest): Prepared {
  const table = catalog.table(request.TableName);
  const condition = conditionIn(request);
  const bound = bind(request, condition);
  const shows = showsItem(request);
  return () => ({
    table,
    place: table.placeOf(request.Key),
    showsItem: shows,
    outcome: (before) => (condition && !holds(condition.tree, before ?? nothing, bound) ? undefined : {}),
  });
}

const conditionIn = ({ ConditionExpression: text }: WriteRequest) =>
  text === undefined ? undefined : conditionOf(text);

const showsItem = ({ ReturnValuesOnConditionCheckFailure: wanted }: WriteRequest): boolean =>
  oneOf('returnValuesOnConditionCheckFailure', wanted, ['NONE', 'ALL_OLD']) === 'ALL_OLD';

/** Writes the outcome. */
export function applyWrite({ table, place }: Write, before: Item | undefined, { row, deletes }: Outcome): void {
  if (row) table.put(row, before);
  else if (deletes && before) table.delete(place, before);
}

/** Returns the item after the write. */
export const itemAfter = (before: Item | undefined, { after, deletes }: Outcome): Item | undefined =>
  after ?? (deletes ? undefined : before);
