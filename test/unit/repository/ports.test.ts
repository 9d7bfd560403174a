/** What a capability needs from its host is said in full: a member that may be left out is forgotten by one host of three. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const declaration = /^(?:export )?(?:interface (\w*Ports)\b[^{]*|type (\w*Ports) = [^;{]*)\{([\s\S]*?)^\}/gm;

const optionalMembers = (text: string): string[] =>
  [...text.matchAll(declaration)].flatMap(([, named, alias, members = '']) =>
    [...members.matchAll(/^ {2}(?:readonly )?(\w+)\?[:(]/gm)].map(([, member]) => `${named ?? alias}.${member}`),
  );

const paths = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', 'core', 'features', 'adapters', 'lambdas', 'bin'],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((path) => path.endsWith('.ts') && existsSync(path));
const files = paths.map((path) => readFileSync(path, 'utf8'));

test('[repository.ports] no port is optional: a host without one says undefined', () => {
  expect(files.flatMap((text) => [...text.matchAll(declaration)]).length).toBeGreaterThan(40);
  expect(files.flatMap(optionalMembers)).toEqual([]);
});

test('an optional port is found, of an interface and of a type', () => {
  expect(optionalMembers('export interface APorts extends Pick<B, "c"> {\n  readonly clock?: Clock;\n}\n')).toEqual([
    'APorts.clock',
  ]);
  expect(optionalMembers('type BPorts = APorts & {\n  stop?(): void;\n}\n')).toEqual(['BPorts.stop']);
  expect(optionalMembers('interface Options {\n  readonly clock?: Clock;\n}\n')).toEqual([]);
});
