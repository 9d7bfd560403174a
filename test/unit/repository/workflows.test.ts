/** Workflows of the repository's host. They run only there, so the scripts and actions they name are checked here. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import packageJson from '#package' with { type: 'json' };

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
}
interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
}

const folder = '.github/workflows';
const workflows = readdirSync(folder).map((name) => {
  const text = readFileSync(`${folder}/${name}`, 'utf8');
  return { name, text, steps: Object.values((parse(text) as Workflow).jobs).flatMap(({ steps }) => steps) };
});
const commands = workflows.flatMap(({ name, steps }) =>
  steps.flatMap(({ run = '' }) => run.split('\n').map((line) => ({ name, line }))),
);
const named = (pattern: RegExp) =>
  commands.flatMap(({ name, line }) => [...line.matchAll(pattern)].map(([, found]) => [name, found!] as const));

test.each(named(/\bnpm run ([\w:]+)/g))('%s runs the script %s, and the script exists', (_, script) => {
  expect(Object.keys(packageJson.scripts)).toContain(script);
});

test.each(named(/(?<![\w$/"-])((?:\.\/|\.ci\/|bin\/|config\/|test\/)[\w./-]*\w)/g))(
  '%s names the file %s, and the file exists',
  (_, file) => {
    expect(existsSync(file)).toBe(true);
  },
);

test.each(workflows)('$name pins every action to a commit', ({ steps }) => {
  const used = steps.flatMap(({ uses }) => uses ?? []);
  expect(used.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
});

test('the nightly deployment is always destroyed, and uses only secrets that its guide names', () => {
  const { text, steps } = workflows.find(({ name }) => name === 'nightly.yml')!;
  const guide = readFileSync('CONTRIBUTING.md', 'utf8');
  const secrets = [...text.matchAll(/secrets\.(\w+)/g)].map(([, secret]) => secret!);
  expect(secrets.filter((secret) => !guide.includes(`\`${secret}\``))).toEqual([]);
  const deploys = steps.findIndex(({ run }) => run?.includes('cdk deploy --all $OPTIONS'));
  const removing = steps.filter(({ run }) => /cdk destroy|delete-bucket /.test(run ?? ''));
  expect(steps.slice(deploys).filter(({ run }) => run?.includes('cdk destroy'))).not.toEqual([]);
  expect(removing.filter((step) => step.if !== 'always()')).toEqual([]);
});
