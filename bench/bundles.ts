/** Size and import time of every function bundle in `dist/` (run `npm run bundle` first). */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { functions } from '#features/functions.ts';

const runs = 5;
const sizesFile = 'dist/bundle-sizes.json';

export function benchBundles(): Record<string, number> {
  const figures: Record<string, number> = {};
  if (!existsSync(sizesFile)) throw new Error(`${sizesFile} is missing: run npm run bundle first`);
  const { sizes } = JSON.parse(readFileSync(sizesFile, 'utf8')) as { sizes: Record<string, { eager: number }> };
  for (const name of Object.keys(functions)) {
    const file = `dist/${name}/index.mjs`;
    figures[`${name}, kB at start`] = Math.round((sizes[name]?.eager ?? 0) / 1000);
    figures[`${name}, import ms`] = importMs(file);
  }
  return figures;
}

/** Returns the median import time over several fresh processes. */
function importMs(file: string): number {
  const script = `const t=performance.now();await import('./${file}');console.log(performance.now()-t);process.exit(0)`;
  const times = Array.from({ length: runs }, () =>
    Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })),
  );
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
}
