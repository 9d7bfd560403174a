/** The same operations on the embedded store and on a server of others: answers, errors and contents, compared. */
import { fromWire } from '#adapters/dynamodb/operations.ts';
import { openEmbeddedStore } from '#adapters/local/embedded-dynamodb/store.ts';
import type { ReferenceServer } from './dynoxide.ts';
import type { Loose } from './loose.ts';
import { type Asked, OperationMaker, storeTables } from './store-operations.ts';

interface Answer {
  readonly output?: Loose;
  readonly error?: string;
  readonly message?: string;
  readonly item?: unknown;
  readonly reasons?: readonly { readonly Code: string }[];
}

/** Tables and seed of a run, and how far it got. */
export interface Difference {
  readonly at: number;
  readonly asked: Asked;
  readonly embedded: Answer;
  readonly reference: Answer;
}

export interface Compared {
  readonly operations: number;
  /** How often each operation was answered how, e.g. `PutItem ok`. */
  readonly kinds: ReadonlyMap<string, number>;
  readonly differences: readonly Difference[];
}

/** @param goesOn is asked before each operation */
export async function compareStores(
  reference: ReferenceServer,
  { seed, operations, goesOn = () => true }: { seed: number; operations: number; goesOn?: () => boolean },
): Promise<Compared> {
  const store = openEmbeddedStore();
  const maker = new OperationMaker(seed);
  const kinds = new Map<string, number>();
  const differences: Difference[] = [];
  const ofEmbedded = ({ operation, input }: Asked): Promise<Answer> =>
    store.execute(operation, fromWire(JSON.stringify(input)) as object).then(
      (output) => ({ output: comparable(wire(output)) }),
      (fault: Loose) => {
        if (!fault.$fault || fault.$fault === 'server') throw fault;
        return answerOf(fault.name, fault.message, wire(fault.Item), wire(fault.CancellationReasons));
      },
    );
  const ofReference = async ({ operation, input }: Asked): Promise<Answer> => {
    const { status, text } = await reference.ask(operation, JSON.stringify(input));
    const body = JSON.parse(text);
    if (status === 200) return { output: comparable(body) };
    return answerOf(String(body.__type).split('#').at(-1)!, body.message, body.Item, body.CancellationReasons);
  };

  for (const input of storeTables) {
    await ofReference({ operation: 'DeleteTable', input: { TableName: input.TableName } });
    for (const ask of [ofEmbedded, ofReference])
      if ((await ask({ operation: 'CreateTable', input })).error) throw new Error('a table was not created');
  }
  let at = 0;
  for (; at < operations && goesOn(); at++) {
    const asked = maker.next();
    const [embedded, theirs] = [await ofEmbedded(asked), await ofReference(asked)];
    const kind = `${asked.operation} ${embedded.error ?? 'ok'}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (shown(asked, embedded) === shown(asked, theirs)) continue;
    if (isStricter(embedded, theirs)) await evenOut(asked);
    else differences.push({ at, asked, embedded, reference: theirs });
  }
  for (const asked of wholeContents()) {
    const [embedded, theirs] = [await ofEmbedded(asked), await ofReference(asked)];
    if (shown(asked, embedded) !== shown(asked, theirs)) differences.push({ at, asked, embedded, reference: theirs });
  }
  store.close();
  return { operations: at, kinds, differences };

  /** Gives the reference what stands in the embedded store under the keys of a request. */
  async function evenOut({ operation, input }: Asked): Promise<void> {
    for (const [TableName, Key] of keysOf(operation, input as Loose)) {
      const { output } = await ofEmbedded({ operation: 'GetItem', input: { TableName, Key } });
      if (output?.Item) await ofReference({ operation: 'PutItem', input: { TableName, Item: output.Item } });
      else await ofReference({ operation: 'DeleteItem', input: { TableName, Key } });
    }
  }
}

const wholeContents = (): Asked[] =>
  storeTables.flatMap(({ TableName, GlobalSecondaryIndexes = [] }) => [
    { operation: 'Scan', input: { TableName } },
    ...(GlobalSecondaryIndexes as Loose[]).map(({ IndexName }) => ({
      operation: 'Scan',
      input: { TableName, IndexName },
    })),
  ]);

/** What DynamoDB refuses as well, and the reference lets pass or refuses for another reason. */
const stricter = [
  'The document path provided', // a path whose map or list is not there
  'Invalid UpdateExpression: Two document paths', // that overlap in two sections, or take a list for a map
  'Invalid ConditionExpression: The first operand must be distinct',
  'Invalid FilterExpression: The first operand must be distinct',
  'Invalid KeyConditionExpression: Incorrect operand type', // begins_with of a number
  'One or more parameter values were invalid: Condition parameter type', // a key of another type
  'One or more parameter values were invalid: The AttributeValue for a key', // an empty key in a query
];

function isStricter(embedded: Answer, reference: Answer): boolean {
  const said = [embedded.message ?? '', ...(embedded.reasons ?? []).map((reason: Loose) => reason.Message ?? '')];
  if (said.some((message) => stricter.some((start) => message.startsWith(start)))) return true;
  // A transaction that is not valid is refused before its conditions are looked at.
  return embedded.error === 'ValidationException' && reference.error === 'TransactionCanceledException';
}

const answerOf = (error: string, message: string, item: unknown, reasons: Loose): Answer => ({
  error,
  message,
  ...(item !== undefined && { item: comparable(item) }),
  ...(reasons && { reasons: comparable(reasons) }),
});

/** What is compared: never the words of a message. A transaction with a bad expression may be refused as a whole or by its reason. */
function shown({ operation, input }: Asked, { output, error, item, reasons }: Answer): string {
  if (error === undefined) {
    const { ConsumedCapacity: _, ...rest } = output!;
    // Of an item that was not there the reference shows the key as what was before.
    if (operation === 'UpdateItem' && isOnlyKey(rest.Attributes, input)) delete rest.Attributes;
    if (operation === 'Scan' && rest.Items) rest.Items = inNoOrder(rest.Items);
    if (operation === 'BatchGetItem')
      rest.Responses = Object.fromEntries(
        Object.entries(rest.Responses).map(([table, items]) => [table, inNoOrder(items as Loose[])]),
      );
    return JSON.stringify(rest);
  }
  const codes = reasons?.map(({ Message: _, ...reason }: Loose) => reason);
  const invalid = error === 'ValidationException' || codes?.some(({ Code }) => Code === 'ValidationError');
  if (operation === 'TransactWriteItems' && invalid) return 'invalid';
  return JSON.stringify({ error, item, codes });
}

const isOnlyKey = (attributes: Loose, { Key, ReturnValues }: Loose): boolean =>
  String(ReturnValues).endsWith('_OLD') && Object.keys(attributes ?? {}).join() === Object.keys(comparable(Key)).join();

const inNoOrder = (items: readonly Loose[]): string[] => items.map((item) => JSON.stringify(item)).sort();

/** Bytes as base64, as on the wire. */
const wire = (value: unknown): Loose =>
  value === undefined
    ? undefined
    : JSON.parse(
        JSON.stringify(value, (_, member) =>
          ArrayBuffer.isView(member) ? Buffer.from(member as Uint8Array).toString('base64') : member,
        ),
      );

/** Members in one order, also those of sets. */
function comparable(value: Loose): Loose {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => {
        const isSet = ['SS', 'NS', 'BS'].includes(name) && typeof value[name]?.[0] === 'string';
        return [name, isSet ? [...value[name]].sort() : comparable(value[name])];
      }),
  );
}

function keysOf(operation: string, input: Loose): [string, object][] {
  const only = (table: string, item: Loose): [string, object] => {
    const names = storeTables.find(({ TableName }) => TableName === table)!.KeySchema as Loose[];
    return [table, Object.fromEntries(names.map(({ AttributeName: name }) => [name, item[name]]))];
  };
  if (!/^(Put|Update|Delete|Transact)/.test(operation)) return [];
  if (operation !== 'TransactWriteItems') return [only(input.TableName, input.Key ?? input.Item)];
  return input.TransactItems.map((item: Loose) => {
    const request = item.Put ?? item.Update ?? item.Delete ?? item.ConditionCheck;
    return only(request.TableName, request.Key ?? request.Item);
  });
}
