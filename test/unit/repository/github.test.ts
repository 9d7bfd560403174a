/** What GitHub reads of the repository: forms, workflows and owners are valid, and name what is here. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';

const files = (readdirSync('.github', { recursive: true }) as string[]).filter((name) => name.endsWith('.yml'));
const read = (name: string) => readFileSync(`.github/${name}`, 'utf8');

test('[repository.github] there are forms, a workflow and rules for updates', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      'ISSUE_TEMPLATE/bug.yml',
      'ISSUE_TEMPLATE/proposal.yml',
      'dependabot.yml',
      'workflows/ci.yml',
    ]),
  );
});

test.each(files)('[repository.github] %s is YAML in either version', (name) => {
  const text = read(name);
  for (const version of ['1.1', '1.2'] as const) expect(parse(text, { version })).toEqual(expect.any(Object));
  // Readers of version 1.1 end such a text at the sign.
  expect(text.match(/\{[^}"\n]*\w[?][ ,}][^\n]*/g)).toBeNull();
});

test('[repository.github] the workflow runs what every change runs, with actions that are pinned by their commit', () => {
  const text = read('workflows/ci.yml');
  const { jobs } = parse(text) as { jobs: Record<string, { steps: { run?: string; uses?: string }[] }> };
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  expect(steps.map(({ run }) => run)).toContain('.ci/run');
  for (const { uses } of steps) if (uses !== undefined) expect(uses).toMatch(/^[\w/-]+@[0-9a-f]{40}$/);
});

test('[repository.github] each form asks with a label, and what it needs is required', () => {
  for (const name of ['bug', 'proposal']) {
    const { body } = parse(read(`ISSUE_TEMPLATE/${name}.yml`)) as {
      body: {
        type: string;
        id?: string;
        attributes: { label?: string; value?: string };
        validations?: { required: boolean };
      }[];
    };
    for (const { type, attributes } of body)
      expect(type === 'markdown' ? attributes.value : attributes.label).toBeTruthy();
    expect(body.filter(({ validations }) => validations?.required).length).toBeGreaterThan(2);
  }
});

test('[repository.github] owners and updates name folders that exist', () => {
  const owned = [...readFileSync('.github/CODEOWNERS', 'utf8').matchAll(/^\/(\S+)/gm)].map(([, path]) => path!);
  const { updates } = parse(read('dependabot.yml')) as { updates: { directory?: string; directories?: string[] }[] };
  const updated = updates
    .flatMap(({ directory, directories = [] }) => [directory, ...directories])
    .filter((each) => each !== undefined);
  expect([...owned, ...updated.map((path) => `.${path}`)].filter((path) => !existsSync(path))).toEqual([]);
});
