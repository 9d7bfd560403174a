/** Commands on files with a grammar of their own: copies, archives, find, and the small languages of sed, awk and jq. */
import { resolveAt } from '../paths.ts';
import type { Invocation, Reader } from './invocation.ts';
import { isNamed, readOptions } from './options.ts';
import { type Arg, argOf } from './words.ts';

/** Sources are read, the last operand or `-t` is written. */
function copy(call: Invocation): void {
  const { operands, value, has } = readOptions(call.args, {
    values: call.binary === 'install' ? 'gmotS' : call.binary === 'rsync' ? 'efBTM' : 'tS',
    long: [
      'target-directory',
      'suffix',
      'mode',
      'owner',
      'group',
      'rsh',
      'rsync-path',
      'exclude',
      'include',
      'files-from',
    ],
  });
  if (call.binary === 'rsync' && has('-e', '--rsh', '--rsync-path', '-M'))
    call.unclear('rsync runs the program it is given');
  const into = value('-t', '--target-directory');
  if (into) call.path('write', into);
  const makesFolders = call.binary === 'install' && has('-d', '--directory');
  operands.forEach((arg, i) => {
    const written =
      makesFolders || (!into && i === operands.length - 1 && (operands.length > 1 || call.binary !== 'ln'));
    call.path(written ? 'write' : call.binary === 'mv' ? 'write' : 'read', arg);
  });
  if (has('--delete', '--delete-after', '--delete-before', '--remove-source-files')) call.whole('delete');
}

function dd(call: Invocation): void {
  for (const arg of call.args) {
    const [, side, file] = /^(if|of)=([\s\S]*)$/.exec(arg.text) ?? [];
    if (side !== undefined) call.path(side === 'if' ? 'read' : 'write', { ...arg, text: file! });
    else if (!arg.known) call.whole('write');
  }
}

function tar(call: Invocation): void {
  const [first, ...rest] = call.args;
  const bundled = first && /^[A-Za-z]+$/.test(first.text) ? [{ ...first, text: `-${first.text}` }, ...rest] : call.args;
  const { operands, value, has, options } = readOptions(bundled, {
    values: 'fCTXIFbgHKLNV',
    long: [
      'file',
      'directory',
      'files-from',
      'exclude',
      'exclude-from',
      'to-command',
      'use-compress-program',
      'checkpoint-action',
    ],
  });
  if (
    has(
      '--checkpoint-action',
      '--to-command',
      '--use-compress-program',
      '--info-script',
      '--new-volume-script',
      '--rsh-command',
      '--rmt-command',
      '-I',
      '-F',
    )
  )
    call.unclear('tar runs the program it is given');
  const archive = value('-f', '--file');
  const lists = has('-t', '--list');
  const packs = has('-c', '-r', '-u', '-A', '--create', '--append', '--update');
  if (archive) call.path(packs ? 'write' : 'read', archive);
  for (const { name, value: from } of options)
    if (from && ['-T', '-X', '--files-from', '--exclude-from'].includes(name)) call.path('read', from);
  if (packs) for (const arg of operands) call.path('read', arg);
  else if (!lists) call.path('write', value('-C', '--directory') ?? argOf('.'), true);
  if (!archive && !packs) call.effect('read', '');
}

const oneValue =
  /^-(?:type|xtype|size|[amc]time|[amc]min|perm|user|group|maxdepth|mindepth|fstype|links|inum|uid|gid|used|regextype|context)$/;
const oneText = /^-(?:i?name|i?path|i?wholename|i?regex|i?lname|printf)$/;
const noValue =
  /^(?:-(?:print0?|ls|prune|quit|depth|d|daystart|follow|mount|xdev|noleaf|empty|true|false|nouser|nogroup|readable|writable|executable|a|o|and|or|not|warn|nowarn|ignore_readdir_race)|[!(),])$/;

