/** GraphQL through the handlers, with the same results, roles and tenants as REST. */
import { buildSchema, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import * as z from 'zod';
import type { Call } from '#core/operations/operation.ts';
import { routes } from '#features/routes.ts';
import { caller } from '../../../test/support/call-endpoint.ts';
import { keys, type TestPorts, testPorts } from '../../../test/support/ports.ts';
import { object, readCases, rows, texts } from '../../../test/support/yaml.ts';
import { graphql } from '../graphql.ts';
import { sdl } from '../schema.ts';

const { queries, others } = readCases(
  'features/graphql/test/graphql.yaml',
  z.strictObject({ queries: texts, others: rows(object) }),
);

const admin = 'admin-token-1';
let gateway: TestPorts;
let call: ReturnType<typeof caller>;
beforeAll(async () => {
  gateway = await testPorts({
    extra: `
providers:
  - { name: mock, type: mock, models: ["mock", "mock-*"] }
  - { name: other, type: mock, models: ["mock"] }
routes: [{ match: { model: mock }, providers: [mock] }]
budgets: { tenants: { default: { monthly_usd: 50 } } }
`,
  });
  call = caller(gateway.ports);
});
afterAll(() => gateway.stop());

const ask = (query: string, key = admin, variables: object = {}) =>
  call('POST', '/admin/v1/graphql', { key, body: { query, variables } });
const dataOf = async (query: string, key = admin, variables = {}) => {
  const { status, body } = await ask(query, key, variables);
  expect([status, body.errors]).toEqual([200, undefined]);
  return body.data;
};

const schema = buildSchema(sdl(routes.flatMap(({ graph }) => (graph ? [graph] : []))));
const rootFields = (name: 'Query' | 'Mutation') => Object.keys((schema.getType(name) as GraphQLObjectType).getFields());

/** Returns a selection of every member of a type, two levels down. */
function selection(type: GraphQLObjectType, depth = 4): string {
  const fields = Object.values(type.getFields()).flatMap(({ name, type: of }) => {
    const inner = getNamedType(of);
    if (!isObjectType(inner)) return [name];
    return depth > 1 ? [`${name} ${selection(inner, depth - 1)}`] : [];
  });
  return `{ ${fields.join(' ')} }`;
}

test.each(rootFields('Query'))('[admin.graphql] %s returns every member it declares', async (field) => {
  const type = getNamedType(
    (schema.getType('Query') as GraphQLObjectType).getFields()[field]!.type,
  ) as GraphQLObjectType;
  const data = await dataOf(`{ ${field} ${selection(type)} }`);
  expect(data[field]).not.toBeNull();
});

test('[admin.graphql] a query returns the same data as REST', async () => {
  await call('POST', '/v1/chat/completions', {
    key: keys.agent,
    body: { model: 'mock', messages: [{ role: 'user', content: 'hi' }] },
  });
  const { whoami, providers, audit } = await dataOf(
    '{ whoami { tenant role kind platform } providers { nodes { name hasKey } pageInfo { hasNextPage } } audit(limit: 1) { nodes { kind hash sessionId } pageInfo { hasNextPage endCursor } } }',
  );
  expect(whoami).toEqual({ tenant: 'default', role: 'admin', kind: 'human', platform: true });
  expect(providers.nodes).toEqual([
    { name: 'mock', hasKey: false },
    { name: 'other', hasKey: false },
  ]);
  const rest = await call('GET', '/admin/v1/audit?limit=1', { key: admin });
  expect(audit.nodes[0]).toMatchObject({ hash: rest.body.entries[0].hash, kind: rest.body.entries[0].kind });
});

test('[admin.graphql] a field that needs a higher role is null with its error code; the other fields are returned', async () => {
  const { status, body } = await ask(
    '{ whoami { role } audit { nodes { hash } } rollouts { nodes { id } } }',
    keys.viewer,
  );
  expect([status, body.data.whoami.role, body.data.audit, body.data.rollouts]).toEqual([200, 'viewer', null, null]);
  expect(body.errors.map((each: { path: string[]; extensions: object }) => [each.path[0], each.extensions])).toEqual([
    ['audit', { code: 'forbidden' }],
    ['rollouts', { code: 'forbidden' }],
  ]);
  expect((await call('POST', '/admin/v1/graphql', { body: { query: '{ whoami { role } }' } })).status).toBe(401);
});

test('[admin.graphql] an agent gets the fields whose routes it may call; the others are null', async () => {
  const { status, body } = await ask('{ whoami { kind } usage { total } alerts { nodes { id } } }', keys.agent);
  expect([status, body.data]).toEqual([200, { whoami: { kind: 'agent' }, usage: null, alerts: null }]);
  expect(body.errors.map(({ extensions }: { extensions: object }) => extensions)).toEqual([
    { code: 'forbidden' },
    { code: 'forbidden' },
  ]);
  const moved = await ask('mutation { pauseRollout(id: "x") { id } }', keys.agent);
  expect(moved.body).toMatchObject({ data: { pauseRollout: null }, errors: [{ extensions: { code: 'forbidden' } }] });
});

test('[admin.rate-limit] each operation in a document counts as one request by its key', async () => {
  const slow = await testPorts({ admin: ', requests_per_second: 1' });
  try {
    const { status, body } = await caller(slow.ports)('POST', '/admin/v1/graphql', {
      key: keys.viewer,
      body: { query: `{ ${Array.from({ length: 7 }, (_, n) => `a${n}: whoami { role }`).join(' ')} }` },
    });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ a0: { role: 'viewer' }, a4: { role: 'viewer' }, a5: null, a6: null });
    expect(body.errors[0].extensions).toEqual({ code: 'rate_limit_error' });
  } finally {
    await slow.stop();
  }
});

