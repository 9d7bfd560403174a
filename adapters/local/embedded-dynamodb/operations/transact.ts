/** TransactWriteItems and TransactGetItems: all or nothing, with the reasons of a refusal per item. */
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { consumedOf, readUnits, wantsCapacity, writeUnits } from '../capacity.ts';
import type { Catalog } from '../catalog.ts';
import { bind, projectionOf } from '../expressions/cache.ts';
import { projected, resolveProjection } from '../expressions/projections.ts';
import { cancelled, conditionMessage, invalid, isFault, type Reason } from '../faults.ts';
import { idOfPlace } from '../keys.ts';
import { onlyKnown } from '../request.ts';
import { type Item, sizeOfItem } from '../values.ts';
import type { Tokens } from './tokens.ts';
import {
  applyWrite,
  check,
  itemAfter,
  type Outcome,
  type Prepared,
  put,
  remove,
  update,
  type Write,
  type WriteRequest,
} from './writes.ts';

const actions = { Put: put, Update: update, Delete: remove, ConditionCheck: check };
type Action = keyof typeof actions;
type TransactItem = Readonly<Partial<Record<Action, WriteRequest>>>;

interface TransactWrite {
  readonly TransactItems?: readonly TransactItem[];
  readonly ClientRequestToken?: string;
  readonly ReturnConsumedCapacity?: string;
}

const most = 100;
const maxBytes = 4 * 1024 * 1024;
const known = new Set(['TransactItems', 'ClientRequestToken', 'ReturnConsumedCapacity', 'ReturnItemCollectionMetrics']);
const shared = ['TableName', 'ExpressionAttributeNames', 'ExpressionAttributeValues', 'ConditionExpression'];
const knownOf: Readonly<Record<Action, ReadonlySet<string>>> = {
  Put: new Set(['Item', 'ReturnValuesOnConditionCheckFailure', ...shared]),
  Update: new Set(['Key', 'UpdateExpression', 'ReturnValuesOnConditionCheckFailure', ...shared]),
  Delete: new Set(['Key', 'ReturnValuesOnConditionCheckFailure', ...shared]),
  ConditionCheck: new Set(['Key', 'ReturnValuesOnConditionCheckFailure', ...shared]),
};

export function transactWriteItems(catalog: Catalog, tokens: Tokens, request: TransactWrite): object {
  onlyKnown(request, 'TransactWriteItems', known);
  const { TransactItems = [], ClientRequestToken: token } = request;
  counted(TransactItems.length);
  if (token !== undefined && (token.length < 1 || token.length > 36))
    throw invalid(`Value '${token}' at 'clientRequestToken' failed to satisfy constraint: 1 to 36 characters`);
  if (token !== undefined && tokens.done(token, TransactItems)) return consumedOf(request, new Map());
  const prepared = TransactItems.map((item) => writeOf(catalog, item));
  const writes = prepared.map((prepare) => attempt(prepare));
  assertApart(writes.flatMap(({ done }) => done ?? []));
  const reasons: Reason[] = [];
  const outcomes = writes.map(({ done: write, reason }) => {
    const before = write?.table.get(write.place);
    const tried: Attempt<Outcome | undefined> = write ? attempt(() => write.outcome(before)) : { reason };
    reasons.push(tried.reason ?? (tried.done ? fine : conditionReason(write!, before)));
    return { write: write!, before, outcome: tried.done };
  });
  if (reasons.some(({ Code }) => Code !== 'None')) throw cancelled(reasons);
  assertBytes(outcomes.map(({ outcome }) => outcome));
  for (const { write, before, outcome } of outcomes) applyWrite(write, before, outcome!);
  if (token !== undefined) tokens.keep(token, TransactItems);
  const units = new Map<string, number>();
  if (wantsCapacity(request))
    for (const { write, before, outcome } of outcomes) {
      const { name } = write.table.definition;
      units.set(name, (units.get(name) ?? 0) + writeUnits(write.table, before, itemAfter(before, outcome!), 2));
    }
  return consumedOf(request, units);
}

