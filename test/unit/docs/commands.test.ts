/**
 * Everything named in the documentation exists: commands with options, routes, scripts, files, metrics and
 * configuration keys.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { routes } from '#features/routes.ts';

const read = (file: string): string => readFileSync(file, 'utf8');
const markdown = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'));
const pages = [
  ...['README.md', 'AGENTS.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...markdown.filter((name) => !/^(reference|decisions|releases)\//.test(name)).map((name) => join('docs', name)),
].map((page) => ({ page, text: read(page) }));

/** Returns the matches of a pattern's first group on every page, without duplicates within a page. */
const named = (pattern: RegExp): (readonly [page: string, found: string])[] =>
  pages.flatMap(({ page, text }) =>
    [...new Set([...text.matchAll(pattern)].map(([, found = '']) => found))].map((found) => [page, found] as const),
  );

/** Options by command, from the help in the generated reference. */
const commands = new Map(
  read('docs/reference/cli.md')
    .split(/^#+ (?=agentctl)/m)
    .slice(1)
    .map((section) => {
      const options = section.match(/--[a-z][a-z-]*|(?<=[\s,])-[a-zA-Z](?=[\s,])/g);
      return [section.slice(0, section.indexOf('\n')), new Set(options)] as const;
    }),
);
const everywhere = commands.get('agentctl')!;

/**
 * Words of each command, up to the end of the command in a shell, across lines that end in a backslash. Quoted values
 * are one word.
 */
const called = pages.flatMap(({ page, text }) =>
  [...text.replaceAll(/\\\n\s*/g, ' ').matchAll(/(?<![\w/-])agentctl ((?:[^\n`|;&>#'"()]|'[^'\n]*'|"[^"\n]*")+)/g)]
    .map(([, words = '']) => words.replaceAll(/'[^']*'|"[^"]*"/g, '<text>').trim())
    .filter((words) => /^[a-z][a-z-]*( |$)/.test(words))
    .map((words) => [page, words] as const),
);

test.each(called)('[docs.commands] %s: agentctl %s', (_page, line) => {
  const words = line.split(/\s+/);
  const [longest] = [2, 1]
    .map((count) => `agentctl ${words.slice(0, count).join(' ')}`)
    .filter((name) => commands.has(name));
  const options = words.flatMap((word) => /^--?[a-zA-Z][a-z-]*/.exec(word) ?? []);
  const unknown = options.filter((option) => !commands.get(longest ?? '')?.has(option) && !everywhere.has(option));
  expect({ longest, unknown }).toEqual({ longest: expect.anything(), unknown: [] });
});

test.each(named(/\b((?:GET|POST|PUT|DELETE) `?(?:\/[\w.<>{}…*-]+)+)/g))('[docs.commands] %s: %s', (_page, found) => {
  const [verb, path = ''] = found.replaceAll('`', '').split(' ');
  const plain = path.replaceAll(/\{[^}]+\}|<[^>]+>|…/g, 'any').replace(/\.$/, '');
  const fits = routes.filter(({ method, path: own }) => {
    const like = own.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+');
    return method === verb && new RegExp(`^${like}$`).test(plain);
  });
  expect(fits).not.toEqual([]);
});

const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: object };
/** Scripts of an agent's own project. */
const foreign = ['deploy'];
test.each(named(/npm run ([a-z][a-z0-9:-]*)/g).filter(([, name]) => !foreign.includes(name)))(
  '[docs.commands] %s: npm run %s',
  (_page, name) => {
    expect(scripts).toHaveProperty([name]);
  },
);

const folders = readdirSync('.', { withFileTypes: true })
  .filter((each) => each.isDirectory() && !/^(node_modules|dist|cdk\.out|coverage)$|^\./.test(each.name))
  .map(({ name }) => name);
const files = new RegExp(
  `(?<![\\w/.:@-])((?:${folders.join('|')})/[\\w./-]*\\w\\.(?:tsx?|mjs|yaml|json|md|wasm))\\b`,
  'g',
);
/** Files that a reader creates. */
const made = /\/(?:NNNN-words\.md|before\.yaml|mined?(?:\.cases)?\.yaml)$/;
test.each(named(files).filter(([, file]) => !made.test(file)))('[docs.commands] %s: %s', (_page, file) => {
  expect(existsSync(file)).toBe(true);
});

const sources = ['core', 'features', 'adapters', 'lambdas', 'bin', 'operator'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(join(folder, name))),
);
test.each(named(/`(svc_[a-z_]*[a-z])(?:\{|`)/g))('[docs.commands] %s: %s', (_page, metric) => {
  const base = metric.replace(/_(bucket|sum|count)$/, '');
  expect(sources.some((text) => text.includes(`'${metric}'`) || text.includes(`'${base}'`))).toBe(true);
});

const keys = read('docs/reference/configuration.md').replaceAll('[]', '');
const sections = [...new Set([...keys.matchAll(/^\| `([a-z_]+)[.[`]/gm)].map(([, section]) => section))];
const key = new RegExp(`\`((?:${sections.join('|')})(?:\\.[a-z_]+)+)(?:: [^\`]*)?\``, 'g');
/** Other names that start like the configuration's: a client library call, a member of an entry. */
const others = ['messages.stream', 'behavior.settings'];
const inDocs = named(key).filter(([page, found]) => page.startsWith('docs/') && !others.includes(found));
test.each(inDocs)('[docs.commands] %s: %s is a key, a span or an evidence act', (_page, found) => {
  const isKey = new RegExp(`\`${found.replaceAll('.', '\\.')}[.\`]`).test(keys);
  expect(isKey || sources.some((text) => text.includes(`'${found}'`))).toBe(true);
});