test('[admin.graphql] every field maps to a route, and the route’s role determines access', () => {
  const operations = new Set(routes.map(({ operation }) => operation as string));
  for (const operation of queries) expect([operation, operations.has(operation)]).toEqual([operation, true]);
});

test('[admin.graphql] clients may send extensions, which must be objects', async () => {
  const sent = (extensions: unknown) =>
    call('POST', '/admin/v1/graphql', { key: admin, body: { query: '{ whoami { role } }', extensions } });
  for (const extensions of [{ clientLibrary: { name: '@apollo/client', version: '4.0.0' } }, {}, null])
    expect(await sent(extensions)).toMatchObject({ status: 200, body: { data: { whoami: { role: 'admin' } } } });
  const { status, body } = await sent('x');
  expect([status, body.error.message]).toEqual([
    400,
    'The request is not valid: extensions: found "x", allowed an object.',
  ]);
});

test('[admin.graphql] mutations update a rollout with the same checks as REST', async () => {
  const input = { routeModel: 'mock', canaryProvider: 'other', stages: [10, 100] };
  const create =
    'mutation c($input: CreateRolloutInput!) { createRollout(input: $input) { id state currentPercentage stages } }';
  const { createRollout } = await dataOf(create, admin, { input });
  expect(createRollout).toMatchObject({ state: 'running', currentPercentage: 10, stages: [10, 100] });
  const move = (what: string) =>
    dataOf(`mutation m($id: ID!) { ${what}(id: $id) { state } }`, admin, { id: createRollout.id });
  expect([await move('pauseRollout'), await move('resumeRollout'), await move('rollbackRollout')]).toEqual([
    { pauseRollout: { state: 'paused' } },
    { resumeRollout: { state: 'running' } },
    { rollbackRollout: { state: 'rolled_back' } },
  ]);
  const again = await ask('mutation m($id: ID!) { pauseRollout(id: $id) { state } }', admin, { id: createRollout.id });
  expect(again.body).toMatchObject({
    data: { pauseRollout: null },
    errors: [{ extensions: { code: 'invalid_request' } }],
  });
  const unknown = await ask('mutation { acknowledgeAlert(id: "none") { id } }');
  expect(unknown.body.errors[0].extensions).toEqual({ code: 'not_found' });
});

test.each(others)('[admin.graphql] %j is 400', async (body) => {
  const answer = await call('POST', '/admin/v1/graphql', { key: admin, body });
  expect([answer.status, answer.body.error?.type]).toEqual([400, 'invalid_request']);
  expect(answer.body.errors).toEqual([{ message: answer.body.error.message, extensions: { code: 'invalid_request' } }]);
  expect(answer.body).not.toHaveProperty('data');
});

test('[admin.graphql] unreadable entries are listed', async () => {
  const row = { tenant: 'default', session_id: 's', index: 0 };
  const run = async () => ({ body: { entries: [], unreadable: [row] } });
  const served = routes.filter(({ graph }) => graph).map((route) => [route.operation, { route, run }]);
  const snapshot = await gateway.ports.snapshots.current();
  const principal = { key_id: 'k', tenant: 'default', role: 'admin', kind: 'human', tenants: [] };
  const query = '{ audit(limit: 100) { nodes { hash } unreadable { sessionId index } } }';
  const { body } = await graphql({
    ports: gateway.ports,
    snapshot,
    principal,
    served: Object.fromEntries(served),
    body: () => ({ query }),
  } as unknown as Call);
  expect(body).toEqual({ data: { audit: { nodes: [], unreadable: [{ sessionId: 's', index: 0 }] } } });
});

test('each field defined on a route is also resolved by the GraphQL function on AWS', () => {
  const { handledBy, runs } = routes.find(({ operation }) => operation === 'graphql')!;
  const stated = routes.filter(({ graph }) => graph);
  expect(stated.length).toBeGreaterThan(8);
  for (const route of stated)
    expect([route.operation, route.handledBy === handledBy || runs?.includes(route.operation)]).toEqual([
      route.operation,
      true,
    ]);
});
