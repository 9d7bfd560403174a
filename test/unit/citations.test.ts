/**
 * Every citation resolves: an id in a comment or document is a behaviour in the list, and no missing document is cited.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requirements } from '../requirements.ts';

/** A section number of a document that the repository's readers do not have. */
const absentDocument = /\b(?:[Ss]pec|[Cc]ontract) §|\(architecture: /;

/** Returns ids in brackets that are neither links nor code. */
const citedIds = (text: string): string[] =>
  [...text.matchAll(/(?<![\w`'"$\])])\[([a-z][a-z0-9-]*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)+)\](?![(\w`])/g)].map(
    ([, id]) => id!,
  );

/** Returns the comments of a program: block comments, and text after `//` and a space. */
function commentsOf(text: string): string {
  const blocks = text.match(/\/\*[\s\S]*?\*\//g) ?? [];
  const lines = text.replace(/\/\*[\s\S]*?\*\//g, '').match(/(?:^|\s)(?:\/\/|#) .*$/gm) ?? [];
  return [...blocks, ...lines].join('\n').replace(/`[^`\n]*`/g, '');
}

/** Returns a document without its code. */
const proseOf = (text: string): string => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');

const root = join(__dirname, '../..');
const files = spawnSync('git', ['ls-files', '*.ts', '*.mjs', '*.md', '*.yaml'], { cwd: root, encoding: 'utf8' })
  .stdout.split('\n')
  .filter((path) => path !== '' && !path.startsWith('test/corpora/') && !path.endsWith('/citations.test.ts'));
const known = new Set(requirements.map(({ id }) => id));
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

test('every id cited in a comment or document is a behavior in the list', () => {
  const unknown = files.flatMap((path) => {
    const text = path.endsWith('.md') ? proseOf(textOf(path)) : commentsOf(textOf(path));
    return citedIds(text).flatMap((id) => (known.has(id) ? [] : [`${path}: [${id}]`]));
  });
  expect(unknown).toEqual([]);
});

test('no file cites a section of a document that is missing from the repository', () => {
  const found = files.filter((path) => absentDocument.test(textOf(path)));
  expect(found).toEqual([]);
});

describe('text that counts as a citation', () => {
  test.each([
    ['One use per approval [approval.used-once].', ['approval.used-once']],
    ['Two of them [approval.used-once] [limit.shards].', ['approval.used-once', 'limit.shards']],
    ['a list like [a-z0-9.-] or a link [some.page](some.page)', []],
    ['code such as `[entry.kind]`', []],
  ])('%s', (text, ids) => {
    expect(citedIds(proseOf(text))).toEqual(ids);
  });

  test('comments in a program count, code does not', () => {
    expect(citedIds(commentsOf('/** One [one.two]. */\nconst x = y[three.four]; // see [five.six]\n'))).toEqual([
      'one.two',
      'five.six',
    ]);
  });
});
