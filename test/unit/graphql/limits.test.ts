/** What a document would cost, and that no hostile one runs. */
import { parse } from 'graphql';
import { executeGraphql } from '#core/graphql/execute.ts';
import { graphqlLimits, measured } from '#core/graphql/limits.ts';
import { countsOf, snakeCase } from '#core/graphql/names.ts';

const cost = (query: string, variables = {}) => measured(parse(query), variables);

test.each([
  ['{ whoami { tenant } }', {}, { depth: 2, cost: 2 }],
  ['{ audit(limit: 10) { nodes { kind hash } } }', {}, { depth: 3, cost: 1 + 10 + 20 }],
  ['{ audit { nodes { kind } } }', {}, { depth: 3, cost: 1 + 50 + 50 }],
  ['query q($n: Int) { audit(limit: $n) { nodes { kind } } }', { n: 200 }, { depth: 3, cost: 1 + 200 + 200 }],
  ['query q($n: Int) { audit(limit: $n) { nodes { kind } } }', { n: 'many' }, { depth: 3, cost: 101 }],
  ['{ a: whoami { tenant } b: whoami { tenant } }', {}, { depth: 2, cost: 4 }],
  ['{ ...f } fragment f on Query { whoami { tenant ... on Whoami { role } } }', {}, { depth: 2, cost: 3 }],
])('[graphql.limits] %s costs what its fields and limits come to', (query, variables, expected) => {
  expect(cost(query, variables)).toEqual(expected);
});

const never = new Proxy({}, { get: () => async () => expect('a field').toBe('not run') });
const refused = async (query: string, introspection = false) =>
  executeGraphql({ query }, {}, { queries: never, mutations: never, introspection }).then(
    () => 'ran',
    (thrown: Error & { code?: string }) => `${thrown.code}: ${thrown.message}`,
  );

const doubling = (levels: number) =>
  `{ ...f0 } ${Array.from({ length: levels }, (_, n) => `fragment f${n} on Query { ...f${n + 1} a${n}: whoami { tenant } ...f${n + 1} }`).join(' ')} fragment f${levels} on Query { whoami { tenant } }`;

test.each([
  ['a subscription', 'subscription { alerts }', /is a subscription; allowed: query and mutation/],
  ['more tokens than allowed', `{ ${'whoami { tenant } '.repeat(400)} }`, /has tokens 1001; at most 1000/],
  [
    'a list of lists that costs too much',
    `{ ${Array.from({ length: 30 }, (_, n) => `a${n}: audit(limit: 200) { nodes { kind } }`).join(' ')} }`,
    /has cost \d+; at most 5000/,
  ],
  ['fragments that double', doubling(30), /has cost \d+; at most 5000/],
  ['fragments in a circle', '{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }', /not valid.*itself/],
  ['an unknown field', '{ secrets }', /not valid: Cannot query field/],
  ['a mutation as a query', '{ pauseRollout(id: 1) { id } }', /not valid/],
  ['no GraphQL', 'SELECT 1', /cannot be read/],
  ['an open brace', '{ whoami {', /cannot be read/],
  ['the schema, below the role', '{ __schema { types { name } } }', /Introspection is for the role operator/],
  [
    'the schema, behind a fragment',
    '{ ...f } fragment f on Query { __type(name: "Alert") { name } }',
    /Introspection is for/,
  ],
  [
    'introspection that is too deep',
    '{ __schema { types { fields { type { ofType { ofType { ofType { ofType { name } } } } } } } } }',
    /Introspection|depth/,
  ],
])('[graphql.limits] %s is refused before anything runs', async (_, query, says) => {
  expect(await refused(query)).toMatch(/^invalid_request: /);
  expect(await refused(query)).toMatch(says);
});

test('[graphql.limits] depth is measured, for operators too', async () => {
  const deep = '{ __schema { types { fields { type { ofType { ofType { ofType { ofType { name } } } } } } } } }';
  expect(await refused(deep, true)).toMatch(/has depth 9; at most 8/);
  expect(graphqlLimits).toEqual({ tokens: 1_000, depth: 8, cost: 5_000 });
});

test('[graphql.schema] names are those of REST in camelCase', () => {
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
