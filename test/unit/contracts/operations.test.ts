/** The table of operations: each route has an entry with a typed answer, and the published documents show it with an example. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { configurationSchema } from '#core/contracts/config.ts';
import { contractOf, operations } from '#core/contracts/operations.ts';
import { routes } from '#core/contracts/routes.ts';
import answers from '../../../bin/reference/answers.json' with { type: 'json' };
import { requests } from '../../../bin/reference/requests.ts';

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
const signed = new Set(own.filter(({ access }) => access === 'signed').map(({ operation }) => operation as string));
const documents = ['openapi.json', 'openapi-gateway.json'].map(
  (name) => JSON.parse(readFileSync(`docs/reference/${name}`, 'utf8')) as Document,
);

test('[admin.answers-typed] each operation of a route has an entry, and each entry a route', () => {
  const named = new Set(own.map(({ operation }) => operation as string));
  expect([...named].filter((operation) => !contractOf(operation))).toEqual([]);
  expect(Object.keys(operations).filter((operation) => !named.has(operation))).toEqual([]);
});

test('[admin.answers-typed] each answer has members and an example that fits them, or is a text with an example, or bytes', () => {
  const isBytes = (operation: string) => 'bytes' in contractOf(operation)!.output;
  const typed = Object.keys(operations).filter((operation) => !signed.has(operation) && !isBytes(operation));
  expect(typed.filter((operation) => !Object.hasOwn(examples, operation))).toEqual([]);
  for (const operation of typed) {
    const { output } = contractOf(operation)!;
    if ('text' in output) expect(typeof examples[operation]).toBe('string');
    else if (!('bytes' in output))
      expect({ operation, error: output.safeParse(examples[operation]).error }).toEqual({ operation });
  }
});

test('[admin.openapi.bodies] each operation that takes a body has an example of one, which its own schema accepts', () => {
  const taking = Object.keys(operations).filter((operation) => contractOf(operation)!.input);
  expect(Object.keys(requests).toSorted()).toEqual(taking.toSorted());
  for (const [operation, body] of Object.entries(requests))
    expect({ operation, error: contractOf(operation)!.input!.safeParse(body).error }).toEqual({ operation });
  expect(configurationSchema.safeParse(parse(requests.putConfig)).error).toBeUndefined();
});

describe.each(documents)('the published document %#', ({ paths, components }) => {
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

  test('[admin.openapi.bodies] each reference names a schema of the document', () => {
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
    '[admin.openapi.bodies] the example body of %s is valid by the published schema',
    (_id, { schema, example }) => {
      expect(example).toBeDefined();
      const validates = ajv.compile({ components, ...schema });
      expect(validates(example) || validates.errors).toBe(true);
    },
  );

  test.each(done.filter(({ type }) => type === 'application/json').map((row) => [row.operationId, row] as const))(
    '[admin.openapi] the example of %s is valid by the published schema',
    (_id, { schema, example }) => {
      expect(example).toBeDefined();
      expect(schema.$ref ?? schema.properties ?? schema.anyOf).toBeDefined();
      const validates = ajv.compile({ components, ...schema });
      expect(validates(example) || validates.errors).toBe(true);
    },
  );
});
