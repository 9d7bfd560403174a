/** Reports uncertain words of a command: problems of options, refused options, words that may become options. */
import { isOneOf, type Parsed } from './arguments.ts';
import { namesSecret } from './environment.ts';
import { type Invocation, short } from './invocation.ts';
import type { Assigned } from './operands.ts';
import type { Profile, Role } from './profiles/profile.ts';
import type { Arg } from './words.ts';

const hidden: ReadonlySet<Role | undefined> = new Set<Role>(['text', 'sed', 'awk', 'jq']);

/** Excludes texts from all effects, because rules about paths and commands would match them. */
export function hideTexts(call: Invocation, { options }: Parsed, operands: readonly Assigned[]): void {
  for (const { known, source } of options) if (hidden.has(known?.role)) call.isText(source);
  for (const { arg, role } of operands) if (hidden.has(role) && !(role === 'text' && arg.glob)) call.isText(arg);
}

/** Reports words that are uncertain or cannot be parsed. */
export function reportProblems(
  call: Invocation,
  profile: Profile,
  parsed: Parsed,
  operands: readonly Assigned[],
): void {
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
    if (isOneOf(/^([^=]+)=/.exec(arg.text)?.[1], profile.settings))
      call.unclear(`${call.binary} is set by ${short(arg.text)} to run something else`);
    if (profile.responseFiles && arg.text.startsWith('@'))
      call.unclear(`${call.binary} reads arguments from the file in ${arg.text}`);
    if (role === 'command') continue;
    if (runs && arg.splits) call.isOpen(arg);
    if (hasOptions && !parsed.certain.has(arg) && mayBecomeOption(arg, profile)) call.isOpen(arg);
  }
}

/** Checks whether a word with an unknown beginning may become an option that does more than the operands. */
function mayBecomeOption({ text, known, glob }: Arg, profile: Profile): boolean {
  if (!known) return /^[$`<>]/.test(text) && hasOptionsWith(profile, [...acting, 'read', 'names']);
  return glob && /^[*?[]/.test(text) && hasOptionsWith(profile, acting);
}

const acting = ['write', 'delete', 'execute', 'line', 'sed', 'awk', 'unread', 'method', 'data'] as const;
const hasOptionsWith = ({ values, attached, refused, changes }: Profile, roles: readonly Role[]): boolean =>
  refused !== undefined ||
  changes !== undefined ||
  [values, attached].some((all) => all && roles.some((role) => all[role] !== undefined));
