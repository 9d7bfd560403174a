/** Every key of the configuration is explained where editors and readers look for it. */
import { readFileSync } from 'node:fs';
import { configurationJsonSchema } from '#core/configuration/load/json-schema.ts';

interface Node {
  readonly description?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node | boolean;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
}
type Key = readonly [path: string, node: Node];

const keysOf = (node: Node, path: string): Key[] => [
  ...Object.entries(node.properties ?? {}).flatMap(([name, child]): Key[] => {
    const key = path === '' ? name : `${path}.${name}`;
    return [[key, child], ...keysOf(child, key)];
  }),
  ...(node.items ? keysOf(node.items, `${path}[]`) : []),
  ...(typeof node.additionalProperties === 'object' ? keysOf(node.additionalProperties, `${path}.*`) : []),
  ...(node.anyOf ?? node.oneOf ?? []).flatMap((variant) => keysOf(variant, path)),
];

const keys = keysOf(configurationJsonSchema() as Node, '');
/** Values of the call that a rule compares; they have no unit of their own. */
const ofCalls = /\.arguments\.\*\.(min|max)$/;
const numbers = keys.filter(
  ([path, node]) => ['integer', 'number'].includes(node.type ?? '') && node.const === undefined && !ofCalls.test(path),
);
const units =
  /second|minute|hour|day|byte|character|dollar|share|points|percent|number|times|tokens|requests|rows|responses|processes|attempts|streams|tools|members|similarity|divided|status|port\b|calls/i;

test('[config.keys-described] every key has a description', () => {
  expect(keys.length).toBeGreaterThan(500);
  const bare = keys.filter(([, { description = '' }]) => description.trim().length < 8);
  expect(bare.map(([path]) => path)).toEqual([]);
});

test('[config.keys-described] every number has a range and names its unit', () => {
  expect(numbers.length).toBeGreaterThan(90);
  const unbounded = numbers.filter(
    ([, { minimum, exclusiveMinimum }]) =>
      (exclusiveMinimum ?? minimum ?? Number.MIN_SAFE_INTEGER) === Number.MIN_SAFE_INTEGER,
  );
  expect(unbounded.map(([path]) => path)).toEqual([]);
  expect(numbers.filter(([, { maximum }]) => maximum === undefined).map(([path]) => path)).toEqual([]);
  expect(numbers.filter(([, { description = '' }]) => !units.test(description)).map(([path]) => path)).toEqual([]);
});

test('[config.keys-described] the reference shows each description and no empty cell in its place', () => {
  const rows = readFileSync('docs/reference/configuration.md', 'utf8')
    .split('\n')
    .filter((line) => /^\| `[a-z]/.test(line));
  expect(rows.length).toBeGreaterThan(500);
  expect(rows.filter((row) => /\|\s*\|$/.test(row))).toEqual([]);
});
