/**
 * `node bench/run.ts --plugins`: detections and false alarms of the shipped plugins, and the cost of a call through the
 * pool.
 */
import { readFileSync } from 'node:fs';
import { checkContent } from '#adapters/wasm/check.ts';
import { compileModule } from '#adapters/wasm/module.ts';
import { wasmRunner } from '#adapters/wasm/pool.ts';
import { measured, type Score } from '../test/corpora/plugins/measure.ts';
import { pluginNamed } from '../test/corpora/plugins/module.ts';
import { plugins } from '../test/corpora/plugins/plugins.ts';

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const line = ({ wanted, missed, harmless, falseAlarms, recall, precision }: Score): string =>
  `recall ${percent(recall)} (${wanted - missed.length} of ${wanted}), precision ${percent(precision)} (${falseAlarms.length} of ${harmless} flagged wrongly)`;

/** @returns whether each plugin meets its targets, including on the held-out data. */
export async function benchPlugins(): Promise<boolean> {
  let met = true;
  for (const { name, rows, least } of plugins) {
    const { written, heldOut, kinds } = measured(rows(), await pluginNamed(name));
    console.log(`${name}, ${kinds.size} kinds\n  written on: ${line(written)}\n  held out:   ${line(heldOut)}`);
    for (const [kind, of] of kinds) {
      const wrong = [of.written, of.heldOut].flatMap(({ missed, falseAlarms }) => [...missed, ...falseAlarms]);
      if (wrong.length > 0) console.log(`    ${kind}: ${wrong.length} wrong`);
    }
    for (const { recall, precision } of [written, heldOut])
      met &&= recall >= least.recall && precision >= least.precision;
    await cost(name);
  }
  return met;
}

/**
 * Measures the median of 2,000 calls in microseconds, both in this thread and through the pool of worker threads, which
 * have a deadline.
 */
async function cost(name: string): Promise<void> {
  const bytes = readFileSync(new URL(`../plugins/${name}.wasm`, import.meta.url));
  const module = await compileModule(bytes);
  const content = new TextEncoder().encode('The build was green on Monday; the report follows. '.repeat(80));
  const metadata = { tenant_id: 'bench', model: 'mock', provider: 'mock', phase: 'input' } as const;
  const runner = wasmRunner({ modules: async () => bytes, workers: 1 });
  const pooled = () => runner.check({ module: name, content, metadata, timeoutMs: 1000 });
  await pooled();
  const bare = await medianUs(async () => checkContent({ module, content, metadata }));
  const through = await medianUs(pooled);
  await runner.stop();
  const figures = [bare, through, through - bare].map((us) => us.toFixed(0));
  console.log(`  4,080 characters: ${figures[0]} us bare, ${figures[1]} us through the pool, ${figures[2]} us more\n`);
}

async function medianUs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 2_500; n++) {
    const start = performance.now();
    await work();
    if (n >= 500) times.push((performance.now() - start) * 1000);
  }
  return times.sort((a, b) => a - b)[times.length >> 1]!;
}
