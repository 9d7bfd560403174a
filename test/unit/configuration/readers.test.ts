/** No key of the configuration is accepted and then ignored: each one is named by code that reads it. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { configurationJsonSchema } from '#core/configuration/load/json-schema.ts';

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly additionalProperties?: Node | boolean;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
}

/** Sections whose readers are being written; the list may only get shorter. */
const readLater = new Set(['rollouts', 'analytics', 'alerts', 'federation', 'evaluation']);

/** Written for people who read the file. */
const forPeople = new Set(['version', 'as_of']);

const namesOf = (node: Node): string[] => [
  ...Object.entries(node.properties ?? {}).flatMap(([name, child]) => [name, ...namesOf(child)]),
  ...(node.items ? namesOf(node.items) : []),
  ...(typeof node.additionalProperties === 'object' ? namesOf(node.additionalProperties) : []),
  ...(node.anyOf ?? node.oneOf ?? []).flatMap(namesOf),
];

const sources = execFileSync('git', ['ls-files', 'core', 'adapters', 'lambdas', 'bin/local', 'bin/plane'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path.endsWith('.ts') && !/^core\/(contracts|configuration\/(checks|load))\//.test(path));
const words = new Set(sources.flatMap((path) => readFileSync(path, 'utf8').match(/[A-Za-z_][A-Za-z0-9_]*/g) ?? []));

test('[config.keys-read] every key is named by the code that reads it', () => {
  const { properties = {} } = configurationJsonSchema() as Node;
  const unread = Object.entries(properties)
    .filter(([section]) => !readLater.has(section))
    .flatMap(([section, node]) =>
      [section, ...namesOf(node)].filter((name) => !words.has(name)).map((name) => [section, name]),
    );
  expect(unread.filter(([, name]) => !forPeople.has(name ?? ''))).toEqual([]);
});
