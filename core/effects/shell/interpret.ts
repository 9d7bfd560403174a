/** Parses the words of a command according to its profile and adds the effect of each. */
import type { Operands, Profile, Role, Subcommands } from '#core/contracts/shell-programs.ts';
import { type Grammar, givenOptions, isGiven, isOneOf, type Option, type ParsedArguments } from './arguments.ts';
import { namesSecret } from './environment.ts';
import { type Capability, type Invocation, short } from './invocation.ts';
import { assign, type OperandRole, operandCountText, worstRole } from './operands.ts';
import { readBelow } from './reach.ts';
import { isPath, operandEffect, pathEffect, type RoleContext, valueEffect } from './role-effects.ts';
import { type Arg, argOf } from './words.ts';

/** Adds all effects of a command according to its profile. */
export function interpret(
  call: Invocation,
  { profile }: Grammar,
  parsed: ParsedArguments,
  words: readonly Arg[] = call.args,
): void {
  const operands = assignRoles(call, profile, parsed);
  hideTexts(call, parsed, operands);
  reportProblems(call, profile, parsed, operands);
  if (showsNames(call, profile, parsed)) call.showsNames();
  const folders = parsed.options.filter(({ known }) => known?.role === 'folder').flatMap(({ value }) => value ?? []);
  const act = (): void => effects(call, profile, parsed, operands, words);
  folders.reduceRight<() => void>((inner, folder) => () => call.within(folder, inner), act)();
}

/** Roles of values that do not make a program open anything. */
const opensNothing = /^(?:text|word|number|names|jq|repository)$/;

function showsNames(call: Invocation, { showsNames }: Profile, parsed: ParsedArguments): boolean {
  return (
    showsNames !== undefined &&
    !isGiven(parsed, showsNames.unless) &&
    parsed.problems.length === 0 &&
    parsed.options.every(({ known }) => known && !known.refused && (!known.role || opensNothing.test(known.role))) &&
    call.args.every(({ known, splits }) => known && !splits)
  );
}

/** Returns the roles of the operands, or the worst possible role if their number is wrong. */
function assignRoles(call: Invocation, profile: Profile, parsed: ParsedArguments): readonly OperandRole[] {
  const wanted = operandsOf(profile, parsed);
  const found = assign(parsed.operands, wanted);
  if (found) return found;
  if (!isGiven(parsed, '--help --version'))
    call.unclear(`${call.binary} takes ${operandCountText(wanted)} operands and is given ${parsed.operands.length}`);
  return parsed.operands.map((arg) => ({ arg, role: worstRole(wanted) }));
}

const operandsOf = (profile: Profile, parsed: ParsedArguments): Operands =>
  profile.instead?.find((each) => isGiven(parsed, each.with))?.operands ?? profile.operands;

function effects(
  call: Invocation,
  profile: Profile,
  parsed: ParsedArguments,
  operands: readonly OperandRole[],
  words: readonly Arg[],
): void {
  const { does, changed } = capabilityOf(profile, parsed);
  const act: RoleContext = { call, profile, parsed, does, changed };
  if (profile.whole) call.whole(does, words);
  const doubt = profile.input === 'script' ? programDoubt(call, parsed) : undefined;
  if (doubt !== undefined) call.unclear(doubt);
  for (const option of parsed.options) valueEffect(act, option);
  if (profile.below) searchBelow(act, profile.below, operands);
  const acted = operands.filter((each) => operandEffect(act, each)).length > 0;
  const command = operands.filter(({ role }) => role === 'command').map(({ arg }) => arg);
  const split = parsed.options.find(({ known }) => known?.role === 'split');
  if (split) call.line(split.value?.known ? [split.value.text, ...command.map(quote)].join(' ') : undefined);
  else if (command.length > 0) runCommand(act, command);
  else if (call.binary === 'env' && !isQuestion(parsed)) showEnvironment(call);
  else if (!acted && !profile.whole && !profile.idle) {
    if (profile.here && operands.length === 0) call.path(profile.here === 'write' ? 'write' : does, argOf('.'), true);
    else call.effect(does, '');
  }
  readUnpermuted(act);
}

