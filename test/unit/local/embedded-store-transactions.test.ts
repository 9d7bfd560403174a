/** Transactions of the embedded store, odd names, and room for timers. */
import { openEmbeddedStore } from '#adapters/local/embedded-dynamodb/store.ts';
import type { Loose } from '../../support/loose.ts';
import { ask, item, keys, TableName, types } from './embedded-rows.ts';

test('[store.limits] a repeated token does a transaction once, and refuses another one', async () => {
  let now = 0;
  const own = openEmbeddedStore({ now: () => now });
  await own.execute('CreateTable', { TableName, KeySchema: keys('id'), AttributeDefinitions: types({ id: 'S' }) });
  const add = (by: string) => ({
    ClientRequestToken: 'token',
    TransactItems: [
      {
        Update: {
          TableName,
          Key: { id: { S: 'sum' } },
          UpdateExpression: 'ADD n :by',
          ExpressionAttributeValues: { ':by': { N: by } },
        },
      },
    ],
  });
  const sum = async () => ((await own.execute('GetItem', { TableName, Key: { id: { S: 'sum' } } })) as Loose).Item.n.N;
  await own.execute('TransactWriteItems', add('1'));
  await own.execute('TransactWriteItems', add('1'));
  expect(await sum()).toBe('1');
  await expect(own.execute('TransactWriteItems', add('2'))).rejects.toMatchObject({
    name: 'IdempotentParameterMismatchException',
  });
  now = 10 * 60_000;
  await own.execute('TransactWriteItems', add('2'));
  expect(await sum()).toBe('3');
  own.close();
});
test('[store.limits] a cancelled transaction writes nothing and says why, item by item', async () => {
  await ask('PutItem', { TableName, Item: item('why', '1', { n: { N: '7' } }) });
  const TransactItems = [
    { Put: { TableName, Item: item('why', '2') } },
    {
      Put: {
        TableName,
        Item: item('why', '1'),
        ConditionExpression: 'attribute_not_exists(id)',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    { Put: { TableName, Item: item('why', '') } },
  ];
  await expect(ask('TransactWriteItems', { TransactItems })).rejects.toMatchObject({
    name: 'TransactionCanceledException',
    CancellationReasons: [
      { Code: 'None' },
      { Code: 'ConditionalCheckFailed', Item: item('why', '1', { n: { N: '7' } }) },
      { Code: 'ValidationError' },
    ],
  });
  expect(await ask('GetItem', { TableName, Key: item('why', '2') })).toEqual({});
});
test('[store.limits] an attribute named __proto__ is one like any other', async () => {
  const Item = { ...item('proto', '1'), ['__proto__']: { S: 'mine' } };
  await ask('PutItem', { TableName, Item });
  await ask('UpdateItem', {
    TableName,
    Key: item('proto', '1'),
    UpdateExpression: 'SET #m = :m',
    ExpressionAttributeNames: { '#m': 'constructor' },
    ExpressionAttributeValues: { ':m': { M: JSON.parse('{"__proto__":{"S":"within"}}') } },
  });
  const { Item: found } = await ask('GetItem', { TableName, Key: item('proto', '1') });
  expect(JSON.stringify(found)).toContain('"__proto__":{"S":"mine"}');
  expect(JSON.stringify(found)).toContain('"constructor":{"M":{"__proto__":{"S":"within"}}}');
  expect(Object.getPrototypeOf(found)).not.toHaveProperty('S');
});
test('[store.yields] a caller that never stops asking leaves room for timers', async () => {
  let over = false;
  setTimeout(() => {
    over = true;
  });
  let reads = 0;
  while (!over) {
    await ask('GetItem', { TableName, Key: item('why', '1') });
    reads++;
  }
  expect(reads).toBeGreaterThan(0);
});
