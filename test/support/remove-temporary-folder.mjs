/** Runs after all tests: removes their temporary folder, and lists files that tests did not remove themselves. */
import { readdirSync, rmSync } from 'node:fs';

export default function remove() {
  const folder = process.env.TESTS_TMPDIR;
  // Grouped by the part of the name that precedes the random one. The files of a run share the templates.
  const names = readdirSync(folder).filter((name) => name !== 'templates');
  const left = Object.groupBy(names, (name) => name.replace(/[A-Za-z0-9]{6}$/, ''));
  const listed = Object.entries(left).map(([name, all]) => `${name}… (${all.length})`);
  if (listed.length > 0) console.log(`Tests left in their temporary folder: ${listed.join(', ')}`);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
