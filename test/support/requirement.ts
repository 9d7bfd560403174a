/** The check of the requirement list against the tests that cite it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Requirement } from '../requirements.ts';

export interface TestSource {
  readonly path: string;
  readonly text: string;
}

const id = String.raw`\[[a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+\]`;
/** A test title or a row of `.each`: its opening, then a literal that begins with ids. */
const title = new RegExp(String.raw`(\.(?:skip|todo)\(|\bx(?:it|test|describe)\(|[([])\s*['"\`]((?:${id} ?)+)`, 'g');

/**
 * Returns the ids cited in a test file's titles. Skipped tests and todos prove nothing, so they do not count as
 * citations.
 */
export function citations(text: string): string[] {
  const found: string[] = [];
  for (const [, opening, ids] of text.matchAll(title)) {
    if (opening !== '(' && opening !== '[') continue;
    for (const [cited] of ids!.matchAll(new RegExp(id, 'g'))) found.push(cited.slice(1, -1));
  }
  return found;
}

const features = new Set(readdirSync(join(import.meta.dirname, '../../features')));

/** Returns the discrepancies between the list and the tests, one sentence each; empty if there are none. */
export function problems(requirements: readonly Requirement[], sources: readonly TestSource[]): string[] {
  const cited = new Map<string, string>();
  for (const { path, text } of sources) for (const cite of citations(text)) cited.set(cite, path);
  const known = new Set(requirements.map((requirement) => requirement.id));
  const found: string[] = [];
  if (known.size !== requirements.length) found.push('an id is listed twice');
  for (const [cite, path] of cited) if (!known.has(cite)) found.push(`${path} cites the unknown id [${cite}]`);
  for (const { id: wanted, feature } of requirements)
    if (!cited.has(wanted) && (feature === undefined || features.has(feature))) found.push(`no test cites [${wanted}]`);
  return found;
}

/**
 * Reads all `*.test.ts` of the repository, and the checks of the runtime, cloud, HTTP/3 and console tiers, which CI
 * also runs.
 */
export function testSources(root: string): TestSource[] {
  return ['test', 'features']
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)),
    )
    .filter((path) => path.endsWith('.test.ts') || /^test\/(runtime|cloud|http3|console)\/[^/]*\.ts$/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
