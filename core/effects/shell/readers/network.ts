/** Local reads and writes by curl, wget, containers and network copies that are not named in their options. */
import { type Grammar, givenOptions, isGiven, parseWords } from '../arguments.ts';
import { interpret } from '../interpret.ts';
import type { Invocation } from '../invocation.ts';
import { argOf } from '../words.ts';

export function curl(call: Invocation, grammar: Grammar): void {
  const parsed = parseWords(call.args, grammar);
  interpret(call, grammar, parsed);
  if (isGiven(parsed, '-O -J --remote-name --remote-name-all --remote-header-name'))
    call.path('write', argOf('.'), true);
}

/** Reads wget, which writes to the working directory unless an option names a place. */
export function wget(call: Invocation, grammar: Grammar): void {
  const parsed = parseWords(call.args, grammar);
  interpret(call, grammar, parsed);
  if (!isGiven(parsed, '-O --output-document -P --directory-prefix --spider')) call.path('write', argOf('.'), true);
}

export function remoteCopy(call: Invocation, grammar: Grammar): void {
  const parsed = parseWords(call.args, grammar);
  interpret(call, grammar, parsed);
  parsed.operands.forEach((arg, i) => {
    if (!/^[^/]*:/.test(arg.text)) call.path(i === parsed.operands.length - 1 ? 'write' : 'read', arg);
  });
}

/** Reads editors, which run their input. */
export function editor(call: Invocation, grammar: Grammar): void {
  const parsed = parseWords(call.args, grammar);
  interpret(call, grammar, parsed);
  if (givenOptions(parsed, '-').length > 0 || call.stdin.kind !== 'inherited' || /^(?:ed|ex|red)$/.test(call.binary))
    call.unclear(`${call.binary} is given commands that the gateway cannot check`);
  if (parsed.operands.length === 0) call.whole('execute');
}
