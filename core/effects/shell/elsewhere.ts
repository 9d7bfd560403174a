/** Roles of words that name something outside this machine: in a cluster, a container, an account, a registry. */
import { type Capability, type Invocation, short } from './invocation.ts';
import type { Role } from './profiles/profile.ts';
import type { Arg } from './words.ts';

/** Forms that a word must have for its effect to be known. */
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
export function elsewhereEffect(call: Invocation, does: Capability, role: Role, arg: Arg): void {
  if (/^(?:object|resource|name|repository|chart|path)$/.test(role) && arg.glob) call.isOpen(arg);
  const shape = shapes[role];
  if (shape && arg.known && !shape.test(arg.text))
    call.unclear(`${call.binary} is given ${short(arg.text)}, which is not read`);
  if (role === 'plan') call.path('write', arg);
  else if (role === 'from' && !isElsewhere(arg.text)) call.path('read', arg);
  else if (role === 'to' && !isElsewhere(arg.text)) call.path('write', arg);
  else if (role === 'source' || role === 'remote') readSource(call, does, role, arg);
  else if (role === 'mount') mount(call, arg);
}

/** Checks for `web:/srv/x`, `s3://bucket/x`; a single dash is the input or output. */
const isElsewhere = (text: string): boolean => /^[^/.~][^/]*:/.test(text) || text === '-';

/**
 * Reads a file or address. In a text for a service only `file://`, `fileb://` and addresses are opened, and a command
 * that only reads sends their content.
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