/** Returns the capability of a whole command, and the capability that an option or the first operand changes it to. */
export function capabilityOf(profile: Profile, parsed: ParsedArguments): Pick<RoleContext, 'does' | 'changed'> {
  const changed = changedTo(profile, parsed);
  const sends = parsed.options.some(isSending);
  const deletes =
    profile.whole &&
    parsed.options.some(({ known, value }) => known?.role === 'method' && /^delete$/i.test(value?.text ?? ''));
  const does = isQuestion(parsed) ? 'read' : (changed ?? (deletes ? 'delete' : sends ? 'write' : profile.does));
  return { does, changed };
}

const worstCapability = (all: readonly Capability[]): Capability | undefined =>
  (['delete', 'execute', 'write', 'read'] as const).find((capability) => all.includes(capability));

/** Returns the capability that results from options and the first operand. */
function changedTo({ verbs = {}, alone }: Profile, { options, operands }: ParsedArguments): Capability | undefined {
  const verb = (Object.keys(verbs) as Capability[]).filter((does) => isOneOf(operands[0]?.text, verbs[does]));
  const byOptions = options.flatMap(({ known }) => known?.changes ?? []);
  return worstCapability([...verb, ...byOptions]) ?? (operands.length === 0 ? alone : undefined);
}

/** Checks for a command that only prints its help or version. */
const isQuestion = ({ options, operands }: ParsedArguments): boolean =>
  operands.length === 0 && options.length > 0 && options.every(({ name }) => /^(?:-V|-h|--version|--help)$/.test(name));

/**
 * Returns the reason why it is uncertain what an interpreter will run. An option that contains a program reports this
 * itself.
 */
function programDoubt({ binary }: Invocation, { options, operands }: ParsedArguments): string | undefined {
  const [first] = operands;
  if (first && first.text !== '-' && first.text !== '/dev/stdin') return undefined;
  if (!first && options.some(({ name }) => /^(?:-m|-c|-h|-v|-V|--help|--version)$/.test(name))) return undefined;
  const searches = first ? undefined : options.find(({ name }) => name === '--test' || name === '--test-only');
  if (searches) return `${binary} ${searches.name} runs the tests that it finds`;
  if (!first && options.some(({ known }) => known?.role === 'unread')) return undefined;
  return `${binary} runs code from its standard input`;
}

const isSending = ({ known, value }: Option): boolean =>
  known?.role === 'data' || (known?.role === 'method' && !/^(?:GET|HEAD|OPTIONS)$/i.test(value?.text ?? ''));

function searchBelow({ call, parsed }: RoleContext, below: Subcommands, operands: readonly OperandRole[]): void {
  const roots = operands.filter(({ role }) => role === 'read').map(({ arg }) => arg);
  const patterns = [
    ...operands.filter(({ role }) => role === 'text').map(({ arg }) => arg),
    ...givenOptions(parsed, '-e --regexp').flatMap(({ value }) => value ?? []),
  ];
  readBelow(call, below, parsed, roots.length === 0 ? [argOf('.')] : roots, patterns);
}

/** Reports `env` without a command, which shows all variables without naming them. */
function showEnvironment(call: Invocation): void {
  call.unclear('env shows every variable, including secrets; show only the variable you need');
  call.effect('read', '');
}

function runCommand({ call, profile }: RoleContext, command: readonly Arg[]): void {
  const env: Record<string, string> = {};
  // For env, a single dash means `-i`.
  let at = profile.assigns && command[0]?.text === '-' ? 1 : 0;
  for (; profile.assigns && at < command.length; at++) {
    const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(command[at]!.text) ?? [];
    if (name === undefined) break;
    env[name] = value!;
  }
  const [first, line] = command.slice(at);
  // flock passes the next word to a shell.
  if (first?.text === '-c' || first?.text === '--command') call.line(line);
  else if (first) call.run(command.slice(at), call.stdin, env);
  else showEnvironment(call);
}