function writeOf(catalog: Catalog, item: TransactItem): Prepared {
  const action = onlyAction(item);
  const request = item[action]!;
  onlyKnown(request, action, knownOf[action]);
  if (action === 'ConditionCheck' && request.ConditionExpression === undefined)
    throw invalid("Value null at 'conditionCheck.conditionExpression' failed to satisfy constraint: must not be null");
  if (action === 'Update' && request.UpdateExpression === undefined)
    throw invalid("Value null at 'update.updateExpression' failed to satisfy constraint: must not be null");
  return actions[action](catalog, request);
}

function onlyAction(item: TransactItem): Action {
  let found: Action | undefined;
  let count = 0;
  for (const name in actions) {
    if (item[name as Action] === undefined) continue;
    found = name as Action;
    count++;
  }
  if (found === undefined || count > 1)
    throw invalid(`TransactItems can only contain one of Check, Put, Update or Delete`);
  return found;
}

const fine: Reason = { Code: 'None' };

interface Attempt<T> {
  readonly done?: T;
  readonly reason?: Reason | undefined;
}

/** Returns the result, or the reason with which this item cancels the transaction. */
function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { done: work() };
  } catch (thrown) {
    if (!isFault(thrown) || !isErrorNamed(thrown, 'ValidationException')) throw thrown;
    return { reason: { Code: 'ValidationError', Message: thrown.message } };
  }
}

function conditionReason({ showsItem }: Write, before: Item | undefined): Reason {
  return { Code: 'ConditionalCheckFailed', Message: conditionMessage, ...(showsItem && before && { Item: before }) };
}

function counted(count: number): void {
  if (count < 1 || count > most)
    throw invalid(
      `Value at 'transactItems' failed to satisfy constraint: Member must have length from 1 to ${most}, found ${count}`,
    );
}

function assertApart(writes: readonly Pick<Write, 'table' | 'place'>[]): void {
  if (writes.length < 2) return;
  const ids = new Set<string>();
  for (const { table, place } of writes) ids.add(`${table.rows}/${idOfPlace(place)}`);
  if (ids.size !== writes.length) throw invalid('Transaction request cannot include multiple operations on one item');
}

/** Checks the size. Texts of so few characters are within the limit. */
function assertBytes(outcomes: readonly (Outcome | undefined)[]): void {
  const characters = outcomes.reduce((sum, outcome) => sum + (outcome?.row?.text.length ?? 0), 0);
  if (characters * 3 <= maxBytes) return;
  const bytes = outcomes.reduce((sum, outcome) => sum + (outcome?.after ? sizeOfItem(outcome.after) : 0), 0);
  if (bytes > maxBytes) throw invalid(`Transaction size has exceeded the maximum allowed size of ${maxBytes} bytes`);
}

interface TransactGet {
  readonly TransactItems?: readonly {
    readonly Get?: {
      readonly TableName?: string;
      readonly Key?: Item;
      readonly ProjectionExpression?: string;
      readonly ExpressionAttributeNames?: Record<string, string>;
    };
  }[];
  readonly ReturnConsumedCapacity?: string;
}

const knownGet = new Set(['TableName', 'Key', 'ProjectionExpression', 'ExpressionAttributeNames']);

export function transactGetItems(catalog: Catalog, request: TransactGet): object {
  onlyKnown(request, 'TransactGetItems', known);
  const { TransactItems = [] } = request;
  counted(TransactItems.length);
  const units = new Map<string, number>();
  const reads = TransactItems.map(({ Get = {} }) => {
    onlyKnown(Get, 'Get', knownGet);
    const table = catalog.table(Get.TableName);
    const projection = Get.ProjectionExpression === undefined ? undefined : projectionOf(Get.ProjectionExpression);
    const paths = projection && resolveProjection(projection.tree, bind(Get, projection));
    return { table, place: table.placeOf(Get.Key), paths };
  });
  assertApart(reads);
  const Responses = reads.map(({ table, place, paths }) => {
    const item = table.get(place);
    const { name } = table.definition;
    units.set(name, (units.get(name) ?? 0) + 2 * readUnits(item ? sizeOfItem(item) : 0, true));
    return item ? { Item: paths ? projected(item, paths) : item } : {};
  });
  return { Responses, ...consumedOf(request, units) };
}
