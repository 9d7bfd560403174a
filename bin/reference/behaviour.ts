/** The behaviours page: each requirement id with its sentence and the test tiers that prove it. */
import { join } from 'node:path';
import { areas, type Requirement, requirements } from '../../test/requirements.ts';
import { citations, testSources } from '../../test/support/requirement.ts';
import { code, origin, table } from './markdown.ts';

export function behaviourPage(): string {
  const tests = testsById();
  const row = ({ id, says }: Requirement) => [code(id), says, (tests.get(id) ?? []).join(', ')];
  const sections = Object.entries(areas).map(
    ([area, list]) => `## ${area}\n\n${table(['id', 'behaviour', 'proved by'], list.map(row))}`,
  );
  return `# Behaviour

${origin('`test/requirements.yaml` and the titles of the tests')}
What the gateway guarantees. Code, documents and tests cite a behaviour by its id: \`npx jest -t approval.used-once\` runs its tests. The last column counts the test files of each tier.
Tests below \`test/\` and \`features/\` prove all ${requirements.length} of them.

${sections.join('\n')}`;
}

/** Returns how many test files of each tier cite an id in a title, for example `contract 2`. */
function testsById(): ReadonlyMap<string, readonly string[]> {
  const counts = new Map<string, Map<string, number>>();
  for (const { path, text } of testSources(join(import.meta.dirname, '../..'))) {
    const tier = path.startsWith('features/') ? 'features' : path.split('/')[1]!;
    for (const id of new Set(citations(text))) {
      const tiers = counts.get(id) ?? new Map<string, number>();
      counts.set(id, tiers.set(tier, (tiers.get(tier) ?? 0) + 1));
    }
  }
  return new Map([...counts].map(([id, tiers]) => [id, [...tiers].map(([tier, count]) => `${tier} ${count}`)]));
}