/** Quotes a known argument as shell text. */
const quote = ({ text, known }: Arg): string => (known ? `'${text.replaceAll("'", "'\\''")}'` : text);

/** Reads options that follow operands: programs that follow POSIX treat them as operands. */
function readUnpermuted(act: RoleContext): void {
  const { parsed, profile } = act;
  const { unpermuted } = parsed;
  if (!unpermuted) return;
  for (const { arg, role } of assign(unpermuted, operandsOf(profile, parsed)) ?? []) {
    const isWritten = role === 'write' || role === 'delete' || role === 'execute';
    if (isPath(role) && (isWritten || !arg.text.startsWith('-'))) pathEffect(act, role, arg);
  }
}

const hidden: ReadonlySet<Role | undefined> = new Set<Role>(['text', 'sed', 'awk', 'jq']);

/** Excludes free text from all effects, because rules about paths and commands would match it. */
function hideTexts(call: Invocation, { options }: ParsedArguments, operands: readonly OperandRole[]): void {
  for (const { known, source } of options) if (hidden.has(known?.role)) call.isText(source);
  for (const { arg, role } of operands) if (hidden.has(role) && !(role === 'text' && arg.glob)) call.isText(arg);
}

/** Reports words that are uncertain or cannot be parsed. */
function reportProblems(
  call: Invocation,
  profile: Profile,
  parsed: ParsedArguments,
  operands: readonly OperandRole[],
): void {
  for (const problem of parsed.problems)
    call.unclear(`${call.binary}: ${problem} (docs/reference/shell-programs.md lists the supported arguments)`);
  for (const { known, name } of parsed.options)
    if (known?.refused)
      call.unclear(`${call.binary} ${name} runs, loads or changes something that the gateway cannot check`);
  for (const { value } of parsed.options)
    if (value && !value.known && namesSecret(value.text))
      call.unclear(`${call.binary} may show a variable that names a secret`);
  const hasOptions = profile.syntax !== 'none';
  const runs = operands.some(({ role }) => role === 'command');
  for (const { arg, role } of operands) {
    if (profile.plus !== undefined && arg.text.startsWith('+') !== (profile.plus === 'required'))
      call.unclear(`${call.binary} is given ${short(arg.text)}, which is not supported`);
    if (isOneOf(/^([^=]+)=/.exec(arg.text)?.[1], profile.settings))
      call.unclear(`${short(arg.text)} makes ${call.binary} run something else`);
    if (profile.responseFiles && arg.text.startsWith('@'))
      call.unclear(`${call.binary} reads arguments from the file in ${arg.text}`);
    if (role === 'command') continue;
    if (runs && arg.splits) call.isOpen(arg);
    if (hasOptions && !parsed.certain.has(arg) && mayBecomeOption(arg, profile)) call.isOpen(arg);
  }
}

/** Checks whether a word with an unknown beginning may turn out to be an option that does more than the operands. */
function mayBecomeOption({ text, known, glob }: Arg, profile: Profile): boolean {
  if (!known) return /^[$`<>]/.test(text) && hasOptionsWith(profile, [...acting, 'read', 'names']);
  return glob && /^[*?[]/.test(text) && hasOptionsWith(profile, acting);
}

const acting = ['write', 'delete', 'execute', 'line', 'sed', 'awk', 'unread', 'method', 'data'] as const;
const hasOptionsWith = ({ values, attached, refused, changes }: Profile, roles: readonly Role[]): boolean =>
  refused !== undefined ||
  changes !== undefined ||
  [values, attached].some((all) => all && roles.some((role) => all[role] !== undefined));
