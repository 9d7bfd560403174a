/** Shell built-ins that change directories, variables or the meaning of names. */
import { resolveAt } from '../paths.ts';
import { grammarOf, parseWords } from './arguments.ts';
import { isHarmlessVariable, variableDoubt } from './environment.ts';
import { type Invocation, type Reader, short } from './invocation.ts';
import type { Arg } from './words.ts';

const readIdle: Reader = (call) => call.idle();

const unclearReader =
  (why: string): Reader =>
  (call) =>
    call.unclear(why);

const cdWords = grammarOf('cd', { does: 'read', syntax: 'stops', flags: '-L -P -e', operands: ['folder?'] });

function cd(call: Invocation): void {
  const { operands, problems } = parseWords(call.args, cdWords);
  for (const problem of problems) call.unclear(`cd: ${problem}`);
  const [dir] = operands;
  if (operands.length > 1 || dir?.text === '-' || (dir && (!dir.known || dir.glob))) {
    call.unclear('the target folder of cd is only known when the line runs');
    return;
  }
  call.goTo(call.cwds.map((cwd) => resolveAt(cwd, dir?.text ?? '~')));
}

function evaluate(call: Invocation): void {
  const words = call.args[0]?.text === '--' ? call.args.slice(1) : call.args;
  if (words.some((arg) => !arg.known || arg.glob)) call.line(undefined);
  else if (words.length > 0) call.line(words.map((arg) => arg.text).join(' '));
}

