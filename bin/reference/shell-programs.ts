/** The page of known shell programs, with all facts about each. */

import { gitData } from '#core/catalog/git.ts';
import type {
  Command,
  CommandProgram,
  Names,
  OperandsByRole,
  Options,
  Profile,
} from '#core/contracts/shell-programs.ts';
import { splitNames } from '#core/effects/shell/arguments.ts';
import { commandPrograms, families } from '#core/effects/shell/profiles/all.ts';
import { findWords } from '#core/effects/shell/profiles/finding.ts';
import { code, codes, origin, table } from './markdown.ts';

export function shellProgramsPage(): string {
  const parts = families.map(({ title, programs }) => `## ${title}\n\n${programTable(programs)}`);
  return `# Programs of shell lines

${origin('`core/catalog/programs/*.yaml`')}
A shell line is decided by what it would do. For each program below the gateway knows which options there are, which of them take a value, and
what each value and each operand is. A program, an option or a number of operands that is not here makes the line unclear, and an unclear line is
at least reviewed. Long options may be abbreviated where the program allows it; an abbreviation that fits several options is unclear.

What an operand or a value is: \`read\`, \`write\`, \`delete\` and \`execute\` are paths; of \`names\` only names and sizes are shown; \`text\` is neither opened
nor run; \`object\` and \`resource\` are what a command acts on elsewhere, and \`source\` is a file or an address; \`command\` and \`line\` are read in turn; \`sed\`, \`awk\` and \`jq\` are programs that must be harmless; \`unread\` is refused. \`?\` is at most one, \`*\`
any number, \`+\` at least one. Options written as \`-x[=…]\` have a value that may be missing.

${parts.join('\n')}
## find

${table(
  ['words', 'what they are'],
  Object.entries(findWords).map(([kind, words]) => [codes(splitNames(words)), kind]),
)}
## git

Options before the command: ${codes([...splitNames(gitData.globals.flags), ...valueNames(gitData.globals.values), '--exec-path'])}; those that change the repository or run programs are refused.

${programTable(gitData.commands)}
${[...commandPrograms].map(([name, program]) => commandsPart(name, program)).join('\n')}`;
}

/** Returns a program's commands, and the options that are allowed anywhere. */
function commandsPart(name: string, program: CommandProgram): string {
  const { commands, scopes = {}, groups = {} } = program;
  const anywhere = [['', program] as const, ...Object.entries(groups)].map(
    ([group, options]) => `${group === '' ? 'Anywhere' : `Behind ${code(group)}`}: ${optionsOf(asProfile(options))}.`,
  );
  const places = Object.entries(scopes).map(
    ([scope, names]) => `${code(scope)} is the value of ${codes(splitNames(names))}`,
  );
  return `## ${name}

${[...anywhere, ...(places.length > 0 ? [`${places.join('; ')}.`] : [])].join('\n')}

${table(
  ['commands', 'does', 'operands', 'options', 'refused', 'prints'],
  Object.entries(commands).map(([words, command]) => [
    codes(words.split(/,\s+/)),
    command.does,
    operandsOf(asProfile(command)),
    optionsOf(asProfile(command)),
    refusedOf(asProfile(command)),
    printsOf(command),
  ]),
)}`;
}

const asProfile = (options: Options & Partial<Command>): Profile => ({ does: 'read', operands: [], ...options });

const printsOf = ({ secrets, prints }: Command): string =>
  [
    ...(secrets === true ? ['secrets'] : secrets ? [`secrets if ${code(secrets.source)}`] : []),
    ...(prints === 'values' ? ['secrets of kind `secret`'] : []),
  ].join('; ');

const programTable = (programs: Readonly<Record<string, Profile>>): string =>
  table(
    ['programs', 'does', 'operands', 'options', 'refused'],
    Object.entries(programs).map(([names, profile]) => [
      codes(splitNames(names)),
      profile.does,
      operandsOf(profile),
      optionsOf(profile),
      refusedOf(profile),
    ]),
  );

const valueNames = (values: OperandsByRole | undefined): string[] =>
  Object.values(values ?? {}).flatMap((names) => splitNames(names));

function operandsOf({ operands, instead = [] }: Profile): string {
  const usual = operands.length === 0 ? 'none' : codes(operands);
  const others = instead.map((each) => `with ${codes(splitNames(each.with))}: ${codes(each.operands)}`);
  return [usual, ...others].join('; ');
}

function optionsOf({
  flags,
  values = {},
  attached = {},
  changes = {},
  digits,
  below,
  open,
  contents,
}: Profile): string {
  const plain = splitNames(flags).join(' ');
  const valued = (roles: OperandsByRole, mark: string): string[] =>
    Object.entries(roles)
      .filter(([role]) => role !== 'unread')
      .map(([role, names]) =>
        code(
          `${splitNames(names)
            .map((name) => name + mark)
            .join(' ')} ${role}`,
        ),
      );
  const changing = Object.entries(changes).map(([does, names]) => `${code(names)} make it ${does}`);
  return [
    ...(plain === '' ? [] : [code(plain)]),
    ...(digits ? [code('-5')] : []),
    ...valued(values, ''),
    ...valued(attached, '[=…]'),
    ...changing,
    ...(open ? [`any other, with values that are ${code(open)}`] : []),
    ...(below ? [`reads folders${below.when ? ` with ${code(below.when)}` : ''}`] : []),
    ...(contents ? [`shows contents${linkedWord('with', contents.when)}${linkedWord('unless', contents.unless)}`] : []),
  ].join('; ');
}

const linkedWord = (word: string, names: Names | undefined): string =>
  names === undefined ? '' : ` ${word} ${code(names)}`;

function refusedOf({ refused, values, attached }: Profile): string {
  const all = [...splitNames(refused), ...splitNames(values?.unread), ...splitNames(attached?.unread)];
  return all.length === 0 ? '' : code(all.join(' '));
}
