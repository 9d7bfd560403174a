/** The behaviours page: each requirement id with its sentence and the tests that prove it. */
import { join } from 'node:path';
import { areas, type Requirement, requirements } from '../../test/requirements.ts';
import { citations, testSources } from '../../test/support/requirement.ts';
import { code, codes, origin, table } from './markdown.ts';

export function behaviourPage(): string {
  const tests = testsById();
  const row = ({ id, says, proof }: Requirement) => [
    code(id),
    says,
    proof === 'test' ? codes(tests.get(id) ?? []) : proof.deferred,
  ];
  const proved = requirements.filter(({ proof }) => proof === 'test').length;
  const sections = Object.entries(areas).map(
    ([area, list]) => `## ${area}\n\n${table(['id', 'behaviour', 'proved by'], list.map(row))}`,
  );
  return `# Behaviour

${origin('`test/requirements.ts` and the titles of the tests')}
What the gateway does, one sentence for each behaviour. Code, documents and tests cite a behaviour by its id, as in \`[approval.used-once]\`.
${proved} of ${requirements.length} behaviours are proved by tests below \`test/\`${proved < requirements.length ? '; the others are not built yet, and say so' : ''}.

${sections.join('\n')}`;
}

/** Returns test files by the ids that their titles cite, sorted by path. */
function testsById(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const { path, text } of testSources(join(import.meta.dirname, '../../test')))
    for (const id of new Set(citations(text))) found.set(id, [...(found.get(id) ?? []), path]);
  return found;
}
