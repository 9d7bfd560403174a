/** `find`: its roots, and what the words of its expression do with what it finds. */

import { namesOf } from '../arguments.ts';
import type { Invocation } from '../invocation.ts';
import { findWords } from '../profiles/finding.ts';
import { type Arg, argOf } from '../words.ts';

type Kind = keyof typeof findWords;
const kinds = new Map(
  (Object.entries(findWords) as [Kind, string][]).flatMap(([kind, words]) =>
    namesOf(words).map((word) => [word, kind] as const),
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
  for (; at < args.length; at++) at += word(call, args, at, roots, acts);
  for (const arg of args) if (!arg.known) call.isOpen(arg);
  for (const root of roots) call.path('read', root, true);
  for (const act of acts) act();
}

/** Reads one word and what belongs to it; returns how many words that were. */
function word(call: Invocation, args: readonly Arg[], at: number, roots: readonly Arg[], acts: (() => void)[]): number {
  const { text } = args[at]!;
  const next = args[at + 1];
  const kind = kinds.get(text);
  if (kind === 'plain') return 0;
  if (kind === 'runs') return command(call, args, at, acts);
  if (text === '-delete') {
    acts.push(() => {
      for (const root of roots) call.path('delete', root);
    });
    return 0;
  }
  const isTimes = /^-newer[aBcm][aBcmt]$/.test(text);
  if (!next || (kind === undefined && !isTimes && text !== '-fprintf')) {
    call.unclear(
      `find ${text.slice(0, 20)} is not a test or an action that is read (docs/reference/shell-programs.md)`,
    );
    return 0;
  }
  if (kind === 'texts') call.isText(next);
  else if (kind === 'writes' || text === '-fprintf') acts.push(() => call.path('write', next));
  else if (kind !== 'words' && !text.endsWith('t')) acts.push(() => call.path('read', next));
  return text === '-fprintf' ? 2 : 1;
}

function command(call: Invocation, args: readonly Arg[], at: number, acts: (() => void)[]): number {
  const end = args.findIndex(
    (arg, i) => i > at && (arg.text === ';' || (arg.text === '+' && args[i - 1]?.text === '{}')),
  );
  if (end < 0) call.unclear('find runs a command that does not end');
  const words = args.slice(at + 1, end < 0 ? args.length : end);
  acts.push(() => call.run(words.map((arg) => (arg.text.includes('{}') ? { ...arg, known: false } : arg))));
  return (end < 0 ? args.length : end) - at;
}
