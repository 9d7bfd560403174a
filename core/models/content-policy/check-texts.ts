/** Runs a job of `text-work.ts` in a worker. Compiled filters are kept for later jobs of the same configuration. */
import { RecentMap } from '#core/kernel/recent-map.ts';
import { Filters } from './filters.ts';
import type { CheckedTexts, TextJob } from './text-work.ts';

const compiled = new RecentMap<string, Filters>({ max: 8 });

export function checkTexts({ filters, phase, lenient, texts }: TextJob): CheckedTexts {
  const name = JSON.stringify([filters, phase, lenient]);
  const known = compiled.get(name) ?? new Filters(filters, phase, lenient, { wasm: noWasm });
  compiled.set(name, known);
  const tally = known.tally();
  return { texts: texts.map((text) => known.checkText(text, tally)), found: tally.part() };
}

const noWasm = { check: () => Promise.reject(new Error('WASM filters run in threads of their own')) };
