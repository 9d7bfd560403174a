/** An embedded store with one table of rows. */
import { openEmbeddedStore } from '#adapters/local/embedded-dynamodb/store.ts';
import type { Loose } from '../../support/loose.ts';

const store = openEmbeddedStore();
export const ask = (operation: string, input: object): Promise<Loose> => store.execute(operation, input);
export const keys = (...names: string[]) =>
  names.map((AttributeName, i) => ({ AttributeName, KeyType: i ? 'RANGE' : 'HASH' }));
export const types = (given: Record<string, string>) =>
  Object.entries(given).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
export const TableName = 'rows';
export const item = (id: string, at: string, more: object = {}) => ({ id: { S: id }, at: { S: at }, ...more });

beforeAll(async () => {
  await ask('CreateTable', {
    TableName,
    KeySchema: keys('id', 'at'),
    AttributeDefinitions: types({ id: 'S', at: 'S', g: 'S' }),
    GlobalSecondaryIndexes: [{ IndexName: 'by_g', KeySchema: keys('g', 'at'), Projection: { ProjectionType: 'ALL' } }],
  });
  for (const [name, type] of [
    ['numbers', 'N'],
    ['bytes', 'B'],
  ] as const)
    await ask('CreateTable', {
      TableName: name,
      KeySchema: keys('id', 'at'),
      AttributeDefinitions: types({ id: 'S', at: type }),
    });
});
afterAll(() => store.close());
