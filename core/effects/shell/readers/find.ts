/** Reads `find`: its roots, and the effects of its expression on matching files. */

import { splitNames } from '../arguments.ts';
import { endOfCommand, filesBelow, foundNames } from '../found-names.ts';
import type { Invocation } from '../invocation.ts';
import { findWords } from '../profiles/finding.ts';
import { type Arg, argOf } from '../words.ts';

type FindWordKind = keyof typeof findWords;
const kinds = new Map(
  (Object.entries(findWords) as [FindWordKind, string][]).flatMap(([kind, words]) =>
    splitNames(words).map((word) => [word, kind] as const),
  ),
);

export function find(call: Invocation): void {
  const { args } = call;
  let at = 0;
  while (/^-[HLP]$|^-O\d$/.test(args[at]?.text ?? '')) at++;
  const start = at;
  while (at < args.length && !/^(?:-.|[!(),])/.test(args[at]!.text)) at++;
  const roots = at > start ? args.slice(start, at) : [argOf('.')];
  const acts: (() => void)[] = [];
  const search = { roots, begins: at, acts };
  for (; at < args.length; at++) at += word(call, args, at, search);
  for (const arg of args) if (!arg.known) call.isOpen(arg);
  for (const root of roots) call.path('read', root, true);
  for (const act of acts) act();
}

interface Search {
  readonly roots: readonly Arg[];
  /** Index at which the expression begins. */
  readonly begins: number;
  /** Effects to add after the expression is parsed. */
  readonly acts: (() => void)[];
}

/** Reads one word with its arguments and returns the number of arguments. */
function word(call: Invocation, args: readonly Arg[], at: number, search: Search): number {
  const { roots, acts } = search;
  const { text } = args[at]!;
  const next = args[at + 1];
  const kind = kinds.get(text);
  if (kind === 'plain') return 0;
  if (kind === 'runs') return command(call, args, at, search);
  if (text === '-delete') {
    acts.push(() => {
      for (const root of roots) call.path('delete', root);
    });
    return 0;
  }
  const isTimes = /^-newer[aBcm][aBcmt]$/.test(text);
  if (!next || (kind === undefined && !isTimes && text !== '-fprintf')) {
    call.unclear(`find ${text.slice(0, 20)} is not a supported test or action (docs/reference/shell-programs.md)`);
    return 0;
  }
  if (kind === 'texts') call.isText(next);
  else if (kind === 'writes' || text === '-fprintf') acts.push(() => call.path('write', next));
  else if (kind !== 'words' && !text.endsWith('t')) acts.push(() => call.path('read', next));
  return text === '-fprintf' ? 2 : 1;
}

function command(call: Invocation, args: readonly Arg[], at: number, { roots, begins, acts }: Search): number {
  const end = endOfCommand(args, at);
  // A test after the command does not restrict the files that the command runs on.
  const names = foundNames(args.slice(begins, at));
  const found = names && filesBelow(roots, names);
  if (end === args.length) call.unclear('find runs a command without ; or + at its end');
  const words = args.slice(at + 1, end);
  const whole = words.filter(({ text }) => text.includes('{}')).every(({ text }) => text === '{}');
  if (found && whole && args[at]!.text === '-exec' && end < args.length) {
    // The command is read separately, for all files that may be found. Rules match the command itself rather than the
    // fact that find runs it.
    for (const arg of args.slice(at, end + 1)) call.isText(arg);
    acts.push(() => {
      for (const each of found) call.run(words.map((arg) => (arg.text === '{}' ? each : arg)));
    });
  } else acts.push(() => call.run(words.map((arg) => (arg.text.includes('{}') ? { ...arg, known: false } : arg))));
  return end - at;
}
