/** Describes the effects of a call for its approver: one line for each effect. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import type { Effects } from './ports.ts';
import { takesOrders } from './shell/orders.ts';

interface EffectLine {
  readonly text: string;
  /** Whether it repeats text that will be executed. */
  readonly ofProgram: boolean;
}

/** As many as a person reads; the most severe are kept. */
const maxLines = 60;
const gravity: Readonly<Record<string, number>> = { read: 0, write: 1, execute: 2, delete: 3 };

/** Returns at least one line: a call without separate effects is named by its tool. */
export function effectsInWords(call: ToolCall, { parts, unclear }: Effects): EffectLine[] {
  const all = parts.length > 0 ? parts : [{ ...call, parameters: { ...call.parameters, action: undefined } }];
  const kept = all.length > maxLines ? gravest(all) : all;
  const lines = kept.map((part, index) => ({
    text: inWords(part, kept[index - 1], unclear),
    ofProgram: isProgram(part),
  }));
  if (kept.length < all.length)
    lines.push({ text: `and ${all.length - kept.length} more, none of them graver than these`, ofProgram: false });
  const distinct = lines.filter(({ text }, index) => lines.findIndex((line) => line.text === text) === index);
  return unclear === undefined
    ? distinct
    : [...distinct, { text: `Cannot be determined: ${unclear}`, ofProgram: true }];
}

const gravest = (parts: readonly ToolCall[]): readonly ToolCall[] =>
  [...parts].sort((a, b) => (gravity[b.capability] ?? 4) - (gravity[a.capability] ?? 4)).slice(0, maxLines);

const isProgram = ({ protocol }: ToolCall): boolean => ['shell', 'sql'].includes(foldCase(protocol).trim());

function inWords(part: ToolCall, before: ToolCall | undefined, unclear: string | undefined): string {
  switch (foldCase(part.protocol).trim()) {
    case 'shell':
      return shellWords(part, before, unclear);
    case 'sql':
      return `SQL: ${sqlWords(part)}`;
    case 'http':
      return httpWords(part);
    case 'git':
      return gitWords(part);
    default:
      return `calls ${part.tool}${on(part.target)}: ${part.capability}`;
  }
}

const on = (target: string): string => (target === '' ? '' : ` on ${target}`);

const verbs: Readonly<Record<string, string>> = { read: 'reads', write: 'writes', delete: 'deletes', execute: 'runs' };
const notes: Readonly<Record<string, string>> = { write: ' (writes)', delete: ' (deletes or overwrites)' };
const isAddress = (target: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(target);

/** Describes the change of a command in the words of its program's reader: `deletes pod x in namespace shop`. */
export const actionInWords = ({ parameters: { operation, action } }: ToolCall): string | undefined =>
  typeof operation === 'string' && typeof action === 'string' ? action : undefined;

function shellWords(part: ToolCall, before: ToolCall | undefined, unclear = ''): string {
  const { tool, target, capability, parameters } = part;
  const program = tool.replace(/^shell\./, '');
  const action = actionInWords(part);
  if (action !== undefined) return `${action}: ${program} ${target}`;
  if (program === 'redirect') return `${verbs[capability] ?? capability} ${target}`;
  const argv = Array.isArray(parameters.argv) ? parameters.argv.map(String) : [];
  const takesInput = unclear.startsWith(`${program} runs whatever `);
  if (takesInput)
    return `runs ${program} on what ${before ? before.tool.replace(/^shell\./, '') : 'another program'} prints`;
  if (target === '') return `runs ${[program, ...argv.slice(1)].join(' ')}`;
  // For these programs the target repeats their instructions; for others it is one of the places that they affect.
  const isOrder = capability === 'execute' || target.includes(' ') || takesOrders(program);
  if (isOrder && !isAddress(target) && argv.slice(1).join(' ').startsWith(target))
    return `runs ${program} ${target}${notes[capability] ?? ''}`;
  const verb = capability === 'write' && isAddress(target) ? 'sends to' : (verbs[capability] ?? capability);
  return `runs ${program}: ${verb} ${target}`;
}

const statements: Readonly<Record<string, string>> = {
  select: 'reads rows of',
  insert: 'adds rows to',
  update: 'changes rows of',
  delete: 'deletes rows of',
  merge: 'changes rows of',
  truncate: 'deletes all rows of',
  call: 'calls the function',
};

function sqlWords({ tool, target, capability, parameters }: ToolCall): string {
  const verb = tool.replace(/^sql\./, '');
  const known = statements[verb];
  const object = typeof parameters.object === 'string' && !known ? `${parameters.object} ` : '';
  const all = parameters.has_where === false && ['update', 'delete'].includes(verb) ? ' (no WHERE: all of them)' : '';
  return `${known ?? verb} ${object}${target || 'nothing named'}${known ? all : ` (${capability})`}`;
}

function httpWords({ tool, target, capability }: ToolCall): string {
  const method = tool.replace(/^.*\./, '').toUpperCase();
  return capability === 'read' ? `reads ${target} (${method})` : `sends ${method} to ${target}`;
}

function gitWords({ tool, target, capability, parameters }: ToolCall): string {
  const { path, branch, branch_pattern: pattern, force, merges } = parameters;
  const verb = merges !== undefined ? 'merges' : force === true ? 'force-pushes' : (verbs[capability] ?? capability);
  const what = typeof path === 'string' ? ` ${path}` : '';
  const where =
    typeof branch === 'string'
      ? ` on branch ${branch}`
      : typeof pattern === 'string'
        ? ` on branches ${pattern.replace(/^refs\/heads\//, '')}`
        : '';
  const of = what + where === '' ? ' to' : ' of';
  return `${verb}${what}${where}${of} ${target || 'a repository that is not named'} (${tool})`;
}
