/** A command with a profile: its words read against the profile, and what each of them does. */

import { type Grammar, given, isGiven, namesOf, type Option, type Parsed } from './arguments.ts';
import { namesSecret } from './environment.ts';
import { type Capability, type Invocation, short } from './invocation.ts';
import { type Assigned, assign, counted, worstRole } from './operands.ts';
import type { Below, Names, Operands, Profile, Role } from './profiles/profile.ts';
import { readBelow } from './reach.ts';
import { isHarmlessAwk } from './scripts/awk.ts';
import { isHarmlessJq } from './scripts/jq.ts';
import { isHarmlessSed } from './scripts/sed.ts';
import { type Arg, argOf } from './words.ts';

/** Everything a command does, by its profile. */
export function interpret(
  call: Invocation,
  { profile }: Grammar,
  parsed: Parsed,
  words: readonly Arg[] = call.args,
): void {
  const operands = assigned(call, profile, parsed);
  hideTexts(call, parsed, operands);
  sayProblems(call, profile, parsed, operands);
  const folders = parsed.options.filter(({ known }) => known?.role === 'folder').flatMap(({ value }) => value ?? []);
  const act = (): void => effects(call, profile, parsed, operands, words);
  folders.reduceRight<() => void>((inner, folder) => () => call.within(folder, inner), act)();
}

/** What the operands are; where their number is wrong, the worst they may be. */
function assigned(call: Invocation, profile: Profile, parsed: Parsed): readonly Assigned[] {
  const wanted = operandsOf(profile, parsed);
  const found = assign(parsed.operands, wanted);
  if (found) return found;
  if (!isGiven(parsed, '--help --version'))
    call.unclear(`${call.binary} takes ${counted(wanted)} operands and is given ${parsed.operands.length}`);
  return parsed.operands.map((arg) => ({ arg, role: worstRole(wanted) }));
}

const operandsOf = (profile: Profile, parsed: Parsed): Operands =>
  profile.instead?.find((each) => isGiven(parsed, each.with))?.operands ?? profile.operands;

const hidden: ReadonlySet<Role | undefined> = new Set<Role>(['text', 'sed', 'awk', 'jq']);

function hideTexts(call: Invocation, { options }: Parsed, operands: readonly Assigned[]): void {
  for (const { known, source } of options) if (hidden.has(known?.role)) call.isText(source);
  for (const { arg, role } of operands) if (hidden.has(role) && !(role === 'text' && arg.glob)) call.isText(arg);
}

function sayProblems(call: Invocation, profile: Profile, parsed: Parsed, operands: readonly Assigned[]): void {
  for (const problem of parsed.problems)
    call.unclear(`${call.binary}: ${problem} (what is read stands in docs/reference/shell-programs.md)`);
  for (const { known, name } of parsed.options)
    if (known?.refused) call.unclear(`${call.binary} ${name} runs, loads or changes something that is not read`);
  for (const { value } of parsed.options)
    if (value && !value.known && namesSecret(value.text))
      call.unclear(`${call.binary} may show a variable that names a secret`);
  const hasOptions = profile.syntax !== 'none';
  const runs = operands.some(({ role }) => role === 'command');
  for (const { arg, role } of operands) {
    if (profile.plus !== undefined && arg.text.startsWith('+') !== (profile.plus === 'required'))
      call.unclear(`${call.binary} is given ${short(arg.text)}, which is not read`);
    if (isNamed(/^([^=]+)=/.exec(arg.text)?.[1], profile.settings))
      call.unclear(`${call.binary} is told by ${short(arg.text)} to run something else`);
    if (profile.responseFiles && arg.text.startsWith('@'))
      call.unclear(`${call.binary} reads arguments from the file in ${arg.text}`);
    if (role === 'command') continue;
    if (runs && arg.splits) call.isOpen(arg);
    if (hasOptions && !parsed.certain.has(arg) && mayBecomeOption(arg, profile)) call.isOpen(arg);
  }
}

