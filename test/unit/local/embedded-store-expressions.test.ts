/** Expressions in the embedded store: what they mean, and what is refused. */
import { openEmbeddedStore } from '#adapters/local/embedded-dynamodb/store.ts';
import type { Loose } from '../../support/loose.ts';

const store = openEmbeddedStore();
const TableName = 'rows';
const Key = { id: { S: 'a' } };
const stands = {
  ...Key,
  n: { N: '5' },
  s: { S: 'text' },
  l: { L: [{ N: '1' }, { N: '2' }, { N: '3' }] },
  m: { M: { a: { N: '1' }, b: { M: { c: { S: 'deep' } } } } },
  marks: { SS: ['a', 'b'] },
};
const values = {
  ...{
    ':1': { N: '1' },
    ':5': { N: '5' },
    ':t': { S: 'te' },
    ':a': { S: 'a' },
    ':S': { S: 'S' },
    ':l': { L: [{ N: '9' }] },
  },
  ...{ ':set': { SS: ['b', 'c'] }, ':no': { S: 'none' } },
};
const names = { '#status': 'status', '#n': 'n' };
/** Those that the expressions use. */
const used = (...texts: string[]): object => {
  const pick = (all: object) =>
    Object.entries(all).filter(([name]) => texts.some((text) => new RegExp(`${name}\\b`).test(text)));
  const [ns, vs] = [pick(names), pick(values)];
  return {
    ...(ns.length > 0 && { ExpressionAttributeNames: Object.fromEntries(ns) }),
    ...(vs.length > 0 && { ExpressionAttributeValues: Object.fromEntries(vs) }),
  };
};

beforeAll(() =>
  store.execute('CreateTable', {
    TableName,
    KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
  }),
);
beforeEach(() => store.execute('PutItem', { TableName, Item: stands }));
afterAll(() => store.close());

const update = (UpdateExpression: string, more: object = {}): Promise<Loose> =>
  store.execute('UpdateItem', {
    TableName,
    Key,
    UpdateExpression,
    ReturnValues: 'ALL_NEW',
    ...used(UpdateExpression),
    ...more,
  });

test.each<[string, boolean]>([
  ['n = :5', true],
  ['n <> :5', false],
  ['absent = :5', false],
  ['absent <> :5', true],
  ['n < :5 OR n >= :5 AND s = :no', false],
  ['NOT n < :5', true],
  ['n BETWEEN :1 AND :5', true],
  ['s BETWEEN :1 AND :5', false],
  ['s IN (:no, :t)', false],
  ['begins_with(s, :t)', true],
  ['contains(#n, :5)', false],
  ['contains(marks, :a)', true],
  ['contains(l, :1)', true],
  ['size(l) > :1 and size(s) < :5', true],
  ['size(n) = :1', false],
  ['attribute_exists(m.b.c) AND attribute_not_exists(m.b.d)', true],
  ['attribute_exists(l[2]) AND attribute_not_exists(l[3])', true],
  ['attribute_type(s, :S)', true],
  ['attribute_not_exists(#status)', true],
])('[store.expressions] the condition %s is %s', async (ConditionExpression, expected) => {
  const put = store.execute('PutItem', { TableName, Item: stands, ConditionExpression, ...used(ConditionExpression) });
  if (expected) await put;
  else await expect(put).rejects.toMatchObject({ name: 'ConditionalCheckFailedException' });
});

test.each<[string, object]>([
  ['SET n = n + :1', { n: { N: '6' } }],
  ['SET n = n - :5, s = n', { n: { N: '0' }, s: { N: '5' } }],
  ['SET #status = if_not_exists(#status, :a)', { status: { S: 'a' } }],
  ['SET n = if_not_exists(n, :1)', { n: { N: '5' } }],
  ['SET l = list_append(l, :l)', { l: { L: [{ N: '1' }, { N: '2' }, { N: '3' }, { N: '9' }] } }],
  ['SET l[1] = :a', { l: { L: [{ N: '1' }, { S: 'a' }, { N: '3' }] } }],
  ['SET l[7] = :a', { l: { L: [{ N: '1' }, { N: '2' }, { N: '3' }, { S: 'a' }] } }],
  ['SET l[9] = :a, l[8] = :5', { l: { L: [{ N: '1' }, { N: '2' }, { N: '3' }, { N: '5' }, { S: 'a' }] } }],
  ['SET m.b.d = m.a', { m: { M: { a: { N: '1' }, b: { M: { c: { S: 'deep' }, d: { N: '1' } } } } } }],
  ['REMOVE l[0], l[2]', { l: { L: [{ N: '2' }] } }],
  ['REMOVE l[0], m.a, l[2]', { l: { L: [{ N: '2' }] }, m: { M: { b: { M: { c: { S: 'deep' } } } } } }],
  ['REMOVE m.b.c ADD n :1', { m: { M: { a: { N: '1' }, b: { M: {} } } }, n: { N: '6' } }],
  ['ADD fresh :5', { fresh: { N: '5' } }],
  ['ADD marks :set', { marks: { SS: ['a', 'b', 'c'] } }],
  ['DELETE marks :set', { marks: { SS: ['a'] } }],
])('[store.expressions] the update %s', async (expression, changed) => {
  const { Attributes } = await update(expression);
  expect(Attributes).toEqual({ ...stands, ...changed });
});

