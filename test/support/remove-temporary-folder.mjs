/** Runs after all tests: removes their temporary folder, and lists what tests left there without removing it themselves. */
import { readdirSync, rmSync } from 'node:fs';

export default function remove() {
  const folder = process.env.TESTS_TMPDIR;
  // By the part of the name that stands before the random one. Templates are shared by the files of a run.
  const names = readdirSync(folder).filter((name) => name !== 'templates');
  const left = Object.groupBy(names, (name) => name.replace(/[A-Za-z0-9]{6}$/, ''));
  const listed = Object.entries(left).map(([name, all]) => `${name}… (${all.length})`);
  if (listed.length > 0) console.log(`Tests left in their temporary folder: ${listed.join(', ')}`);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
