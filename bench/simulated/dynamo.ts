/**
 * The part of DynamoDB that the counters use, in virtual time: a request takes 3 to 5 ms; a transaction takes twice
 * that and blocks other writers of its items meanwhile. Each key gets 1,000 write units and 3,000 read units per
 * second; requests above that are throttled and then retried in the same way as the SDK retries. Item sizes are the
 * real ones.
 */
import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { VirtualTime } from './virtual-time.ts';

type Item = Record<string, AttributeValue>;
interface Put {
  readonly Item: Item;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeValues?: Item;
}
interface Update {
  readonly Key: Item;
  readonly ExpressionAttributeValues: Item;
}
interface Input extends Partial<Put> {
  readonly Key?: Item;
  readonly RequestItems?: Record<string, { readonly Keys: readonly Item[] }>;
  readonly TransactItems?: readonly { readonly Put?: Put; readonly Update?: Update }[];
}

export interface SimulatedDynamo {
  readonly client: DynamoDBClient;
  readonly items: ReadonlyMap<string, Item>;
  readonly used: { writeUnits: number; readUnits: number; writes: number; lost: number; throttled: number };
}

/** Write units per second that DynamoDB allows for one key. */
const writeUnitsOfKey = 1000;
const readUnitsOfKey = 3000;
const sdkTries = 3;

/** @param writeUnits the write units per second of each key; a low value makes a small load act like a large one. */
export function simulatedDynamo(
  time: VirtualTime,
  random: () => number,
  writeUnits = writeUnitsOfKey,
): SimulatedDynamo {
  const items = new Map<string, Item>();
  const locked = new Map<string, number>();
  const rooms = { write: new Map<string, Room>(), read: new Map<string, Room>() };
  const used = { writeUnits: 0, readUnits: 0, writes: 0, lost: 0, throttled: 0 };
  const latency = () => 3 + 2 * random();

  return { client: { send } as unknown as DynamoDBClient, items, used };

  async function send(command: { readonly constructor: { readonly name: string }; readonly input: Input }) {
    for (let tries = 1; ; tries++) {
      try {
        return await once(command.constructor.name, command.input);
      } catch (thrown) {
        if ((thrown as Error).name !== 'ProvisionedThroughputExceededException') throw thrown;
        used.throttled++;
        if (tries === sdkTries) throw thrown;
        await time.pause(random() * 25 * 2 ** tries);
      }
    }
  }

  async function once(name: string, input: Input): Promise<unknown> {
    const way = latency() / 2;
    await time.pause(way);
    try {
      if (name === 'GetItemCommand') return { Item: read(input.Key!) };
      if (name === 'BatchGetItemCommand') return batchOf(input);
      if (name === 'PutItemCommand') return put(input as Put);
      if (name === 'TransactWriteItemsCommand') return await transact(input.TransactItems ?? [], way);
      throw new Error(`the simulation has no ${name}`);
    } finally {
      await time.pause(way);
    }
  }

  function read(Key: Item): Item | undefined {
    const id = Key.id!.S!;
    const item = items.get(id);
    const units = Math.max(1, Math.ceil(sizeOf(item) / 4096));
    take(rooms.read, id, units, readUnitsOfKey);
    used.readUnits += units;
    return item;
  }

  function batchOf({ RequestItems = {} }: Input) {
    const [[table, { Keys }] = ['', { Keys: [] }]] = Object.entries(RequestItems);
    const found = Keys.map(read).filter((item) => item !== undefined);
    return { Responses: { [table]: found }, UnprocessedKeys: {} };
  }

  function put(request: Put): object {
    const id = request.Item.id!.S!;
    const item = items.get(id);
    const units = Math.max(1, Math.ceil(Math.max(sizeOf(item), sizeOf(request.Item)) / 1024));
    take(rooms.write, id, units, writeUnits);
    used.writeUnits += units;
    used.writes++;
    if (time.exactly() < (locked.get(id) ?? 0)) throw lost('TransactionConflictException');
    if (!isConditionMet(request, item)) throw lost('ConditionalCheckFailedException', { Item: item });
    items.set(id, request.Item);
    return {};
  }

  /** Runs a transaction. Its items are locked against other writers for the duration of a request. */
  async function transact(parts: NonNullable<Input['TransactItems']>, way: number): Promise<object> {
    const ids = parts.map(({ Put, Update }) => (Put?.Item ?? Update!.Key).id!.S!);
    const reasons = parts.map(({ Put }, i) => {
      const id = ids[i]!;
      const item = items.get(id);
      const units = 2 * Math.max(1, Math.ceil(Math.max(sizeOf(item), sizeOf(Put?.Item)) / 1024));
      take(rooms.write, id, units, writeUnits);
      used.writeUnits += units;
      if (time.exactly() < (locked.get(id) ?? 0)) return { Code: 'TransactionConflict' };
      return !Put || isConditionMet(Put, item) ? { Code: 'None' } : { Code: 'ConditionalCheckFailed', Item: item };
    });
    used.writes++;
    if (reasons.some(({ Code }) => Code !== 'None')) {
      throw lost('TransactionCanceledException', { CancellationReasons: reasons });
    }
    const until = time.exactly() + 2 * way;
    for (const id of ids) locked.set(id, until);
    await time.pause(2 * way);
    for (const [i, { Put, Update }] of parts.entries())
      items.set(ids[i]!, Put?.Item ?? updatedItem(items.get(ids[i]!), Update!));
    return {};
  }

  function lost(name: string, more: object = {}): Error {
    used.lost++;
    return Object.assign(new Error(name), { name, ...more });
  }

  function take(rooms_: Map<string, Room>, id: string, units: number, perSecond: number): void {
    const room = rooms_.get(id) ?? { left: perSecond, at: time.exactly() };
    const left = Math.min(perSecond, room.left + ((time.exactly() - room.at) / 1000) * perSecond);
    rooms_.set(id, { left: left < units ? left : left - units, at: time.exactly() });
    if (left < units) {
      throw Object.assign(new Error('throttled'), { name: 'ProvisionedThroughputExceededException' });
    }
  }
}

interface Room {
  readonly left: number;
  readonly at: number;
}

const sizeOf = (item: Item | undefined): number =>
  item === undefined
    ? 0
    : Object.entries(item).reduce((sum, [name, { S = '', N = '' }]) => sum + name.length + S.length + N.length, 0);

const isConditionMet = ({ ConditionExpression, ExpressionAttributeValues }: Put, item: Item | undefined): boolean =>
  ConditionExpression === 'attribute_not_exists(#n0)'
    ? item === undefined
    : item?.version?.N === ExpressionAttributeValues?.[':v0']?.N;

const updatedItem = (item: Item | undefined, { Key, ExpressionAttributeValues }: Update): Item => ({
  ...Key,
  granted: { N: String(Number(item?.granted?.N ?? 0) + Number(ExpressionAttributeValues[':v0']!.N)) },
});