function source(call: Invocation): void {
  const [file] = call.args;
  if (!file || /^\/dev\//.test(file.text)) call.unclear('a script is read that is only known when the line runs');
  else call.path('execute', file);
}

/** Reads a trap, whose command runs later and in an unknown working directory. */
function trap(call: Invocation): void {
  const [action] = call.args;
  if (call.args.length < 2 || !action || /^-?$|^-[lp]$/.test(action.text)) return;
  call.unclear('it is not known when a trap runs');
  call.line(action);
}

/**
 * Reads `export`, `declare`, `read` and `unset`: plain names, and options that do not change the meaning of the names.
 */
const variables =
  (options: RegExp): Reader =>
  (call) => {
    let at = 0;
    for (; call.args[at]?.text.startsWith('-'); at++) {
      const { text, known } = call.args[at]!;
      if (text === '--') break;
      if (!known || !options.test(text)) call.unclear(`${call.binary} ${short(text)} is not a supported option`);
      // The prompt, the character count and the timeout of `read`.
      if (call.binary === 'read' && /[pnt]$/.test(text)) at++;
    }
    const names = call.args.slice(at).filter(({ text }) => text !== '--');
    for (const arg of names) checkVariableName(call, arg);
    const shows = names.length === 0 || call.args.some(({ text }) => /^-\w*p/.test(text));
    if (shows && !/^(?:read|unset|local)$/.test(call.binary)) call.effect('read', '');
  };

function checkVariableName(call: Invocation, arg: Arg): void {
  const [, name, value] = /^([A-Za-z_]\w*)(?:(=[\s\S]*))?$/.exec(arg.text) ?? [];
  if (name === undefined || arg.glob || arg.splits || (!arg.known && value === undefined))
    call.unclear(`${call.binary} is given "${short(arg.text)}", which is not a plain name`);
  else if (!isHarmlessVariable(name)) call.unclear(variableDoubt(name));
}

function readSet(call: Invocation): void {
  if (call.args.length === 0) call.effect('read', '');
  let named = false;
  for (const { text, known } of call.args) {
    const usual: RegExp = named ? /^(?:errexit|nounset|xtrace|noglob|pipefail)$/ : /^[-+][euxf]*o?$/;
    if (!known || !usual.test(text) || text.length === 1)
      call.unclear('set changes the arguments or how the line is read');
    named = !named && text.endsWith('o');
  }
}

const unary = /^-[b-hknprstuwxzGLNOS]$/;
const binary = /^(?:==?|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;

/**
 * Reads `test` and `[` with known operators, in a form in which no operand can become an operator. `-v` and `-R`
 * evaluate their operand.
 */
function test(call: Invocation): void {
  const { args } = call;
  call.idle();
  if (call.binary === '[' && args.at(-1)?.text !== ']') call.unclear('a test [ is not closed');
  const words = call.binary === '[' ? args.slice(0, -1) : [...args];
  if (words.some((arg) => arg.splits || arg.glob))
    call.unclear('the operands of a test are only known when the line runs');
  for (let at = 0; at < words.length; ) {
    const operator = (offset: number, of: RegExp): boolean =>
      words[at + offset]?.known === true && of.test(words[at + offset]!.text);
    if (operator(0, /^!$/) && at + 1 < words.length) at++;
    if (operator(1, binary) && at + 2 < words.length) at += 3;
    else if (operator(0, unary) && at + 1 < words.length) at += 2;
    else if (words.length === 1 || operator(0, /^[\w./]*$/)) at++;
    else break;
    if (at === words.length) return;
    if (!operator(0, /^-[ao]$/) || words.some((arg) => !arg.known)) break;
    at++;
  }
  if (words.length > 0) call.unclear('a test has an unsupported form');
}

function alias(call: Invocation): void {
  for (const { text, known } of call.args) {
    const body = /^[^=]+=([\s\S]*)$/.exec(text)?.[1];
    if (body === undefined) continue;
    call.unclear('an alias changes what a word means');
    if (known) call.line(body);
  }
}

/** Returns a reader for a command that has no effects if its arguments have this form. */
const withoutEffects =
  (form: RegExp): Reader =>
  (call) => {
    call.idle();
    if (call.args.some(({ text, known }) => !(known || /^\$[?#$!]$/.test(text)) || !form.test(text)))
      call.unclear(`${call.binary} is given an argument that is not supported`);
  };

/** Returns an entry with the value for each name. */
export const entriesFor = <T>(names: string, value: T): [string, T][] => names.split(' ').map((name) => [name, value]);

export const builtins: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...entriesFor(': true false', readIdle),
  ...entriesFor('exit return break continue shift', withoutEffects(/^(?:\d{1,3}|\$[?#])$/)),
  ...entriesFor('wait fg bg disown', withoutEffects(/^(?:\d+|%[\w+-]*|\$!)$/)),
  ...entriesFor('jobs', withoutEffects(/^(?:-[lprs]|%[\w+-]*)$/)),
  ...entriesFor('umask', withoutEffects(/^(?:[0-7]{1,4}|-[Sp])$/)),
  ...entriesFor('ulimit', withoutEffects(/^(?:-[a-zA-Z]+|\d+|unlimited|hard|soft)$/)),
  ...entriesFor('times logout suspend caller sync clear', withoutEffects(/^$/)),
  ...entriesFor('tput', withoutEffects(/^(?:\d+|[a-z]\w*)$/)),
  ...entriesFor('cd chdir', cd),
  ...entriesFor('eval', evaluate),
  ...entriesFor('source .', source),
  ...entriesFor('trap', trap),
  ...entriesFor('export readonly', variables(/^-p$/)),
  ...entriesFor('declare typeset', variables(/^-[prxg]+$/)),
  ...entriesFor('local', variables(/^-r$/)),
  ...entriesFor('read', variables(/^-[rs]*[pnt]?$/)),
  ...entriesFor('unset', variables(/^-v$/)),
  ...entriesFor('set', readSet),
  ...entriesFor('shopt', unclearReader('an option changes how the shell reads the line')),
  ...entriesFor('test [', test),
  ...entriesFor('alias', alias),
  ...entriesFor('unalias', readIdle),
  ...entriesFor(
    'mapfile readarray getopts',
    unclearReader('variables are set in a way that the gateway does not track'),
  ),
  ...entriesFor('pushd popd dirs', unclearReader('the gateway does not track the directory stack')),
  ...entriesFor('history fc', unclearReader('the command history is not known')),
  ...entriesFor(
    'enable hash bind complete compgen compopt let coproc zmodload autoload',
    unclearReader('the shell is changed in a way that the gateway does not track'),
  ),
]);