function find(call: Invocation): void {
  const { args } = call;
  let at = 0;
  while (/^-(?:[HLP]|O\d|D)$/.test(args[at]?.text ?? '')) at += args[at]!.text === '-D' ? 2 : 1;
  const start = at;
  while (at < args.length && !/^(?:-.|[!(),])/.test(args[at]!.text)) at++;
  const roots = at > start ? args.slice(start, at) : [argOf('.')];
  const acts: (() => void)[] = [];
  for (; at < args.length; at++) {
    const { text } = args[at]!;
    const next = args[at + 1];
    if (/^-(?:exec|ok)(?:dir)?$/.test(text)) {
      const end = args.findIndex(
        (arg, i) => i > at && (arg.text === ';' || (arg.text === '+' && args[i - 1]?.text === '{}')),
      );
      if (end < 0) call.unclear('find runs a command that does not end');
      const command = args.slice(at + 1, end < 0 ? args.length : end);
      acts.push(() => call.run(command.map((arg) => (arg.text.includes('{}') ? { ...arg, known: false } : arg))));
      at = end < 0 ? args.length : end;
    } else if (text === '-delete')
      acts.push(() => {
        for (const root of roots) call.path('delete', root);
      });
    else if (/^-(?:fprint0?|fls|fprintf)$/.test(text) && next) {
      acts.push(() => call.path('write', next));
      at += text === '-fprintf' ? 2 : 1;
    } else if (/^-(?:newer..|[ac]?newer|samefile|files0-from)$/.test(text) && next) {
      acts.push(() => call.path('read', next));
      at++;
    } else if (oneText.test(text)) call.isText(args[++at]);
    else if (oneValue.test(text)) at++;
    else if (!noValue.test(text)) call.unclear(`find does not know "${text.slice(0, 20)}" for certain`);
  }
  for (const arg of args) if (!arg.known) call.isOpen(arg);
  for (const root of roots) call.path('read', root, true);
  for (const act of acts) act();
}

