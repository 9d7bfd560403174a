/** Size and import time of every function bundle in `dist/` (run `npm run bundle` first). */
import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { functions } from '#core/contracts/functions.ts';

const runs = 5;

export function benchBundles(): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const name of Object.keys(functions)) {
    const file = `dist/${name}/index.mjs`;
    if (!existsSync(file)) throw new Error(`${file} is missing: run npm run bundle first`);
    figures[`${name}, kB`] = Math.round(statSync(file).size / 1000);
    figures[`${name}, import ms`] = importMs(file);
  }
  return figures;
}

/** Median over fresh processes. */
function importMs(file: string): number {
  const script = `const t=performance.now();await import('./${file}');console.log(performance.now()-t);process.exit(0)`;
  const times = Array.from({ length: runs }, () =>
    Number(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })),
  );
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
}
