/** Cost of GraphQL documents. Documents that exceed the limit are refused before they run. */
import { buildSchema, parse } from 'graphql';
import * as z from 'zod';
import { routes } from '#features/routes.ts';
import { object, readCases, rows, text } from '../../../test/support/yaml.ts';
import { executeGraphql } from '../execute.ts';
import { graphqlLimits, measureOperation } from '../limits.ts';
import { countsOf, snakeCase } from '../names.ts';
import { sdl } from '../schema.ts';

const { costs, refusedTexts } = readCases(
  'features/graphql/test/limits.yaml',
  z.strictObject({ costs: rows(text, object, z.number(), z.number()), refusedTexts: rows(text, text, text) }),
);

const source = sdl(routes.flatMap(({ graph }) => (graph ? [graph] : [])));
const schema = buildSchema(source);
const cost = (query: string, variables = {}) => measureOperation(parse(query), schema, variables);

test.each(costs)('[admin.graphql] %s costs the sum of its fields and limits', (query, variables, depth, expected) => {
  expect(cost(query, variables)).toEqual({ depth, cost: expected });
});

const never = new Proxy({}, { get: () => async () => expect('a field').toBe('not run') });
const refused = async (query: string, introspection = false) =>
  executeGraphql({ query }, {}, { source, queries: never, mutations: never, introspection }).then(
    () => 'ran',
    (thrown: Error & { code?: string }) => `${thrown.code}: ${thrown.message}`,
  );

const doubling = (levels: number) =>
  `{ ...f0 } ${Array.from({ length: levels }, (_, n) => `fragment f${n} on Query { ...f${n + 1} a${n}: whoami { tenant } ...f${n + 1} }`).join(' ')} fragment f${levels} on Query { whoami { tenant } }`;

test.each([
  ['more tokens than allowed', `{ ${'whoami { tenant } '.repeat(400)} }`, /has tokens 1001; at most 1000/],
  [
    'a list of lists that costs too much',
    `{ ${Array.from({ length: 30 }, (_, n) => `a${n}: audit(limit: 200) { nodes { kind } }`).join(' ')} }`,
    /has cost \d+; at most 5000/,
  ],
  ['fragments that double', doubling(30), /selects fragments more than 20 times/],
  [
    'a list of lists whose limit is the default of a variable',
    `query($n: Int = 200) { ${Array.from({ length: 30 }, (_, n) => `a${n}: audit(limit: $n) { nodes { kind } }`).join(' ')} }`,
    /has cost \d+; at most 5000/,
  ],
  ['one field very often', `{ ${'whoami { role } '.repeat(199)} }`, /selects the field whoami more than 20 times/],
  ['one alias very often', `{ ${'a: whoami { role } '.repeat(99)} }`, /selects the field a more than 20 times/],
  [
    'one field very often, within fragments',
    `{ ${'... on Query { ...f } '.repeat(3)} } fragment f on Query { ${'whoami { role } '.repeat(21)} }`,
    /selects the field whoami more than 20/,
  ],
  [
    'one field very often, in a fragment without use',
    `{ whoami { role } } fragment f on Whoami { ${'role '.repeat(99)} }`,
    /selects the field role more than 20/,
  ],
  [
    'one field very often, below others',
    `{ ${`a: whoami { ${'role '.repeat(11)} } `.repeat(2)} }`,
    /the field role more than 20/,
  ],
  [
    'fragments very often',
    `{ ${'...f '.repeat(21)} } fragment f on Query { whoami { role } }`,
    /selects fragments more than 20/,
  ],
  [
    'fragments in wide circles',
    `{ ...f } fragment f on Query { ${Array.from({ length: 20 }, (_, n) => `a${n}: whoami { ...f }`).join(' ')} }`,
    /has (cost|depth) \d+/,
  ],
  ...refusedTexts,
])('[admin.graphql] %s is refused before anything runs', async (_, query, says) => {
  expect(await refused(query)).toMatch(/^invalid_request: /);
  expect(await refused(query)).toMatch(new RegExp(says));
});

test('[admin.graphql] typical client queries are not refused: a field in several fragments, aliases, a fragment in many places', async () => {
  const ran = (query: string) =>
    executeGraphql(
      { query },
      {},
      { source, queries: { whoami: async () => ({ role: 'viewer' }) }, mutations: {}, introspection: false },
    );
  const fragments = Array.from({ length: 20 }, (_, n) => `fragment f${n} on Query { whoami { role } }`);
  expect(await ran(`{ ${fragments.map((_, n) => `...f${n}`).join(' ')} } ${fragments.join(' ')}`)).toEqual({
    data: { whoami: { role: 'viewer' } },
  });
  const aliases = Array.from({ length: 60 }, (_, n) => `a${n}: whoami { ...r }`);
  expect(await ran(`{ ${aliases.join(' ')} } fragment r on Whoami { role }`)).toMatchObject({
    data: { a59: { role: 'viewer' } },
  });
});

test('[admin.graphql] an introspection query is subject to the same cost limit', async () => {
  const types = '{ types { name kind fields { name type { name } args { name } } } }';
  expect(await refused(`{ __schema ${types} }`, true)).toBe('ran');
  const often = Array.from({ length: 40 }, (_, n) => `a${n}: __schema ${types}`).join(' ');
  expect(await refused(`{ ${often} }`, true)).toMatch(/has cost \d+; at most 5000/);
});

test('[admin.graphql] depth is limited, even for operators', async () => {
  const deep = '{ __schema { types { fields { type { ofType { ofType { ofType { ofType { name } } } } } } } } }';
  expect(await refused(deep, true)).toMatch(/has depth 9; at most 8/);
  expect(graphqlLimits).toEqual({ tokens: 1_000, depth: 8, cost: 5_000 });
});

test('[admin.graphql] field names are the REST names in camelCase', () => {
  expect(['p95LatencyMs', 'latencyP95Threshold', 'keyId', 'costUsd', 'state'].map(snakeCase)).toEqual([
    'p95_latency_ms',
    'latency_p95_threshold',
    'key_id',
    'cost_usd',
    'state',
  ]);
  expect(countsOf({ a: 1, b: 3 })).toEqual([
    { name: 'b', count: 3 },
    { name: 'a', count: 1 },
  ]);
});
