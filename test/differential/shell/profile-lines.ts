/** Lines out of the profiles of programs: their options in every form, values and operands of each role, and some too many. */
import { grammarOf, type KnownOption, namesOf } from '#core/effects/shell/arguments.ts';
import { profiles } from '#core/effects/shell/profiles/all.ts';
import { gitCommands } from '#core/effects/shell/profiles/git.ts';
import type { Profile, Role } from '#core/effects/shell/profiles/profile.ts';
import { Chance } from './lines.ts';

/** Programs that `pr-writer` allows, or that run others. */
const programs =
  `ls tree du stat cat head tail tac nl wc grep egrep fgrep rg sed awk jq cut paste join comm cmp diff sort uniq tr rev fold column
  strings file od hexdump xxd base64 md5sum sha256sum cksum readlink realpath basename dirname echo printf seq expr pwd date whoami uname
  which type command timeout nice stdbuf env xargs setarch nohup`.split(/\s+/);
/** Commands of git that only look. */
const looking = Object.entries(gitCommands)
  .filter(([, { does, alone }]) => does === 'read' || alone === 'read')
  .flatMap(([names, profile]) => namesOf(names).map((name) => [name, profile] as const));

const files =
  'README.md package.json src/index.ts src/a.ts notes.txt data/words.txt data/numbers.txt lines.txt - a.hex names.txt config/app.yml .'.split(
    ' ',
  );
const folders = 'src docs . config data src/lib'.split(' ');
const texts = [
  "''",
  'x',
  'foo',
  '.',
  "'TODO'",
  "'a b'",
  'export',
  "'.*'",
  ',',
  ':',
  'src',
  '-n',
  'README.md',
  "'x*'",
  '1',
  'PWNED',
];
const words =
  'auto 1 x recurse skip ts all HEAD always none full name HEAD~1 d 1,2 text long PWNED README.md --help'.split(' ');
const scripts = [
  "'s/a/b/'",
  'p',
  "'1,2p'",
  "'{print $1}'",
  '.',
  "'.a'",
  "'END{print NR}'",
  "'w PWNED'",
  "'1d'",
  '5q',
  "'$!N'",
];
const revisions =
  "HEAD HEAD~1 main v1.0 src/a.ts config . HEAD:README.md HEAD:config main..HEAD x foo README.md 'HEAD^{/first}' 'HEAD@{0}' -- show list :README.md '*.ts' '*.yml'".split(
    ' ',
  );
const odd = ['-5', '--', '-z', '--frob', '-abc', '-', '+3', '-1'];

const values: Readonly<Partial<Record<Role, readonly string[]>>> = {
  number: ['1', '2', '3', '10', '+2', '-1', '1k'],
  text: texts,
  glob: ["'*.ts'", "'*'", "'*.yml'", "'.*'", "'!*.ts'"],
  sed: scripts,
  awk: scripts,
  jq: scripts,
  read: [...files, ...files, ...folders],
  names: [...files, ...folders],
  write: ['PWNED', 'notes.txt'],
  folder: folders,
  command: ['ls', 'cat README.md', 'touch PWNED', 'sort -o PWNED notes.txt', 'wc -l notes.txt'],
  mark: ['p', '{}', 'X'],
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

  /** Abbreviated, joined to another, its value attached or behind it. */
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
