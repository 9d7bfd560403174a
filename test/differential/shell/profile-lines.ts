/**
 * Generates lines from program profiles: options in every form, values and operands of each role, and some surplus
 * ones.
 */

import * as z from 'zod';
import { gitData } from '#core/catalog/git.ts';
import type { Profile, Role } from '#core/contracts/shell-programs.ts';
import { grammarOf, type KnownOption, splitNames } from '#core/effects/shell/arguments.ts';
import { profiles } from '#core/effects/shell/profiles/all.ts';
import { readCases } from '../../support/yaml.ts';
import { Chance } from './lines.ts';

const list = z.array(z.string());
const { programs, files, folders, texts, words, scripts, revisions, odd, ...lists } = readCases(
  'test/differential/shell/profile-lines.yaml',
  z.strictObject({
    /** Programs that `pr-writer` allows, or that run other programs. */
    programs: list,
    files: list,
    folders: list,
    texts: list,
    words: list,
    scripts: list,
    revisions: list,
    odd: list,
    values: z.strictObject({ number: list, glob: list, write: list, command: list, mark: list }),
  }),
);
/** Git commands that only read. */
const looking = Object.entries(gitData.commands)
  .filter(([, { does, alone }]) => does === 'read' || alone === 'read')
  .flatMap(([names, profile]) => splitNames(names).map((name) => [name, profile] as const));

const values: Readonly<Partial<Record<Role, readonly string[]>>> = {
  ...lists.values,
  text: texts,
  sed: scripts,
  awk: scripts,
  jq: scripts,
  folder: folders,
  read: [...files, ...files, ...folders],
  names: [...files, ...folders],
};

export class ProfileLines {
  private readonly chance: Chance;
  constructor(seed: number) {
    this.chance = new Chance(seed);
  }

  next(): string {
    const { chance } = this;
    const before = chance.is(0.2)
      ? chance.pick(['cat notes.txt | ', 'echo foo | ', "echo '1w PWNED' | ", 'ls | '])
      : '';
    if (chance.is(0.3)) {
      const [name, profile] = chance.pick(looking);
      const operands = Array.from({ length: chance.below(4) }, () => chance.pick(revisions));
      return `${before}git ${name} ${[...this.options(profile, 3), ...operands, ...this.options(profile, 1)].join(' ')}`;
    }
    const name = chance.pick(programs);
    const profile = profiles.get(name) ?? { does: 'read', operands: ['read*'] };
    return `${before}${name} ${[...this.options(profile, 3), ...this.operands(profile), ...this.options(profile, 1)].join(' ')}`;
  }

  private options(profile: Profile, most: number): string[] {
    const known = [...grammarOf('', profile).options.values()];
    return Array.from({ length: this.chance.below(most + 1) }, () =>
      known.length === 0 || this.chance.is(0.05) ? this.chance.pick(odd) : this.option(known),
    );
  }

  /** Returns an option: abbreviated, joined to another, or with its value attached or following. */
  private option(known: readonly KnownOption[]): string {
    const { chance } = this;
    const { name, takes, role } = chance.pick(known);
    const isLong = name.startsWith('--');
    const other = chance.pick(known).name;
    let written = name;
    if (isLong && chance.is(0.3)) written = name.slice(0, 3 + chance.below(name.length - 2));
    else if (!isLong && !other.startsWith('--') && chance.is(0.25)) written += other.slice(1);
    if (takes === 'nothing') return chance.is(0.03) ? `${written}=x` : written;
    if (takes === 'attached' && chance.is(0.4)) return written;
    const value = chance.pick(values[role ?? 'word'] ?? words);
    const attached = takes === 'attached' || chance.is(0.5);
    return `${written}${attached ? (isLong ? '=' : '') : ' '}${value}`;
  }

  private operands({ operands }: Profile): string[] {
    const { chance } = this;
    return operands.flatMap((operand) => {
      const role = operand.replace(/[?*+]$/, '') as Role;
      const usual = { '?': chance.below(2), '*': chance.below(3), '+': 1 + chance.below(2) }[operand.at(-1)!] ?? 1;
      const count = chance.is(0.05) ? usual + 1 : chance.is(0.03) ? 0 : usual;
      return Array.from({ length: count }, () => chance.pick(values[role] ?? words));
    });
  }
}