/** What it begins with only the run will show, so that it may be an option that does more than the operands. */
function mayBecomeOption({ text, known, glob }: Arg, profile: Profile): boolean {
  if (!known) return /^[$`<>]/.test(text) && hasOptionsWith(profile, [...acting, 'read', 'names']);
  return glob && /^[*?[]/.test(text) && hasOptionsWith(profile, acting);
}

const acting = ['write', 'delete', 'execute', 'line', 'sed', 'awk', 'unread', 'method', 'data'] as const;
const hasOptionsWith = ({ values, attached, refused, changes }: Profile, roles: readonly Role[]): boolean =>
  refused !== undefined ||
  changes !== undefined ||
  [values, attached].some((all) => all && roles.some((role) => all[role] !== undefined));

function effects(
  call: Invocation,
  profile: Profile,
  parsed: Parsed,
  operands: readonly Assigned[],
  words: readonly Arg[],
): void {
  const changed = changedTo(profile, parsed);
  const sends = parsed.options.some(isSending);
  const does = isQuestion(parsed) ? 'read' : (changed ?? (sends ? 'write' : profile.does));
  const act: Act = { call, profile, parsed, does, changed };
  if (profile.whole) call.whole(does, words);
  if (profile.input === 'script' && !isScripted(parsed)) call.unclear(`${call.binary} runs what arrives on its input`);
  for (const option of parsed.options) valueEffect(act, option);
  if (profile.below) searchBelow(act, profile.below, operands);
  const acted = operands.filter((each) => operandEffect(act, each)).length > 0;
  const command = operands.filter(({ role }) => role === 'command').map(({ arg }) => arg);
  const split = parsed.options.find(({ known }) => known?.role === 'split');
  if (split) call.line(split.value?.known ? [split.value.text, ...command.map(quote)].join(' ') : undefined);
  else if (command.length > 0) runCommand(act, command);
  else if (!acted && !profile.whole && !profile.idle) {
    if (profile.here && operands.length === 0) call.path(profile.here === 'write' ? 'write' : does, argOf('.'), true);
    else call.effect(does, '');
  }
  readUnpermuted(act);
}

/** What an option or an operand is read with. */
interface Act {
  readonly call: Invocation;
  readonly profile: Profile;
  readonly parsed: Parsed;
  /** What the program does, options considered. */
  readonly does: Capability;
  /** What an option makes of it. */
  readonly changed: Capability | undefined;
}

const worst = (all: readonly Capability[]): Capability | undefined =>
  (['delete', 'execute', 'write', 'read'] as const).find((capability) => all.includes(capability));

/** What options and the first operand make of it. */
function changedTo({ verbs = {}, alone }: Profile, { options, operands }: Parsed): Capability | undefined {
  const verb = (Object.keys(verbs) as Capability[]).filter((does) => isNamed(operands[0]?.text, verbs[does]));
  const byOptions = options.flatMap(({ known }) => known?.changes ?? []);
  return worst([...verb, ...byOptions]) ?? (operands.length === 0 ? alone : undefined);
}

/** It is only asked what it is. */
const isQuestion = ({ options, operands }: Parsed): boolean =>
  operands.length === 0 && options.length > 0 && options.every(({ name }) => /^(?:-V|-h|--version|--help)$/.test(name));

const isNamed = (word: string | undefined, names: Names | undefined): boolean =>
  word !== undefined && namesOf(names).includes(word);

/** It is given a script or a module, or only says what it is. */
function isScripted({ options, operands }: Parsed): boolean {
  const [first] = operands;
  if (first) return first.text !== '-' && first.text !== '/dev/stdin';
  return options.some(({ name }) => /^(?:-m|-c|-h|-v|-V|--help|--version)$/.test(name));
}

const isSending = ({ known, value }: Option): boolean =>
  known?.role === 'data' || (known?.role === 'method' && !/^(?:GET|HEAD|OPTIONS)$/i.test(value?.text ?? ''));

/** A file or folder of which a program does what the role says. */
type PathRole = 'read' | 'names' | 'write' | 'delete' | 'execute';
const isPath = (role: Role): role is PathRole => /^(?:read|names|write|delete|execute)$/.test(role);

function pathEffect(
  { call, profile }: Act,
  role: PathRole,
  arg: Arg,
  capability: Capability = role === 'names' ? 'read' : role,
): void {
  if (arg.text === '-' && role === 'read') call.effect(capability, '');
  else if (arg.text === '-' && role === 'write' && profile.dash === 'output') call.effect('read', '');
  else if (role === 'write' && /^\/dev\/(?:null|stdout|stderr)$/.test(arg.text)) call.effect('read', '');
  else call.path(capability, arg, role === 'names');
}

function valueEffect(act: Act, { known, name, value }: Option): void {
  const { call } = act;
  const role = known?.role;
  if (role === 'unread') call.unclear(`${call.binary} ${name} runs, loads or changes something that is not read`);
  if (!value) return;
  if (known === undefined) {
    // A path behind an option that is not known.
    if (/^[~.]|\//.test(value.text)) call.path(act.does, value);
  } else if (role === undefined) return;
  else if (isPath(role)) pathEffect(act, role, value);
  else if (role === 'number') {
    if (value.known && !/^[-+]?[\d.,:]+[A-Za-z%]*$/.test(value.text))
      call.unclear(`${call.binary} ${name} takes a number, and is given "${value.text.slice(0, 20)}"`);
  } else if (role === 'header' || role === 'cookie') {
    const isFile = role === 'header' ? value.text.startsWith('@') : !value.text.includes('=');
    if (isFile) call.path('read', { ...value, text: value.text.replace(/^@/, '') });
  } else if (role === 'data') {
    const file = /(?:^|=)[@<]([^;]+)/.exec(value.text)?.[1];
    if (file !== undefined && file !== '-') call.path('read', { ...value, text: file });
  } else textEffect(act, role, value);
}

/** True where it is an effect. */
function operandEffect(act: Act, { arg, role }: Assigned): boolean {
  const { call, profile, parsed, changed, does } = act;
  if (isPath(role)) {
    if (!profile.whole) pathEffect(act, role, arg, changed ?? (role === 'read' || role === 'names' ? does : role));
    return true;
  }
  if (role === 'text') return readText(call, arg, profile.syntax !== 'none' && !parsed.certain.has(arg));
  textEffect(act, role, arg);
  return role === 'url' || role === 'line';
}

/** Addresses, shell text and scripts. */
function textEffect({ call, does }: Act, role: Role, arg: Arg): void {
  if (role === 'url') {
    if (!arg.known) call.isOpen(arg);
    call.effect(does, arg.text);
  } else if (role === 'line') call.line(arg);
  else if (role === 'sed' || role === 'awk' || role === 'jq') {
    if (!arg.known || !harmless[role](arg.text))
      call.unclear(`${call.binary} is given a program that may do more than print`);
  }
}

const harmless = { sed: isHarmlessSed, awk: isHarmlessAwk, jq: isHarmlessJq } as const;

/** Shown or compared, never opened; but where options matter, an expansion may turn out to be one. */
function readText(call: Invocation, arg: Arg, mayBeOption: boolean): boolean {
  if (arg.glob && mayBeOption) call.isOpen(arg);
  if (!arg.known && namesSecret(arg.text)) call.unclear(`${call.binary} would show a variable that names a secret`);
  // It shows the names of what it matches.
  if (arg.glob && /[/*]/.test(arg.text)) call.path('read', arg, true);
  return arg.glob && /[/*]/.test(arg.text);
}

function searchBelow({ call, parsed }: Act, below: Below, operands: readonly Assigned[]): void {
  const roots = operands.filter(({ role }) => role === 'read').map(({ arg }) => arg);
  const patterns = [
    ...operands.filter(({ role }) => role === 'text').map(({ arg }) => arg),
    ...given(parsed, '-e --regexp').flatMap(({ value }) => value ?? []),
  ];
  readBelow(call, below, parsed, roots.length === 0 ? [argOf('.')] : roots, patterns);
}

function runCommand({ call, profile }: Act, command: readonly Arg[]): void {
  const env: Record<string, string> = {};
  // To env a dash alone is `-i`.
  let at = profile.assigns && command[0]?.text === '-' ? 1 : 0;
  for (; profile.assigns && at < command.length; at++) {
    const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(command[at]!.text) ?? [];
    if (name === undefined) break;
    env[name] = value!;
  }
  const [first, line] = command.slice(at);
  // flock gives a shell what follows.
  if (first?.text === '-c' || first?.text === '--command') call.line(line);
  else if (first) call.run(command.slice(at), call.stdin, env);
  else call.effect('read', '');
}

/** A known argument as shell text again. */
const quote = ({ text, known }: Arg): string => (known ? `'${text.replaceAll("'", "'\\''")}'` : text);

/** Where options stand behind operands: programs that do not look for them there (POSIX) take them for operands. */
function readUnpermuted(act: Act): void {
  const { parsed, profile } = act;
  const { unpermuted } = parsed;
  if (!unpermuted) return;
  for (const { arg, role } of assign(unpermuted, operandsOf(profile, parsed)) ?? []) {
    const isWritten = role === 'write' || role === 'delete' || role === 'execute';
    if (isPath(role) && (isWritten || !arg.text.startsWith('-'))) pathEffect(act, role, arg);
  }
}