/** Commands of sed that only print, delete or substitute within the text. */
const address = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?)`;
const substitution = String.raw`s(?:/(?:[^/\\\n]|\\.)*/(?:[^/\\\n]|\\.)*/|\|(?:[^|\\\n]|\\.)*\|(?:[^|\\\n]|\\.)*\||#(?:[^#\\\n]|\\.)*#(?:[^#\\\n]|\\.)*#|,(?:[^,\\\n]|\\.)*,(?:[^,\\\n]|\\.)*,)[gpiI0-9]*`;
const sedCommand = new RegExp(
  String.raw`[\n; ]*(?:${address}(?:,[+~]?${address})?)? ?!? ?(?:q\d+|[pdqDPNnhHgGxl=]|${substitution}) ?(?=[;\n]|$)|[\n; ]+$`,
  'y',
);

function isHarmlessSed(script: string): boolean {
  // Whether a delimiter ends a pattern within brackets, versions of sed do not agree upon.
  if (script.length > 1000 || /\[[^\]]*[/|#,]/.test(script)) return false;
  const text = script.replace(/[ \t]+/g, ' ');
  sedCommand.lastIndex = 0;
  while (sedCommand.lastIndex < text.length) if (!sedCommand.test(text)) return false;
  return true;
}

function sed(call: Invocation): void {
  const { options, operands, has } = readOptions(call.args, {
    values: 'efl',
    long: ['expression', 'file', 'line-length'],
  });
  // `-i.bak` carries its suffix.
  const inPlace = has('-i', '-I', '--in-place');
  const scripts = options.filter(({ name }) => name === '-e' || isNamed(name, '--expression'));
  const files = options.filter(({ name }) => name === '-f' || isNamed(name, '--file'));
  const leading = scripts.length === 0 && files.length === 0 ? operands.slice(0, 1) : [];
  for (const { source } of scripts) call.isText(source);
  for (const arg of leading) call.isText(arg);
  for (const script of [...scripts.map(({ value }) => value), ...leading]) {
    if (!script?.known || !isHarmlessSed(script.text)) call.unclear('a script of sed may run commands or write files');
  }
  if (files.length > 0) call.unclear('sed reads its script from a file');
  const rest = operands.slice(leading.length);
  for (const arg of rest) call.path(inPlace ? 'write' : 'read', arg);
  if (rest.length === 0) call.effect('read', '');
}

function awk(call: Invocation): void {
  const { options, operands, value, has } = readOptions(call.args, {
    values: 'FvfiElmW',
    long: ['file', 'field-separator', 'assign'],
  });
  if (options.some(({ name }) => !['-F', '-v', '--field-separator', '--assign'].includes(name)))
    call.unclear(
      has('-f', '--file') ? 'awk reads its program from a file' : 'awk is given an option that may load something',
    );
  const program = value('-f', '--file') ? undefined : operands[0];
  call.isText(program);
  if (program && (!program.known || !isHarmlessAwk(program.text)))
    call.unclear('a program of awk may run commands or open files');
  const files = operands.slice(program ? 1 : 0).filter(({ text }) => !/^[A-Za-z_]\w*=/.test(text));
  for (const arg of files) call.path('read', arg);
  if (files.length === 0) call.effect('read', '');
}

/** By its raw text: where a string of awk ends, a pattern of its own would have to tell. */
function isHarmlessAwk(program: string): boolean {
  if (/system|getline|@|close|fflush|ARG[VC]|ENVIRON|PROCINFO|SYMTAB/.test(program)) return false;
  const printing = program.indexOf('print');
  return !program.replaceAll('||', '').includes('|') && (printing < 0 || !program.includes('>', printing));
}

function jq(call: Invocation): void {
  const { operands, options, has } = readOptions(call.args, { values: 'fL', long: ['from-file', 'indent', 'tab'] });
  if (
    options.some(({ name }) => /^--(?:arg|argjson|args|jsonargs|slurpfile|rawfile|run-tests|lib)/.test(name)) ||
    has('-L', '-f', '--from-file')
  )
    call.unclear('jq is given files or values in a way that is not read');
  const [filter, ...files] = operands;
  call.isText(filter);
  if (filter && (!filter.known || /\benv\b|\$ENV|\bimport\b|\binclude\b|\binput_filename\b/.test(filter.text)))
    call.unclear('the filter of jq reaches beyond its input');
  for (const arg of files) call.path('read', arg);
  if (files.length === 0) call.effect('read', '');
}

/** Editors work on files, and run what `-c`, `+…` or `-S` says. */
function editor(call: Invocation): void {
  const scripted = (arg: Arg): boolean => /^(?:[-+].|-$)/.test(arg.text);
  if (call.args.some(scripted) || call.stdin.kind !== 'inherited' || /^(?:ed|ex|red)$/.test(call.binary))
    call.unclear(`${call.binary} is given commands that are not read`);
  const files = call.args.filter((arg) => !scripted(arg));
  for (const arg of files) call.path('write', arg);
  if (files.length === 0) call.whole('execute');
}

/** `split --filter` and the like: writes beside its input. */
function split(call: Invocation): void {
  const { operands, has } = readOptions(call.args, {
    values: 'abClntfk',
    long: ['filter', 'bytes', 'lines', 'number'],
  });
  if (has('--filter')) call.unclear(`${call.binary} runs the program it is given`);
  operands.forEach((arg, i) => {
    call.path(i === 0 ? 'read' : 'write', arg);
  });
  if (operands.length < 2) call.effect('write', resolveAt('', '.'));
}

const each = (names: string, reader: Reader): [string, Reader][] => names.split(' ').map((name) => [name, reader]);

export const fileReaders: ReadonlyMap<string, Reader> = new Map([
  ...each('cp mv ln install rsync', copy),
  ...each('dd', dd),
  ...each('tar bsdtar gtar', tar),
  ...each('find gfind', find),
  ...each('sed gsed', sed),
  ...each('awk gawk mawk nawk', awk),
  ...each('jq', jq),
  ...each('vi vim nvim view rvim ed ex red emacs nano pico joe micro', editor),
  ...each('split csplit', split),
]);
