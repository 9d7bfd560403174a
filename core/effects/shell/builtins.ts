/** What the shell does itself: changes of directory, of variables, of the meaning of names. */
import { resolveAt } from '../paths.ts';
import { grammarOf, parseWords } from './arguments.ts';
import { steersPrograms } from './environment.ts';
import type { Invocation, Reader } from './invocation.ts';

const nothing: Reader = () => {};

const refuse =
  (why: string): Reader =>
  (call) =>
    call.unclear(why);

const cdWords = grammarOf('cd', { does: 'read', syntax: 'stops', flags: '-L -P -e', operands: ['folder?'] });

function cd(call: Invocation): void {
  const { operands, problems } = parseWords(call.args, cdWords);
  for (const problem of problems) call.unclear(`cd: ${problem}`);
  const [dir] = operands;
  if (operands.length > 1 || dir?.text === '-' || (dir && (!dir.known || dir.glob))) {
    call.unclear('where cd leads is only known when the line runs');
    return;
  }
  call.goTo(call.cwds.map((cwd) => resolveAt(cwd, dir?.text ?? '~')));
}

function evaluate(call: Invocation): void {
  const words = call.args[0]?.text === '--' ? call.args.slice(1) : call.args;
  if (words.some((arg) => !arg.known)) call.line(undefined);
  else if (words.length > 0) call.line(words.map((arg) => arg.text).join(' '));
}

function source(call: Invocation): void {
  const [file] = call.args;
  if (!file || /^\/dev\//.test(file.text)) call.unclear('a script is read that is only known when the line runs');
  else call.path('execute', file);
}

function trap(call: Invocation): void {
  const [action] = call.args;
  if (call.args.length > 1 && action && !/^-?$|^-[lp]$/.test(action.text)) call.line(action);
}

/** `export`, `declare`, `read`: names that come to hold something. */
function variables(call: Invocation): void {
  for (const arg of call.args) {
    if (/^-[a-zA-Z]*[nCEV]/.test(arg.text) && call.binary !== 'export')
      call.unclear(`${call.binary} ${arg.text} is not read`);
    const name = /^[A-Za-z_]\w*/.exec(arg.text)?.[0] ?? '';
    if (arg.splits || arg.text.startsWith('$')) call.isOpen(arg);
    if (/^[^=]*\[/.test(arg.text)) call.unclear(`${call.binary} may run what stands in brackets`);
    if (
      steersPrograms(name) &&
      (arg.text.includes('=') || /^(?:read|mapfile|readarray|getopts|unset)$/.test(call.binary))
    )
      call.unclear(`the variable ${name} may change which programs run`);
  }
  const shows = call.args.length === 0 || call.args.every(({ text }) => text === '-p' || text === '-x');
  if (shows && !/^(?:read|unset|mapfile|readarray|getopts|local)$/.test(call.binary)) call.effect('read', '');
}

function set(call: Invocation): void {
  if (call.args.length === 0) call.effect('read', '');
  const usual = /^(?:[-+][euxvfEaTn]*o?|errexit|nounset|xtrace|noglob|noclobber|pipefail)$/;
  if (!call.args.every(({ text, known }) => known && usual.test(text)))
    call.unclear('set changes what the line reads or means');
}

function shopt(call: Invocation): void {
  if (
    call.args.some(
      ({ text, known }) =>
        !known || /^(?:expand_aliases|extglob|dotglob|extdebug|lastpipe|nocaseglob|globstar)$/.test(text),
    )
  )
    call.unclear('an option changes how the shell reads the line');
}

/** `test -v` evaluates subscripts. */
function test(call: Invocation): void {
  if (call.args.some(({ text }) => text === '-v' || text === '-R'))
    call.unclear('a test of a variable may run what it holds');
}

function alias(call: Invocation): void {
  for (const { text, known } of call.args) {
    const body = /^[^=]+=([\s\S]*)$/.exec(text)?.[1];
    if (body === undefined) continue;
    call.unclear('an alias changes what a word means');
    if (known) call.line(body);
  }
}

const each = (names: string, reader: Reader): [string, Reader][] => names.split(' ').map((name) => [name, reader]);

export const builtins: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...each(
    ': true false exit return break continue shift wait umask ulimit times jobs fg bg disown logout suspend caller sync clear tput',
    nothing,
  ),
  ...each('cd chdir', cd),
  ...each('eval', evaluate),
  ...each('source .', source),
  ...each('trap', trap),
  ...each('export declare typeset local readonly read mapfile readarray unset getopts', variables),
  ...each('set', set),
  ...each('shopt', shopt),
  ...each('test [', test),
  ...each('alias', alias),
  ...each('unalias', nothing),
  ...each('pushd popd dirs', refuse('the stack of directories is not followed')),
  ...each('history fc', refuse('the history of commands is not known')),
  ...each(
    'enable hash bind complete compgen compopt let coproc zmodload autoload',
    refuse('the shell is changed in a way that is not read'),
  ),
]);
