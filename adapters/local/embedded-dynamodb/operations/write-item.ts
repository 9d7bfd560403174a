/** PutItem, UpdateItem and DeleteItem. */
import { consumed, writeUnits } from '../capacity.ts';
import type { Catalog } from '../catalog.ts';
import { projected } from '../expressions/projections.ts';
import { conditionFailed } from '../faults.ts';
import { parseItem } from '../item-text.ts';
import { oneOf, onlyKnown } from '../request.ts';
import type { Item } from '../values.ts';
import { applyWrite, itemAfter, type Outcome, put, remove, update, type Write, type WriteRequest } from './writes.ts';

const shared = [
  'TableName',
  'ConditionExpression',
  'ExpressionAttributeNames',
  'ExpressionAttributeValues',
  'ReturnValues',
  'ReturnValuesOnConditionCheckFailure',
  'ReturnConsumedCapacity',
];
const known = {
  PutItem: new Set(['Item', ...shared]),
  UpdateItem: new Set(['Key', 'UpdateExpression', ...shared]),
  DeleteItem: new Set(['Key', ...shared]),
};

export function putItem(catalog: Catalog, request: WriteRequest): object {
  onlyKnown(request, 'PutItem', known.PutItem);
  oneOf('returnValues', request.ReturnValues, ['NONE', 'ALL_OLD']);
  return written(put(catalog, request)(), request);
}

export function updateItem(catalog: Catalog, request: WriteRequest): object {
  onlyKnown(request, 'UpdateItem', known.UpdateItem);
  oneOf('returnValues', request.ReturnValues, ['NONE', 'ALL_OLD', 'UPDATED_OLD', 'ALL_NEW', 'UPDATED_NEW']);
  return written(update(catalog, request)(), request);
}

export function deleteItem(catalog: Catalog, request: WriteRequest): object {
  onlyKnown(request, 'DeleteItem', known.DeleteItem);
  oneOf('returnValues', request.ReturnValues, ['NONE', 'ALL_OLD']);
  return written(remove(catalog, request)(), request);
}

function written(write: Write, request: WriteRequest): object {
  const before = write.table.get(write.place);
  const outcome = write.outcome(before);
  if (!outcome) throw conditionFailed(write.showsItem ? before : undefined);
  applyWrite(write, before, outcome);
  const Attributes = returned(request.ReturnValues, before, outcome);
  return {
    ...(Attributes && { Attributes }),
    ...consumed(request, write.table.definition.name, () =>
      writeUnits(write.table, before, itemAfter(before, outcome), 1),
    ),
  };
}

/** Returns the part of the old or new item that the caller requested. */
function returned(
  wanted: string | undefined,
  before: Item | undefined,
  { row, paths = [] }: Outcome,
): Item | undefined {
  if (wanted === undefined || wanted === 'NONE') return undefined;
  const item = wanted.endsWith('OLD') ? before : row && parseItem(row.text);
  if (!item || wanted.startsWith('ALL')) return item;
  const part = projected(item, paths);
  return Object.keys(part).length > 0 ? part : undefined;
}
