/** Rows that the embedded store has at hand. */
import { StatementSync } from 'node:sqlite';
import type { Loose } from '../../support/loose.ts';
import { ask, item, TableName } from './embedded-rows.ts';

const Key = item('hot', '1');
const found = async () => ((await ask('GetItem', { TableName, Key })) as Loose).Item;
const set = (value: string, more: object = {}) =>
  ask('UpdateItem', {
    TableName,
    Key,
    UpdateExpression: 'SET v = :v',
    ExpressionAttributeValues: { ':v': { S: value } },
    ...more,
  });

test('[store.rows-at-hand] a row that was read is not looked up again, neither to be read nor to be changed', async () => {
  await set('first');
  await found();
  const looks = jest.spyOn(StatementSync.prototype, 'get');
  await set('second', {
    ConditionExpression: 'v = :w',
    ExpressionAttributeValues: { ':v': { S: 'second' }, ':w': { S: 'first' } },
  });
  expect((await found()).v).toEqual({ S: 'second' });
  expect(looks).not.toHaveBeenCalled();
  await ask('DeleteItem', { TableName, Key });
  expect(await found()).toBeUndefined();
  expect(looks).toHaveBeenCalledTimes(1);
  looks.mockRestore();
});

test('[store.rows-at-hand] a reader may change what it was answered', async () => {
  await set('kept');
  const read = await found();
  read.v.S = 'changed by its reader';
  const old = (await set('next', { ReturnValues: 'ALL_OLD' })) as Loose;
  expect(old.Attributes.v).toEqual({ S: 'kept' });
  const after = (await set('last', { ReturnValues: 'ALL_NEW' })) as Loose;
  after.Attributes.v.S = 'changed by its writer';
  expect((await found()).v).toEqual({ S: 'last' });
  const condition = { ConditionExpression: 'v = :w', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
  const ExpressionAttributeValues = { ':v': { S: 'x' }, ':w': { S: 'y' } };
  const refused = await set('x', { ...condition, ExpressionAttributeValues }).catch((fault) => fault as Loose);
  refused.Item.v.S = 'changed by who was refused';
  expect((await found()).v).toEqual({ S: 'last' });
});

test('[store.rows-at-hand] a row that has grown is still answered as it stands', async () => {
  await set('small');
  await found();
  const large = 'x'.repeat(5_000);
  await set(large);
  expect((await found()).v).toEqual({ S: large });
  await set('small again');
  expect((await found()).v).toEqual({ S: 'small again' });
});
