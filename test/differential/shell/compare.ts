/** Evaluates generated lines, runs the allowed ones, and reports effects that were not predicted. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { callOfLine, type DecidedLine, decideCall, type ShellPack } from '../../support/decide-line.ts';
import { bypasses } from './bypasses.ts';
import { broken, type Lab, type Runnable } from './lab.ts';
import { Chance, files, folders, fragments, Lines } from './lines.ts';

export interface Finding {
  readonly world: string;
  readonly what: Runnable;
  readonly broken: readonly string[];
}

export interface Compared {
  readonly decided: number;
  readonly allowed: number;
  readonly findings: readonly Finding[];
}

const batch = 16;

/** Returns the call that carries a line or an argument vector to the gateway. */
const callOf = (what: Runnable): ToolCall =>
  typeof what === 'string' ? callOfLine(what) : { ...callOfLine(''), parameters: { argv: what } };

export const decide = (what: Runnable, pack: ShellPack = 'pr-writer'): Promise<DecidedLine> =>
  decideCall(callOf(what), pack);

/** Runs a line or a vector in every world, and returns the effects that the engine did not predict. */
export async function findingsOf(lab: Lab, what: Runnable, parts: readonly ToolCall[]): Promise<Finding[]> {
  const seen = await lab.run(what);
  return seen.flatMap((each) => {
    const all = broken(parts, each);
    return all.length > 0 ? [{ world: each.world, what, broken: all }] : [];
  });
}

interface Asked {
  readonly what: Runnable;
  readonly call: ToolCall;
}

/**
 * @param wanted number of different allowed lines to run.
 * @param lines source of the lines.
 */
export function compare(
  lab: Lab,
  seed: number,
  wanted: number,
  lines: { next(): Runnable } = new Lines(seed, everyday(), attacks),
): Promise<Compared> {
  const next = (): Asked => {
    const what = lines.next();
    return { what, call: callOf(what) };
  };
  return compareAll(lab, next, 'pr-writer', wanted);
}

/** Compares calls to tools that are named after a program and have one target, under the read-only pack. */
export function compareTargets(lab: Lab, seed: number, wanted: number): Promise<Compared> {
  const chance = new Chance(seed);
  const next = (): Asked => {
    const name = chance.pick(['ls', 'cat', 'head', 'tail', 'wc', 'stat']);
    const target = targetOf(chance);
    const call = { protocol: 'shell', tool: `shell.${name}`, target, capability: 'read', parameters: {} } as const;
    return { what: `${name} ${target}`, call };
  };
  return compareAll(lab, next, 'readonly', wanted);
}

function targetOf(chance: Chance): string {
  const file = chance.pick(files);
  const odd = chance.pick(fragments);
  const folder = chance.pick(folders);
  return chance.pick([file, `${folder}/${file}`, odd, `${file} ${odd}`, `${file}${odd}`, `${odd}${file}`, `./${file}`]);
}

async function compareAll(lab: Lab, next: () => Asked, pack: ShellPack, wanted: number): Promise<Compared> {
  const known = new Set<string>();
  const findings: Finding[] = [];
  let decided = 0;
  let allowed = 0;
  while (allowed < wanted) {
    const running: Promise<Finding[]>[] = [];
    while (running.length < Math.min(batch, wanted - allowed)) {
      const { what, call } = next();
      const key = JSON.stringify(what);
      if (known.has(key)) continue;
      known.add(key);
      decided++;
      const { decision, effects } = await decideCall(call, pack);
      const parts = effects.parts.length > 0 ? effects.parts : [call];
      if (decision.decision === 'allow') running.push(findingsOf(lab, what, parts));
    }
    allowed += running.length;
    findings.push(...(await Promise.all(running)).flat());
  }
  return { decided, allowed, findings };
}

const attacks = bypasses.flatMap(({ what }) => (typeof what === 'string' ? [what] : []));

/** Reads the lines of `test/corpora/shell-everyday.tsv`. */
const everyday = (): string[] =>
  readFileSync(join(process.cwd(), 'test/corpora/shell-everyday.tsv'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((row) => row.slice(row.indexOf('\t') + 1));
