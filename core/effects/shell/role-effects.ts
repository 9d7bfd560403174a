/** Effects of a value or an operand, by its role. */
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

/** Context in which an option or an operand is read. */
export interface Act {
  readonly call: Invocation;
  readonly profile: Profile;
  readonly parsed: Parsed;
  /** The capability of the program, including its options. */
  readonly does: Capability;
  /** The capability that an option changes it to. */
  readonly changed: Capability | undefined;
}

/** Roles of files and folders; each names what the program does with them. */
type PathRole = 'read' | 'names' | 'write' | 'delete' | 'execute';
export const isPath = (role: Role): role is PathRole => /^(?:read|names|write|delete|execute)$/.test(role);

/** Adds the read, write or deletion of the path in the argument. */
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

/** Adds the effect of the value of an option: what it opens, runs or sends. */
export function valueEffect(act: Act, { known, name, value }: Option): void {
  const { call } = act;
  const role = known?.role;
  if (role === 'unread') call.unclear(`${call.binary} ${name} runs, loads or changes something that is not read`);
  if (!value) return;
  if (known === undefined) {
    // A path after an unknown option.
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

/** Adds the effect of an operand. Returns whether it has one. */
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

/** Adds the effect of addresses, shell text and scripts. */
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

/** Reads a text, which is shown or compared and never opened. Where options are parsed, an expansion may become one. */
function readText(call: Invocation, arg: Arg, mayBeOption: boolean): boolean {
  if (arg.glob && mayBeOption) call.isOpen(arg);
  if (!arg.known && namesSecret(arg.text)) call.unclear(`${call.binary} would show a variable that names a secret`);
  // Shows the names that it matches.
  if (arg.glob && /[/*]/.test(arg.text)) call.path('read', arg, true);
  return arg.glob && /[/*]/.test(arg.text);
}
