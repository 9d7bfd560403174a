/** Readers for `tar` and `dd`, which name files in their own syntax. */
import { type Grammar, givenOptions, isGiven, parseWords } from '../arguments.ts';
import { interpret } from '../interpret.ts';
import type { Invocation } from '../invocation.ts';
import { argOf } from '../words.ts';

export function tar(call: Invocation, grammar: Grammar): void {
  const parsed = parseWords(call.args, grammar);
  const [packs, ...modes] = tarModes.map((names) => isGiven(parsed, names));
  const [archive] = givenOptions(parsed, '-f --file').flatMap(({ value }) => value ?? []);
  if (isGiven(parsed, '--delete')) call.whole('delete');
  if (archive && /^[^/]*:/.test(archive.text))
    call.unclear(`${call.binary} reads ${archive.text.slice(0, 40)} on another machine`);
  if (archive && archive.text !== '-') call.path(packs ? 'write' : 'read', archive);
  interpret(call, grammar, parsed);
  // GNU's program refuses this; BSD's programs take the last mode.
  if ([packs, ...modes].filter(Boolean).length > 1) call.unclear(`${call.binary} is given more than one mode`);
  if (packs) {
    for (const arg of parsed.operands) call.path('read', arg);
    call.unclear(`${call.binary} packs all files in the folders it is given`);
  } else if (!isGiven(parsed, '-t --list -d --diff --compare -C --directory')) call.path('write', argOf('.'), true);
  if (!archive && !packs) call.effect('read', '');
}

/** Options of `tar` by mode: it packs, extracts, lists or compares. */
const tarModes = [
  '-c -r -u -A --create --append --update --catenate --concatenate',
  '-x --extract --get',
  '-t --list',
  '-d --diff --compare',
];

export function dd(call: Invocation): void {
  for (const arg of call.args) {
    const [, name, value] = /^([a-z_]+)=([\s\S]*)$/.exec(arg.text) ?? [];
    if (name === 'if' || name === 'of') call.path(name === 'if' ? 'read' : 'write', { ...arg, text: value! });
    else if (!arg.known) call.whole('write');
    else if (!/^(?:bs|ibs|obs|cbs|count|skip|seek|iseek|oseek|conv|iflag|oflag|status)$/.test(name ?? ''))
      call.unclear(`dd ${arg.text.slice(0, 20)} is not a supported operand`);
  }
}
