/** Effects of a value or an operand according to its role. */
import type { Profile, Role } from '#core/contracts/shell-programs.ts';
import type { Option, ParsedArguments } from './arguments.ts';
import { namesSecret } from './environment.ts';
import { type Capability, type Invocation, short } from './invocation.ts';
import type { OperandRole } from './operands.ts';
import { isHarmlessAwk } from './scripts/awk.ts';
import { isHarmlessJq } from './scripts/jq.ts';
import { isHarmlessSed } from './scripts/sed.ts';
import type { Arg } from './words.ts';

/** Context in which an option or an operand is read. */
export interface RoleContext {
  readonly call: Invocation;
  readonly profile: Profile;
  readonly parsed: ParsedArguments;
  /** The capability of the program, including its options. */
  readonly does: Capability;
  /** The capability after an option has changed it. */
  readonly changed: Capability | undefined;
}

/** Roles of files and folders. Each is named after what the program does with the path. */
type PathRole = 'read' | 'names' | 'write' | 'delete' | 'execute';
export const isPath = (role: Role): role is PathRole => /^(?:read|names|write|delete|execute)$/.test(role);

/** Adds the effect on the path in the argument: a read, a write or a deletion. */
export function pathEffect(
  { call, profile }: RoleContext,
  role: PathRole,
  arg: Arg,
  capability: Capability = role === 'names' ? 'read' : role,
): void {
  if (arg.text === '-' && role === 'read') call.effect(capability, '');
  else if (arg.text === '-' && role === 'write' && profile.dash === 'output') call.effect('read', '');
  else if (role === 'write' && /^\/dev\/(?:null|stdout|stderr)$/.test(arg.text)) call.effect('read', '');
  else call.path(capability, arg, role === 'names');
}

/** Adds the effect of an option's value: what it opens, runs or sends. */
export function valueEffect(act: RoleContext, { known, name, value }: Option): void {
  const { call } = act;
  const role = known?.role;
  if (role === 'unread')
    call.unclear(`${call.binary} ${name} runs, loads or changes something that the gateway cannot check`);
  if (!value) return;
  if (known === undefined) {
    // This may be a path after an unknown option.
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

/** Adds the effect of an operand. Returns whether the operand has one. */
export function operandEffect(act: RoleContext, { arg, role }: OperandRole): boolean {
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
function textEffect({ call, does }: RoleContext, role: Role, arg: Arg): void {
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

/**
 * Reads text that is shown or compared and never opened. In places where options are parsed, an expansion may become an
 * option.
 */
function readText(call: Invocation, arg: Arg, mayBeOption: boolean): boolean {
  if (arg.glob && mayBeOption) call.isOpen(arg);
  if (!arg.known && namesSecret(arg.text)) call.unclear(`${call.binary} would show a variable that names a secret`);
  // The text shows the names that the pattern matches.
  if (arg.glob && /[/*]/.test(arg.text)) call.path('read', arg, true);
  return arg.glob && /[/*]/.test(arg.text);
}

/** Forms that a word must have if its effect is to be known. */
const shapes: Readonly<Partial<Record<Role, RegExp>>> = {
  format:
    /^(?:(?:json|jsonc|yaml|kyaml|yamlc|yaml-stream|wide|name|table|text|csv|tsv|none|off|value|list|flattened|get|short|template|go-template)(?:,json)?|(?:jsonpath|jsonpath-as-json|go-template|template|custom-columns)=[\s\S]*|(?:json|table|value|csv|yaml|text|get|list)(?:\[[\w,=-]*\])?\([\w.,:[\]=*() -]*\)|(?:(?:table )?\{\{\s*(?:json )?\.[A-Za-z]*\s*\}\}[ \t|:,]*)+)$/,
  name: /^[^:]*$/,
  repository: /^[\w.-]+\/[\w.-]+$/,
  chart: /^[a-z0-9][\w-]*\/[\w.-]+$/,
  path: /^\/?[\w{][\w{}.-]*(?:[/?][\w{}.,:=&%+/-]*)*$/,
  plan: /^(?:[A-Za-z0-9_][\w-]*\/)*[A-Za-z0-9_][\w-]*(?:\.(?:bin|out|plan|tfplan))?$/,
};

/**
 * Adds the effect of a word.
 * @param does the capability of the program, including its options.
 */
function elsewhereEffect(call: Invocation, does: Capability, role: Role, arg: Arg): void {
  if (/^(?:object|resource|name|repository|chart|path)$/.test(role) && arg.glob) call.isOpen(arg);
  const shape = shapes[role];
  if (shape && arg.known && !shape.test(arg.text))
    call.unclear(`${call.binary} is given ${short(arg.text)}, which is not supported`);
  if (role === 'plan') call.path('write', arg);
  else if (role === 'from' && !isElsewhere(arg.text)) call.path('read', arg);
  else if (role === 'to' && !isElsewhere(arg.text)) call.path('write', arg);
  else if (role === 'source' || role === 'remote') readSource(call, does, role, arg);
  else if (role === 'mount') mount(call, arg);
}

/** Checks for `web:/srv/x` or `s3://bucket/x`. A single dash means standard input or output. */
const isElsewhere = (text: string): boolean => /^[^/.~][^/]*:/.test(text) || text === '-';

/**
 * Reads a file or address. In text for a service, only `file://`, `fileb://` and addresses are opened, and a command
 * that otherwise only reads sends their content.
 */
function readSource(call: Invocation, does: Capability, role: 'source' | 'remote', arg: Arg): void {
  const [, file] = /^fileb?:(?:\/\/)?([\s\S]*)$/i.exec(arg.text) ?? [];
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(arg.text) && file === undefined;
  if (isAddress) call.effect('read', arg.text);
  else if (file !== undefined) call.path('read', { ...arg, text: file });
  else if (role === 'source' && arg.text !== '-') call.path('read', arg);
  if (does === 'read' && (isAddress || file !== undefined)) call.unclear(`${call.binary} opens ${short(arg.text)}`);
}

/** Reads `-v /srv:/data`, `--mount type=bind,source=/srv,target=/data`. */
function mount(call: Invocation, arg: Arg): void {
  const folder = /(?:^|,)(?:source|src)=([^,]*)/.exec(arg.text)?.[1] ?? arg.text.split(':')[0]!;
  if (/^[./~]/.test(folder)) call.path('write', { ...arg, text: folder });
}
