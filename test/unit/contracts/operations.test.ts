/** The table of operations: each route has an entry with a typed answer, and the published documents show it with an example. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { contractOf, operations } from '#core/contracts/operations.ts';
import { routes } from '#core/contracts/routes.ts';
import answers from '../../../bin/reference/answers.json' with { type: 'json' };

type Schema = Record<string, unknown>;
interface Operation {
  readonly operationId: string;
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
