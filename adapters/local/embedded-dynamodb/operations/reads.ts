/** GetItem, BatchGetItem and BatchWriteItem. */
import { consumed, consumedOf, readUnits, wantsCapacity, writeUnits } from '../capacity.ts';
import type { Catalog } from '../catalog.ts';
import { bind, projectionOf } from '../expressions/cache.ts';
import type { ResolvedPath } from '../expressions/paths.ts';
import { projected, resolveProjection } from '../expressions/projections.ts';
import { invalid } from '../faults.ts';
import { idOfPlace, type Place } from '../keys.ts';
import { onlyKnown } from '../request.ts';
import type { Table } from '../table.ts';
import { type Item, sizeOfItem } from '../values.ts';
import { applyWrite, itemAfter, put, remove, type Write } from './writes.ts';

interface Projecting {
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
}

interface GetRequest extends Projecting {
  readonly TableName?: string;
  readonly Key?: Item;
  readonly ConsistentRead?: boolean;
  readonly ReturnConsumedCapacity?: string;
}

const knownOfGet = new Set([
  'TableName',
  'Key',
  'ConsistentRead',
  'ProjectionExpression',
  'ExpressionAttributeNames',
  'ReturnConsumedCapacity',
]);

export function getItem(catalog: Catalog, request: GetRequest): object {
  onlyKnown(request, 'GetItem', knownOfGet);
  const table = catalog.table(request.TableName);
  const paths = pathsOf(request);
  const item = table.get(table.placeOf(request.Key));
  return {
    ...(item && { Item: paths ? projected(item, paths) : item }),
    ...consumed(request, table.definition.name, () =>
      readUnits(item ? sizeOfItem(item) : 0, request.ConsistentRead === true),
    ),
  };
}

function pathsOf(request: Projecting): readonly ResolvedPath[] | undefined {
  const projection =
    request.ProjectionExpression === undefined ? undefined : projectionOf(request.ProjectionExpression);
  const bound = bind({ ExpressionAttributeNames: request.ExpressionAttributeNames }, projection);
  return projection && resolveProjection(projection.tree, bound);
}

interface KeysOfTable extends Projecting {
  readonly Keys?: readonly Item[];
  readonly ConsistentRead?: boolean;
}
interface BatchGet {
  readonly RequestItems?: Readonly<Record<string, KeysOfTable>>;
  readonly ReturnConsumedCapacity?: string;
}

const maxKeys = 100;
const maxAnswerBytes = 16 * 1024 * 1024;
/** Upper bound for the text of an item, which is longer than DynamoDB's count. */
const maxBytesACharacter = 3;
const knownOfBatchGet = new Set(['RequestItems', 'ReturnConsumedCapacity']);
const knownOfKeys = new Set(['Keys', 'ConsistentRead', 'ProjectionExpression', 'ExpressionAttributeNames']);

/** Reads items. Keys that do not fit into the answer are returned as unprocessed. */
export function batchGetItem(catalog: Catalog, request: BatchGet): object {
  onlyKnown(request, 'BatchGetItem', knownOfBatchGet);
  const asked = Object.entries(request.RequestItems ?? {}).map(([name, keys]) => {
    onlyKnown(keys, 'BatchGetItem', knownOfKeys);
    if (!keys.Keys?.length)
      throw invalid(`Value at 'requestItems.${name}.keys' failed to satisfy constraint: at least one`);
    const table = catalog.table(name);
    return { name, keys, table, paths: pathsOf(keys), places: keys.Keys.map((key) => table.placeOf(key)) };
  });
  const count = asked.reduce((sum, { places }) => sum + places.length, 0);
  if (count < 1 || count > maxKeys)
    throw invalid(`Too many items requested for the BatchGetItem call: from 1 to ${maxKeys}, found ${count}`);
  const Responses: Record<string, Item[]> = {};
  const UnprocessedKeys: Record<string, KeysOfTable> = {};
  const units = new Map<string, number>();
  const wanted = wantsCapacity(request);
  const read: Item[] = [];
  let bytes = 0;
  for (const { name, keys, table, paths, places } of asked) {
    assertDistinct(table, places);
    const found: Item[] = [];
    const left: Item[] = [];
    for (const [i, place] of places.entries()) {
      // Measured only if the texts could be too long: most calls read a few small items.
      if (bytes >= maxAnswerBytes) bytes = read.reduce((sum, item) => sum + sizeOfItem(item), 0);
      if (bytes >= maxAnswerBytes) {
        left.push(keys.Keys![i]!);
        continue;
      }
      const { item, characters } = table.read(place);
      bytes += characters * maxBytesACharacter;
      if (wanted) {
        const size = item ? sizeOfItem(item) : 0;
        units.set(name, (units.get(name) ?? 0) + readUnits(size, keys.ConsistentRead === true));
      }
      if (!item) continue;
      read.push(item);
      found.push(paths ? projected(item, paths) : item);
    }
    Responses[name] = found;
    if (left.length > 0) UnprocessedKeys[name] = { ...keys, Keys: left };
  }
  return { Responses, UnprocessedKeys, ...consumedOf(request, units) };
}

function assertDistinct(table: Table, places: readonly Place[]): void {
  if (places.length < 2) return;
  const ids = new Set(places.map(idOfPlace));
  if (ids.size !== places.length)
    throw invalid(`Provided list of item keys contains duplicates (table ${table.definition.name})`);
}

interface BatchWrite {
  readonly RequestItems?: Readonly<
    Record<string, readonly { readonly PutRequest?: { Item?: Item }; readonly DeleteRequest?: { Key?: Item } }[]>
  >;
  readonly ReturnConsumedCapacity?: string;
}

const maxWrites = 25;
const knownOfBatchWrite = new Set(['RequestItems', 'ReturnConsumedCapacity', 'ReturnItemCollectionMetrics']);

export function batchWriteItem(catalog: Catalog, request: BatchWrite): object {
  onlyKnown(request, 'BatchWriteItem', knownOfBatchWrite);
  const asked = Object.entries(request.RequestItems ?? {}).map(([TableName, requests]) => {
    const table = catalog.table(TableName);
    const writes = requests.map(({ PutRequest, DeleteRequest }): Write => {
      if (!PutRequest === !DeleteRequest)
        throw invalid('Supplied request must contain exactly one of PutRequest and DeleteRequest');
      if (PutRequest) return put(catalog, { TableName, Item: PutRequest.Item ?? {} })();
      return remove(catalog, { TableName, Key: DeleteRequest!.Key ?? {} })();
    });
    return { table, writes };
  });
  const count = asked.reduce((sum, { writes }) => sum + writes.length, 0);
  if (count < 1 || count > maxWrites)
    throw invalid(`Too many items in the BatchWriteItem call: from 1 to ${maxWrites}, found ${count}`);
  for (const { table, writes } of asked)
    assertDistinct(
      table,
      writes.map(({ place }) => place),
    );
  const units = new Map<string, number>();
  const wanted = wantsCapacity(request);
  for (const { table, writes } of asked)
    for (const write of writes) {
      const before = table.get(write.place);
      const outcome = write.outcome(before)!;
      applyWrite(write, before, outcome);
      if (!wanted) continue;
      const { name } = table.definition;
      units.set(name, (units.get(name) ?? 0) + writeUnits(table, before, itemAfter(before, outcome), 1));
    }
  return { UnprocessedItems: {}, ...consumedOf(request, units) };
}
