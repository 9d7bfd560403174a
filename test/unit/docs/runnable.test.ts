/** Every documented command is either run by a test or has a stated reason. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { idleReasons, needsElsewhere, walks } from '../../support/documented-walks.ts';
import { stepsOf } from '../../support/shell-blocks.ts';

const pages = [
  'README.md',
  ...['docs/tutorial', 'docs/how-to'].flatMap((folder) => readdirSync(folder).map((name) => join(folder, name))),
];
const commands = pages.flatMap((page) =>
  stepsOf(readFileSync(page, 'utf8')).map(({ line, command }) => ({ page, line, command })),
);

test('[docs.commands] every command on a page that is not run states what it needs', () => {
  const unknown = commands.filter((each) => !(each.page in walks) && needsElsewhere(each) === undefined);
  expect(unknown).toEqual([]);
});

test('[docs.commands] at least one command runs on every page that is marked as run', () => {
  const idle = Object.keys(walks).filter(
    (page) => !commands.some((each) => each.page === page && needsElsewhere(each) === undefined),
  );
  expect(idle).toEqual([]);
});

test('[docs.commands] every reason for not running applies to a command, and the tests it names exist', () => {
  expect(idleReasons(commands)).toEqual([]);
  const named = commands.flatMap((each) => needsElsewhere(each)?.match(/(?:features\/[\w-]+\/)?test\/[\w./-]+/g) ?? []);
  expect([...new Set(named)].filter((path) => !existsSync(path))).toEqual([]);
});

test('[docs.commands] every preparation belongs to a command on its page', () => {
  const starts = Object.entries(walks).flatMap(([page, { before = {} }]) =>
    Object.keys(before).map((start) => ({ page, start })),
  );
  const without = starts.filter(
    ({ page, start }) => !commands.some((each) => each.page === page && each.command.startsWith(start)),
  );
  expect(without).toEqual([]);
});

test('the documentation’s start page links to every tutorial, how-to and explanation page', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const all = ['tutorial', 'how-to', 'explanation'].flatMap((folder) =>
    readdirSync(`docs/${folder}`).map((name) => `${folder}/${name}`),
  );
  expect(all.filter((page) => !index.includes(`(${page})`))).toEqual([]);
});
