/** Limits, order of keys and errors of the embedded store. */
import type { Loose } from '../../support/loose.ts';
import { ask, item, keys, TableName, types } from './embedded-rows.ts';

const error = async (operation: string, input: object) => {
  const fault: Loose = await ask(operation, input).then(
    () => ({ name: 'none' }),
    (thrown) => thrown,
  );
  return `${fault.name}: ${fault.message ?? ''}`;
};
const inOrder = async (TableName: string, given: readonly object[], type: string) => {
  for (const at of given) await ask('PutItem', { TableName, Item: { id: { S: 'order' }, at } });
  const { Items } = await ask('Query', {
    TableName,
    KeyConditionExpression: 'id = :id',
    ExpressionAttributeValues: { ':id': { S: 'order' } },
  });
  return Items.map(({ at }: Loose) => at[type]);
};
test('[store.limits] sort keys are ordered as numbers, as bytes and as UTF-8', async () => {
  const numbers = [
    '10',
    '-3',
    '9',
    '0',
    '-2.5',
    '1e125',
    '1E-130',
    '-1e2',
    '0.5',
    '12345678901234567890123456789012345678',
  ];
  const found = await inOrder(
    'numbers',
    numbers.map((N) => ({ N })),
    'N',
  );
  expect(found).toEqual([
    '-100',
    '-3',
    '-2.5',
    '0',
    `0.${'0'.repeat(129)}1`,
    '0.5',
    '9',
    '10',
    '12345678901234567890123456789012345678',
    `1${'0'.repeat(125)}`,
  ]);
  const bytes = [[255], [0], [1, 0], [1]].map((each) => ({ B: Uint8Array.from(each) }));
  expect((await inOrder('bytes', bytes, 'B')).map((each: Uint8Array) => [...each])).toEqual([[0], [1], [1, 0], [255]]);
  // By UTF-16 the astral character would stand before U+FFFF.
  const texts = ['\u{1f600}', '\uffff', 'a', 'Z', 'ä'].map((S) => ({ S }));
  expect(await inOrder('rows', texts, 'S')).toEqual(['Z', 'a', 'ä', '\uffff', '\u{1f600}']);
});
const big = (bytes: number) => ({ text: { S: 'x'.repeat(bytes) } });
test.each<[string, string, object, RegExp]>([
  [
    'an item of more than 400 kB',
    'PutItem',
    { TableName, Item: item('a', 'b', big(409_600)) },
    /^ValidationException: .*Item size/,
  ],
  [
    'an empty key',
    'PutItem',
    { TableName, Item: item('', 'b') },
    /^ValidationException: .*empty string value. Key: id/,
  ],
  [
    'a key of the wrong type',
    'PutItem',
    { TableName, Item: { id: { N: '1' }, at: { S: 'b' } } },
    /^ValidationException: .*Type mismatch/,
  ],
  [
    'an index key of the wrong type',
    'PutItem',
    { TableName, Item: item('a', 'b', { g: { N: '1' } }) },
    /^ValidationException: .*Index Key g/,
  ],
  [
    'a partition key of more than 2048 bytes',
    'PutItem',
    { TableName, Item: item('x'.repeat(2049), 'b') },
    /^ValidationException: .*2048/,
  ],
  [
    'a sort key of more than 1024 bytes',
    'PutItem',
    { TableName, Item: item('a', 'x'.repeat(1025)) },
    /^ValidationException: .*1024/,
  ],
  [
    '39 digits',
    'PutItem',
    { TableName, Item: item('a', 'b', { n: { N: '1'.repeat(39) } }) },
    /^ValidationException: .*38 significant digits/,
  ],
  [
    'a number that is too large',
    'PutItem',
    { TableName, Item: item('a', 'b', { n: { N: '1e126' } }) },
    /^ValidationException: Number overflow/,
  ],
  ['an empty set', 'PutItem', { TableName, Item: item('a', 'b', { s: { SS: [] } }) }, /^ValidationException: .*empty/],
  [
    'numbers twice in a set',
    'PutItem',
    { TableName, Item: item('a', 'b', { s: { NS: ['1', '1.0'] } }) },
    /^ValidationException: .*duplicates/,
  ],
  [
    'a value of two types',
    'PutItem',
    { TableName, Item: item('a', 'b', { s: { S: 'a', N: '1' } }) },
    /^ValidationException: .*exactly one/,
  ],
  ['an unknown table', 'GetItem', { TableName: 'none', Key: item('a', 'b') }, /^ResourceNotFoundException: /],
  [
    'an unknown index',
    'Query',
    {
      TableName,
      IndexName: 'none',
      KeyConditionExpression: 'id = :i',
      ExpressionAttributeValues: { ':i': { S: 'a' } },
    },
    /^ValidationException: .*index: none/,
  ],
  [
    'a consistent read of an index',
    'Query',
    {
      TableName,
      IndexName: 'by_g',
      ConsistentRead: true,
      KeyConditionExpression: 'g = :g',
      ExpressionAttributeValues: { ':g': { S: 'a' } },
    },
    /^ValidationException: Consistent reads are not supported/,
  ],
  [
    'a parameter that it does not know',
    'GetItem',
    { TableName, Key: item('a', 'b'), AttributesToGet: ['a'] },
    /^ValidationException: .*AttributesToGet/,
  ],
  [
    'an operation that it does not have',
    'ExecuteStatement',
    {},
    /^ValidationException: .*no operation ExecuteStatement/,
  ],
  [
    'the same key twice in a batch',
    'BatchGetItem',
    { RequestItems: { rows: { Keys: [item('a', 'b'), item('a', 'b')] } } },
    /^ValidationException: .*duplicates/,
  ],
  [
    '101 keys in a batch',
    'BatchGetItem',
    { RequestItems: { rows: { Keys: Array.from({ length: 101 }, (_, n) => item('a', `${n}`)) } } },
    /^ValidationException: .*100/,
  ],
  [
    '26 writes in a batch',
    'BatchWriteItem',
    { RequestItems: { rows: Array.from({ length: 26 }, (_, n) => ({ PutRequest: { Item: item('a', `${n}`) } })) } },
    /^ValidationException: .*25/,
  ],
  [
    '101 items in a transaction',
    'TransactWriteItems',
    { TransactItems: Array.from({ length: 101 }, (_, n) => ({ Put: { TableName, Item: item('t', `${n}`) } })) },
    /^ValidationException: .*100/,
  ],
  [
    'one item twice in a transaction',
    'TransactWriteItems',
    { TransactItems: [{ Put: { TableName, Item: item('t', '1') } }, { Delete: { TableName, Key: item('t', '1') } }] },
    /^ValidationException: .*multiple operations on one item/,
  ],
  [
    'a transaction of more than 4 MB',
    'TransactWriteItems',
    {
      TransactItems: Array.from({ length: 12 }, (_, n) => ({
        Put: { TableName, Item: item('t', `${n}`, big(390_000)) },
      })),
    },
    /^ValidationException: .*4194304/,
  ],
  [
    'a table that is there',
    'CreateTable',
    { TableName, KeySchema: keys('id'), AttributeDefinitions: types({ id: 'S' }) },
    /^ResourceInUseException: /,
  ],
])('[store.limits] %s is refused', async (_, operation, input, expected) => {
  expect(await error(operation, input)).toMatch(expected);
});
test('[store.limits] 400 kB, 100 items and 25 writes are within the limits', async () => {
  const fits = item('a', 'b', big(409_600 - 'idatab'.length - 'text'.length));
  await ask('PutItem', { TableName, Item: fits });
  const TransactItems = Array.from({ length: 100 }, (_, n) => ({ Put: { TableName, Item: item('many', `${n}`) } }));
  await ask('TransactWriteItems', { TransactItems });
  const { Count } = await ask('Query', {
    TableName,
    KeyConditionExpression: 'id = :id',
    ExpressionAttributeValues: { ':id': { S: 'many' } },
    Select: 'COUNT',
  });
  expect(Count).toBe(100);
});
test('[store.limits] a page holds 1 MB, and the next one goes on behind it', async () => {
  for (let n = 0; n < 25; n++) await ask('PutItem', { TableName, Item: item('pages', `${n + 10}`, big(100_000)) });
  const sizes: number[] = [];
  const seen: string[] = [];
  let ExclusiveStartKey: unknown;
  do {
    const { Items, LastEvaluatedKey } = await ask('Query', {
      TableName,
      KeyConditionExpression: 'id = :id',
      ExpressionAttributeValues: { ':id': { S: 'pages' } },
      ...(ExclusiveStartKey !== undefined && { ExclusiveStartKey }),
    });
    sizes.push(Items.length);
    seen.push(...Items.map(({ at }: Loose) => at.S));
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
  expect(sizes).toEqual([10, 10, 5]);
  expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => `${n + 10}`));
});
