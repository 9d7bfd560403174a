/** Endpoint definitions: each has a typed response, and the published documents show it with an example. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { type Access, eitherAccess } from '#core/contracts/function-spec.ts';
import type { TableName } from '#core/contracts/tables.ts';
import { configurationSchema } from '#features/configuration.ts';
import { functions } from '#features/functions.ts';
import { routes } from '#features/routes.ts';
import answers from '../../../bin/reference/answers.json' with { type: 'json' };

type Schema = Record<string, unknown>;
interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema; example?: unknown }>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema: Schema; example?: unknown }>> }>
  >;
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Schema;
}

const own = routes.filter(({ surface }) => surface !== 'mcp');
const examples: Readonly<Record<string, unknown>> = answers;
const operations = new Map(own.map((route) => [route.operation, route]));
const documents = ['openapi.json', 'openapi-gateway.json'].map(
  (name) => JSON.parse(readFileSync(`docs/reference/${name}`, 'utf8')) as Document,
);

test('[admin.answers-typed] each operation has the same response type on all its routes', () => {
  for (const route of own) expect(operations.get(route.operation)!.output).toBe(route.output);
});

test('[admin.answers-typed] each response has a schema with a matching example, is text with an example, or is bytes', () => {
  const typed = [...operations.values()].filter(
    ({ access, output }) => access !== 'signed' && !(typeof output === 'object' && 'bytes' in output),
  );
  expect(typed.filter(({ operation }) => !Object.hasOwn(examples, operation))).toEqual([]);
  for (const { operation, output } of typed) {
    if (typeof output !== 'function') expect(typeof examples[operation]).toBe('string');
    else expect({ operation, error: output().safeParse(examples[operation]).error }).toEqual({ operation });
  }
});

test('[admin.answers-typed] each operation that accepts a body has an example that its own schema accepts', () => {
  for (const { operation, input, example } of operations.values()) {
    expect([operation, example !== undefined]).toEqual([operation, input !== undefined]);
    expect({ operation, error: input?.().safeParse(example).error }).toEqual({ operation });
  }
  expect(configurationSchema.safeParse(parse(String(operations.get('putConfig')!.example))).error).toBeUndefined();
});

test('[cloud.least-privilege] each function has the permissions that all its operations need', () => {
  for (const { handledBy, rights = {} } of routes) {
    const spec = functions[handledBy];
    const { tables = {}, queries = [], ...others } = rights;
    for (const [table, access] of Object.entries(tables) as [TableName, Access][])
      expect(eitherAccess(spec.tables[table], access)).toBe(spec.tables[table]);
    expect(spec).toMatchObject(others);
    expect(spec.queries ?? []).toEqual(expect.arrayContaining([...queries]));
  }
  const words = ['get', 'put', 'append', 'write'] as const;
  expect(words.map((word) => words.map((other) => eitherAccess(word, other)))).toEqual([
    ['get', 'append', 'append', 'write'],
    ['append', 'put', 'append', 'write'],
    ['append', 'append', 'append', 'write'],
    ['write', 'write', 'write', 'write'],
  ]);
});

test('each command is in the CLI reference, with one placeholder per path parameter', () => {
  const page = readFileSync('docs/reference/cli.md', 'utf8');
  for (const { path, command } of routes.filter((route) => route.command)) {
    const [names = '', ...parameters] = command!.words.split(' <');
    expect(page).toContain(`# agentctl ${names}\n`);
    expect([names, parameters.length]).toEqual([names, path.split('{').length - 1]);
  }
});

test('every implementation named in a route definition exists', async () => {
  const named = routes.filter(({ run }) => run);
  const runs = await Promise.all(named.map(({ run }) => run!()));
  expect(named.filter((_, at) => typeof runs[at] !== 'function')).toEqual([]);
});

describe.each(documents)('published document %#', ({ paths, components }) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const done = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([status]) => /^2/.test(status))
        .flatMap(([, { content = {} }]) =>
          Object.entries(content).map(([type, { schema, example }]) => ({ operationId, type, schema, example })),
        ),
    ),
  );

  test('[admin.answers-typed] each reference points to a schema in the document', () => {
    const referred = [...JSON.stringify({ paths, components }).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to]) => to!);
    const named = new Set(Object.keys(components.schemas as Schema).map((name) => `#/components/schemas/${name}`));
    expect(referred.filter((to) => !named.has(to))).toEqual([]);
  });

  const taken = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, requestBody }) =>
      Object.values(requestBody?.content ?? {}).map(({ schema, example }) => ({ operationId, schema, example })),
    ),
  );

  test.each(taken.map((row) => [row.operationId, row] as const))(
    '[admin.answers-typed] the example request body of %s is valid under the published schema',
    (_id, { schema, example }) => {
      expect(example).toBeDefined();
      const validates = ajv.compile({ components, ...schema });
      expect(validates(example) || validates.errors).toBe(true);
    },
  );

  test.each(done.filter(({ type }) => type === 'application/json').map((row) => [row.operationId, row] as const))(
    '[admin.answers-typed] the example response of %s is valid under the published schema',
    (_id, { schema, example }) => {
      expect(example).toBeDefined();
      expect(schema.$ref ?? schema.properties ?? schema.anyOf).toBeDefined();
      const validates = ajv.compile({ components, ...schema });
      expect(validates(example) || validates.errors).toBe(true);
    },
  );
});