test('[store.expressions] a set that becomes empty is gone, and an update of nothing makes the item', async () => {
  const gone = await update('DELETE marks :set', { ExpressionAttributeValues: { ':set': { SS: ['a', 'b'] } } });
  expect(gone.Attributes).not.toHaveProperty('marks');
  const made = await update('REMOVE n', { Key: { id: { S: 'made' } } });
  expect(made.Attributes).toEqual({ id: { S: 'made' } });
});

test.each<[string, RegExp]>([
  ['SET status = :1', /reserved keyword: status/],
  ['SET id = :a', /part of the key/],
  ['SET n = :1, n = :5', /overlap/],
  ['SET m.a = :1 REMOVE m', /overlap/],
  ['SET l[0] = :1, l.a = :5', /conflict/],
  ['SET n = :1 SET s = :a', /can only be used once/],
  ['SET n = absent', /does not exist in the item/],
  ['SET n = s + :1', /incorrect data type/],
  ['SET absent.a = :1', /document path/],
  ['ADD s :1', /incorrect data type/],
  ['ADD n :a', /Incorrect operand type/],
  ['SET n = :undefined', /not defined; attribute value: :undefined/],
  ['SET n = shout(:1)', /Invalid function name/],
  ['SET n == :1', /Syntax error/],
  ['PUT n = :1', /Syntax error/],
  [' ', /can not be empty/],
])('[store.expressions] the update «%s» is refused and changes nothing', async (expression, message) => {
  await expect(update(expression)).rejects.toMatchObject({
    name: 'ValidationException',
    message: expect.stringMatching(message),
  });
  expect(await store.execute('GetItem', { TableName, Key })).toEqual({ Item: stands });
});

test.each<[string, object, RegExp]>([
  [
    'n = :1',
    { ExpressionAttributeValues: { ':1': values[':1'], ':5': values[':5'] } },
    /unused in expressions: keys: \{:5\}/,
  ],
  ['((n = :1))', used(':1'), /redundant parentheses/],
  ['n = n', {}, /must be distinct/],
  ['attribute_exists(:1)', used(':1'), /requires a document path/],
  ['size(n)', {}, /Syntax error/],
])('[store.expressions] the condition %s is refused', async (ConditionExpression, more, message) => {
  await expect(
    store.execute('PutItem', { TableName, Item: stands, ConditionExpression, ...more }),
  ).rejects.toMatchObject({ name: 'ValidationException', message: expect.stringMatching(message) });
});

test('[store.expressions] a projection shows what it names and nothing else', async () => {
  const ProjectionExpression = 'l[2], l[0], m.b, #n, absent';
  const read = await store.execute('GetItem', { TableName, Key, ProjectionExpression, ...used(ProjectionExpression) });
  expect(read).toEqual({
    Item: { l: { L: [{ N: '1' }, { N: '3' }] }, m: { M: { b: { M: { c: { S: 'deep' } } } } }, n: { N: '5' } },
  });
});

test('[store.expressions] sums have 38 digits, and more are refused', async () => {
  const big = '12345678901234567890123456789012345678';
  const { Attributes } = await update('SET n = :big + :1', {
    ExpressionAttributeValues: { ':big': { N: big }, ':1': { N: '1' } },
  });
  expect(Attributes.n.N).toBe('12345678901234567890123456789012345679');
  const tenth = { ':big': { N: big }, ':1': { N: '0.1' } };
  await expect(update('SET n = :big + :1', { ExpressionAttributeValues: tenth })).rejects.toMatchObject({
    message: expect.stringContaining('38 significant digits'),
  });
  const small = await update('SET n = :a - :b', {
    ExpressionAttributeValues: { ':a': { N: '0.3' }, ':b': { N: '0.1' } },
  });
  expect(small.Attributes.n.N).toBe('0.2');
});
