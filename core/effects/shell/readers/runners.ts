/** Programs that construct the command they run: from their input, by joining words, or on another machine. */
import { type Grammar, givenOptions, isGiven, parseWords } from '../arguments.ts';
import { interpret } from '../interpret.ts';
import type { Invocation } from '../invocation.ts';
import { type Arg, argOf } from '../words.ts';

/** Reads `xargs`, which builds its command from its input. */
export function xargs(call: Invocation, grammar: Grammar): void {
  const parsed = parseWords(call.args, grammar);
  for (const { name, known, value } of parsed.options) {
    if (known?.role === 'read' && value) call.path('read', value);
    if (known?.role === 'unread' || known?.refused) call.unclear(`xargs ${name} is not supported`);
  }
  for (const problem of parsed.problems) call.unclear(`xargs: ${problem}`);
  const marks = parsed.options.filter(({ known }) => known?.role === 'mark').map(({ value }) => value?.text || '{}');
  const { stdin } = call;
  // Blanks split a name unless both sides use a zero byte to end names.
  if (stdin.kind === 'names' && marks.length === 0 && isGiven(parsed, '-0 --null') && parsed.operands.length > 0) {
    for (const name of stdin.names) call.run([...parsed.operands, name], { kind: 'inherited' });
    return;
  }
  const open = { text: '{}', known: false, splits: true, glob: false };
  const filled = parsed.operands.map((arg) => marks.reduce(filledAt, arg));
  const command = filled.length > 0 ? filled : [argOf('echo')];
  call.run(marks.length > 0 ? command : [...command, open], { kind: 'unknown' });
}

/**
 * Returns the word with unknown text in place of the marker. At the beginning of the word, that text may be an option.
 */
const filledAt = (arg: Arg, mark: string): Arg =>
  arg.text.includes(mark) ? { ...arg, text: arg.text.replaceAll(mark, `$$${mark}`), known: false } : arg;

/** Reads GNU Parallel, which passes its command to a shell. */
export function parallel(call: Invocation, grammar: Grammar): void {
  call.unclear('parallel builds command lines while it runs');
  const { operands } = parseWords(call.args, grammar);
  const end = operands.findIndex(({ text }) => text.startsWith(':::'));
  const words = operands.slice(0, end < 0 ? operands.length : end);
  if (words.length > 0 && words.every((arg) => arg.known)) call.line(joinWords(words));
}

/** Reads watch, which by default joins its words into a shell command line. */
export function watch(call: Invocation, grammar: Grammar): void {
  const parsed = parseWords(call.args, grammar);
  for (const problem of parsed.problems) call.unclear(`watch: ${problem}`);
  if (isGiven(parsed, '-x --exec')) call.run(parsed.operands);
  else call.line(parsed.operands.every((arg) => arg.known) ? joinWords(parsed.operands) : undefined);
}

/** Reads ssh: another machine runs the command, but options may run something locally. */
export function ssh(call: Invocation, grammar: Grammar): void {
  const parsed = parseWords(call.args, grammar);
  interpret(call, grammar, parsed);
  for (const { value } of givenOptions(parsed, '-o'))
    if (
      !/^(?:BatchMode|ConnectTimeout|ServerAliveInterval|ServerAliveCountMax|StrictHostKeyChecking|LogLevel|Port|User)[= ]\w+$/i.test(
        value?.text ?? '',
      )
    )
      call.unclear(`ssh -o ${value?.text.slice(0, 30)} may run a local program`);
  const [, ...rest] = parsed.operands;
  if (rest.length > 0) call.line(rest.every((arg) => arg.known) ? joinWords(rest) : undefined);
}

/** Reads commands that run their input at a later time. */
export function readDeferred(call: Invocation, grammar: Grammar): void {
  const parsed = parseWords(call.args, grammar);
  interpret(call, grammar, parsed);
  if (isGiven(parsed, '-l -q -r -d -c')) return;
  if (call.binary === 'crontab') call.unclear('crontab installs lines that run later');
  else call.script();
}

const joinWords = (words: readonly Arg[]): string => words.map((arg) => arg.text).join(' ');
