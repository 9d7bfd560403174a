/** `node bench/run.ts --tool-guard`: detections, false alarms and cost of the tool guard. */
import { readFileSync } from 'node:fs';
import { checkContent } from '#adapters/wasm/check.ts';
import { compileModule } from '#adapters/wasm/module.ts';
import { toolGuard } from '#core/contracts/config/tool-guard.ts';
import { checkArguments } from '#core/guard/arguments.ts';
import { checkText } from '#core/guard/check-text.ts';
import { inspectResult } from '#core/mcp/tools/inspect-result.ts';
import { harmless } from '../test/corpora/tool-guard/harmless.ts';
import {
  actedOn,
  classifiedText,
  type Measured,
  measureHarmful,
  measureHarmless,
  measureNeighbours,
  measureSpeechActNeighbours,
  measureSpeechActs,
  measureWeakKinds,
  type Share,
} from '../test/corpora/tool-guard/measure.ts';
import type { Row } from '../test/corpora/tool-guard/sample.ts';
import { ordinaryForms } from './tool-guard-forms.ts';

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
const shareText = ({ rows, acted }: Share): string => `${acted} of ${rows} (${percent(acted / rows)})`;

/**
 * @returns whether the targets are met, including on the held-out third: 0.90 detected for each kind, and 1 % false
 * alarms.
 */
export async function benchToolGuard(): Promise<boolean> {
  const [harm, calm] = [measureHarmful(), measureHarmless()];
  console.log(`harmful, ${harm.kinds.size} kinds`);
  for (const [kind, { written, heldOut }] of harm.kinds)
    console.log(`  ${kind.padEnd(34)} written on ${shareText(written).padEnd(22)} held out ${shareText(heldOut)}`);
  summary('caught', harm);
  console.log(`  by kind: ${percent(harm.byKind.written)} written on, ${percent(harm.byKind.heldOut)} held out`);
  console.log(`\nharmless, ${calm.kinds.size} kinds`);
  summary('false alarms', calm);
  const [weak, neighbours] = [measureWeakKinds(), measureNeighbours()];
  console.log('\nsingle sentences of five kinds, with a larger set held out');
  for (const [kind, { written, heldOut }] of weak.kinds)
    console.log(`  ${kind.padEnd(34)} written on ${shareText(written).padEnd(22)} held out ${shareText(heldOut)}`);
  summary('false alarms on their neighbours', neighbours);
  console.log('\nsingle sentences of four kinds that the rules of speech acts were written on, and others');
  for (const [kind, { written, heldOut }] of measureSpeechActs().kinds)
    console.log(`  ${kind.padEnd(34)} written on ${shareText(written).padEnd(22)} held out ${shareText(heldOut)}`);
  console.log(`  false alarms on their neighbours: ${shareText(measureSpeechActNeighbours().written)}`);
  await measureClassifier();
  console.log('\ncost for 4,096 characters, median of 400 runs');
  for (const [name, work] of Object.entries(costs())) console.log(`  ${name.padEnd(36)} ${median(work).toFixed(3)} ms`);
  for (const [name, text] of Object.entries(ordinaryForms()))
    console.log(`  ${name.padEnd(36)} ${median(() => checkText(text)).toFixed(3)} ms`);
  const [slowest, ms] = slowestKind();
  console.log(`  the slowest kind of harmless results ${ms.toFixed(3)} ms (${slowest})`);
  const met = (share: Share): boolean => share.acted / share.rows <= 0.01;
  return harm.byKind.written >= 0.9 && harm.byKind.heldOut >= 0.9 && met(calm.written) && met(calm.heldOut);
}

const summary = (what: string, { written, heldOut }: Measured): void =>
  console.log(`  ${what}: ${shareText(written)} written on, ${shareText(heldOut)} held out`);

/** Measures the same with the shipped module as classifier, both combined with the rules and alone. */
async function measureClassifier(): Promise<void> {
  const module = await compileModule(readFileSync('plugins/injection-guard.wasm'));
  const metadata = { tenant_id: 'default', model: '', provider: '', phase: 'input' } as const;
  const flags = (row: Row): boolean => {
    const text = classifiedText(row);
    return text !== undefined && checkContent({ module, content: new TextEncoder().encode(text), metadata }).flagged;
  };
  const either = (row: Row): boolean => actedOn(row).length > 0 || flags(row);
  for (const [who, acts] of [
    ['rules and the module injection-guard', either],
    ['the module alone (it reads no arguments)', flags],
  ] as const) {
    const [harm, calm] = [measureHarmful(acts), measureHarmless(acts)];
    console.log(`\n${who}`);
    summary('caught', harm);
    console.log(`  by kind: ${percent(harm.byKind.written)} written on, ${percent(harm.byKind.heldOut)} held out`);
    summary('false alarms', calm);
  }
}

/** Returns 4,096 characters of one kind of result. */
function harmlessText(kind: string): string {
  const texts = harmless().flatMap((row) => (row.kind === kind && row.place === 'result' ? [row.text] : []));
  return texts.join('\n\n').repeat(20).slice(0, 4_096);
}

function slowestKind(): readonly [kind: string, ms: number] {
  const kinds = [...new Set(harmless().map(({ kind }) => kind))].filter((kind) => harmlessText(kind) !== '');
  const measured = kinds.map((kind) => {
    const text = harmlessText(kind);
    return [kind, median(() => checkText(text))] as const;
  });
  return measured.sort(([, one], [, other]) => other - one)[0]!;
}

function costs(): Readonly<Record<string, () => unknown>> {
  const [readme, page, foreign, code] = [
    'README with instructions',
    'HTML page',
    'other languages and emoji',
    'code',
  ].map(harmlessText);
  const { results: actions } = toolGuard.parse({});
  const outcome = { result: { content: [{ type: 'text', text: readme! }] } };
  return {
    'README, words alone': () => checkText(readme!),
    'HTML, words alone': () => checkText(page!),
    'other languages, words alone': () => checkText(foreign!),
    'README, a whole result with secrets': () => inspectResult(outcome, [], { actions, prompt: false }),
    'arguments with a text': () => checkArguments({ path: 'src/main.ts', content: code! }),
  };
}

function median(work: () => unknown): number {
  for (let n = 0; n < 200; n++) work();
  const times = Array.from({ length: 400 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[200]!;
}
