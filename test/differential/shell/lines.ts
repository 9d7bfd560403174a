/**
 * Generates lines from a seed: everyday commands from a small grammar, and mutations towards constructs that shells and
 * programs are known to interpret in more than one way.
 */
import * as z from 'zod';
import { mulberry32 } from '../../support/mulberry32.ts';
import { readCases } from '../../support/yaml.ts';
import type { Runnable } from './lab.ts';

/** Random choices derived from a seed. */
export class Chance {
  readonly next: () => number;
  constructor(seed: number) {
    this.next = mulberry32(seed);
  }
  below(count: number): number {
    return Math.floor(this.next() * count);
  }
  pick<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!;
  }
  is(probability: number): boolean {
    return this.next() < probability;
  }
}

const list = z.array(z.string());
const words = readCases(
  'test/differential/shell/lines.yaml',
  z.strictObject({
    files: list,
    folders: list,
    patterns: list,
    numbers: list,
    gitLines: list,
    scripts: list,
    programs: list,
    filters: list,
    expressions: list,
    separators: list,
    redirects: list,
    fragments: list,
    variables: list,
    values: list,
    frames: list,
    /** Programs with options that people use, including rarer ones and some that write or run. */
    options: z.record(z.string(), z.string()),
  }),
);
export const { files, folders, fragments } = words;
const { patterns, numbers, options, gitLines, scripts, programs, filters, expressions } = words;
const { separators, redirects, variables, values, frames } = words;

export class Lines {
  private readonly chance: Chance;
  private readonly corpus: readonly string[];
  private readonly attacks: readonly string[];

  /**
   * @param corpus everyday lines that are mutated in addition to lines from the grammar.
   * @param attacks harmful lines, which may still do harm after a mutation.
   */
  constructor(seed: number, corpus: readonly string[], attacks: readonly string[]) {
    this.chance = new Chance(seed);
    this.corpus = corpus;
    this.attacks = attacks;
  }

  next(): Runnable {
    const { chance } = this;
    if (chance.is(0.12)) return this.vector();
    if (chance.is(0.15)) return this.mutated(this.mutated(chance.pick(this.attacks)));
    let line = chance.is(0.25) ? chance.pick(this.corpus) : this.command();
    if (chance.is(0.25)) line += chance.pick(separators) + this.command();
    const kind = chance.next();
    if (kind < 0.35) line = this.framed(line);
    for (let more = chance.next(); more < 0.35; more = chance.next()) line = this.mutated(line);
    return line;
  }

  private vector(): Runnable {
    const words = this.command()
      .replaceAll("'", '')
      .replaceAll('"', '')
      .split(/\s+/)
      .filter((word) => word !== '');
    if (this.chance.is(0.3)) words.splice(1 + this.chance.below(words.length), 0, this.chance.pick(fragments));
    return words;
  }

  private command(): string {
    const { chance } = this;
    if (chance.is(0.12)) return `git ${chance.pick(gitLines)}${chance.is(0.1) ? ` ${this.operand()}` : ''}`;
    const program = chance.pick(Object.keys(options));
    const words = [program];
    const known = options[program]!.split(' ');
    for (let count = chance.pick([0, 0, 1, 1, 2, 3]); count > 0; count--) words.push(chance.pick(known));
    if (/^(?:grep|rg)$/.test(program)) words.push(chance.pick(patterns));
    if (program === 'sed') words.push(chance.pick(scripts));
    if (program === 'awk') words.push(chance.pick(programs));
    if (program === 'jq') words.push(chance.pick(filters));
    if (program === 'find') words.splice(1, 0, chance.pick(folders));
    if (program === 'find') words.push(chance.pick(expressions));
    else for (let count = chance.pick([0, 1, 1, 1, 2]); count > 0; count--) words.push(this.operand());
    if (chance.is(0.15)) words.push(chance.pick(redirects));
    return words.join(' ');
  }

  private operand(): string {
    const kind = this.chance.next();
    if (kind < 0.72) return this.chance.pick(files);
    if (kind < 0.82) return this.chance.pick(folders);
    if (kind < 0.9) return this.chance.pick(numbers);
    return this.chance.pick(fragments);
  }

  private framed(line: string): string {
    const { chance } = this;
    return chance
      .pick(frames)
      .replaceAll('W', () => chance.pick(values))
      .replaceAll(/\bV\b/g, chance.pick(variables))
      .replace('%', () => line);
  }

  private mutated(line: string): string {
    const { chance } = this;
    const at = chance.below(line.length + 1);
    const blanks = [...line.matchAll(/ /g)].map(({ index }) => index);
    const blank = blanks.length > 0 ? chance.pick(blanks) : line.length;
    switch (chance.below(8)) {
      case 0:
        return `${line.slice(0, blank)} ${chance.pick(fragments)}${line.slice(blank)}`;
      case 1:
        return line.slice(0, at) + chance.pick(fragments) + line.slice(at);
      case 2:
        return line.slice(0, at) + line.slice(at + 1);
      case 3:
        return line.slice(0, blank) + chance.pick(separators) + line.slice(blank + 1);
      case 4:
        // Shorter long options.
        return line.replace(
          /--([a-z][a-z-]+)/,
          (_, name: string) => `--${name.slice(0, 1 + chance.below(name.length))}`,
        );
      case 5:
        return `${line} ${chance.pick(redirects)}`;
      case 6:
        return this.framed(line);
      default: {
        const quote = chance.pick(["'", '"', "$'", '\\']);
        const close = quote === '\\' ? '' : quote.at(-1)!;
        return line.slice(0, at) + quote + line.slice(at, at + 2) + close + line.slice(at + 2);
      }
    }
  }
}
