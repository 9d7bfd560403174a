/** What a value or an operand does, by its role. */
import type { Option, Parsed } from './arguments.ts';
import { elsewhereEffect } from './elsewhere.ts';
import { namesSecret } from './environment.ts';
import type { Capability, Invocation } from './invocation.ts';
import type { Assigned } from './operands.ts';
import type { Profile, Role } from './profiles/profile.ts';
import { isHarmlessAwk } from './scripts/awk.ts';
import { isHarmlessJq } from './scripts/jq.ts';
import { isHarmlessSed } from './scripts/sed.ts';
import type { Arg } from './words.ts';

/** What an option or an operand is read with. */
export interface Act {
  readonly call: Invocation;
  readonly profile: Profile;
  readonly parsed: Parsed;
  /** What the program does, options considered. */
  readonly does: Capability;
  /** What an option makes of it. */
  readonly changed: Capability | undefined;
}

/** A file or folder of which a program does what the role says. */
type PathRole = 'read' | 'names' | 'write' | 'delete' | 'execute';
export const isPath = (role: Role): role is PathRole => /^(?:read|names|write|delete|execute)$/.test(role);

/** Reads, writes or deletes what the argument names. */
export function pathEffect(
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

/** What the value of an option is opened, run or sent for. */
export function valueEffect(act: Act, { known, name, value }: Option): void {
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
export function operandEffect(act: Act, { arg, role }: Assigned): boolean {
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
  } else elsewhereEffect(call, does, role, arg);
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
