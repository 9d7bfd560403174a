/** Commands that run another command: it is read in their place. */
import type { Invocation, Reader } from './invocation.ts';
import { readOptions } from './options.ts';
import { type Arg, argOf } from './words.ts';

interface Shape {
  /** Short options with a value, flags, and long ones with a value; any other makes the reading unsure. */
  readonly values?: string;
  readonly flags?: string;
  readonly long?: string;
  /** Operands before the command: a duration, a lock, a mask. */
  readonly before?: number;
  /** Variables may stand before the command. */
  readonly assigns?: boolean;
  /** It is an effect itself. */
  readonly acts?: boolean;
}

const shapes: Readonly<Record<string, Shape>> = {
  nohup: {},
  nice: { values: 'n', long: 'adjustment' },
  ionice: { values: 'cnpPu', flags: 't', long: 'class classdata' },
  chrt: { flags: 'abfiormpRd', before: 1 },
  taskset: { flags: 'acp', before: 1 },
  timeout: { values: 'ks', flags: 'vf', long: 'kill-after signal', before: 1 },
  gtimeout: { values: 'ks', flags: 'v', long: 'kill-after signal', before: 1 },
  time: { values: 'fo', flags: 'apvV', long: 'format output' },
  stdbuf: { values: 'ioe', long: 'input output error' },
  setsid: { flags: 'cfw' },
  unbuffer: { flags: 'p' },
  caffeinate: { values: 'tw', flags: 'dimsu' },
  chroot: { flags: '', long: 'userspec groups', before: 1, acts: true },
  unshare: { flags: 'mupinUCrcfT', acts: true },
  nsenter: { values: 'tSG', flags: 'amuinpUCrwFZ', long: 'target', acts: true },
  strace: { values: 'eopsSPabEIOuX', flags: 'cCdfFhiqrtTvVxyYwkDzZ', acts: true },
  ltrace: { values: 'eopsnuaAlDFx', flags: 'bcCfhirStTV', acts: true },
  setarch: { flags: 'vR', before: 1 },
  cpulimit: { values: 'lpPe', flags: 'bfiz' },
  doas: { values: 'uC', flags: 'nsL', acts: true },
  sudo: {
    values: 'ughpCrtTURD',
    flags: 'AbEeHiKklnPSsvVN',
    long: 'user group host prompt close-from chdir chroot role type other-user command-timeout preserve-env',
    assigns: true,
    acts: true,
  },
  pkexec: { long: 'user', acts: true },
  'dbus-run-session': {},
  'xvfb-run': { values: 'nefpsw', flags: 'al' },
  torsocks: { acts: true },
  proxychains: { values: 'f', flags: 'q', acts: true },
  proxychains4: { values: 'f', flags: 'q', acts: true },
  fakeroot: { values: 'lfsib', flags: 'uh' },
  rlwrap: { acts: true },
  builtin: {},
  exec: { values: 'a', flags: 'cl' },
  noglob: {},
  nocorrect: {},
  busybox: {},
  toybox: {},
  env: {
    values: 'uCS',
    flags: 'i0v',
    long: 'unset chdir split-string block-signal default-signal ignore-signal',
    assigns: true,
  },
};

const longFlags = new Set(
  '--foreground --preserve-status --verbose --ignore-environment --non-interactive --login --stdin --portability --append --wait --debug --null --background --reset-timestamp --set-home --preserve-env'.split(
    ' ',
  ),
);

function wrapper(shape: Shape): Reader {
  const flags = shape.flags ?? '';
  const long = shape.long?.split(' ') ?? [];
  return (call) => {
    const options = readOptions(call.args, { values: shape.values ?? '', long, stops: true });
    for (const { name, value } of options.options) {
      const isFlag = name.startsWith('--') ? longFlags.has(name) : /\d/.test(name) || flags.includes(name[1]!);
      if (value === undefined && !isFlag) call.unclear(`${call.binary} ${name} is not an option we know`);
    }
    if (shape.acts) call.whole('execute');
    const report = call.binary === 'time' ? options.value('-o', '--output') : undefined;
    if (report) call.path('write', report);
    const [env, command] = shape.assigns ? assignments(options.operands) : [{}, options.operands];
    const rest = command.slice(shape.before ?? 0);
    for (const arg of call.args.slice(0, call.args.length - rest.length)) if (arg.splits) call.isOpen(arg);
    const split = call.binary === 'env' ? options.value('-S', '--split-string') : undefined;
    const chdir = options.value('-C', '--chdir', ...(call.binary === 'sudo' ? ['-D'] : []));
    const run = (): void => {
      if (split) call.line(split.known ? [split.text, ...rest.map(quote)].join(' ') : undefined);
      else if (rest.length > 0) call.run(rest, call.stdin, env);
      else if (call.binary === 'env') call.effect('read', '');
      else if (call.binary !== 'exec' && !shape.acts) call.whole('execute');
    };
    if (chdir && (call.binary === 'env' || call.binary === 'sudo')) call.within(chdir, run);
    else run();
  };
}

function assignments(args: readonly Arg[]): [Record<string, string>, readonly Arg[]] {
  const env: Record<string, string> = {};
  let at = 0;
  for (; at < args.length; at++) {
    const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(args[at]!.text) ?? [];
    if (name === undefined) break;
    env[name] = value!;
  }
  return [env, args.slice(at)];
}

/** A known argument as shell text again. */
export const quote = ({ text, known }: Arg): string => (known ? `'${text.replaceAll("'", "'\\''")}'` : text);

/** `command -v` only looks. */
function command(call: Invocation): void {
  const { has, operands } = readOptions(call.args, { stops: true });
  if (!has('-v', '-V')) {
    call.run(operands);
    return;
  }
  for (const arg of call.args) call.isText(arg);
  call.effect('read', '');
}

/** What `xargs` appends comes from its input. */
function xargs(call: Invocation): void {
  const { operands, value, has } = readOptions(call.args, {
    values: 'aEIJdLnPRSs',
    long: ['arg-file', 'delimiter', 'max-args', 'max-procs', 'max-lines', 'max-chars', 'replace', 'process-slot-var'],
    stops: true,
  });
  const file = value('-a', '--arg-file');
  if (file) call.path('read', file);
  const mark = value('-I', '-J')?.text ?? (has('-i', '--replace') ? '{}' : undefined);
  const open = { text: '{}', known: false, splits: true, glob: false };
  const filled = operands.map((arg) =>
    mark !== undefined && arg.text.includes(mark) ? { ...arg, known: false } : arg,
  );
  const rest = operands.length > 0 ? filled : [argOf('echo')];
  call.run(mark === undefined ? [...rest, open] : rest, { kind: 'unknown' });
}

/** GNU parallel hands its command to a shell. */
function parallel(call: Invocation): void {
  call.unclear('parallel builds command lines while it runs');
  const { operands } = readOptions(call.args, { values: 'jaISNLP', long: ['jobs', 'arg-file'], stops: true });
  const end = operands.findIndex(({ text }) => text.startsWith(':::'));
  const words = operands.slice(0, end < 0 ? operands.length : end);
  if (words.length > 0 && words.every((arg) => arg.known)) call.line(words.map((arg) => arg.text).join(' '));
}

/** The rest of the words, joined, is shell text. */
const joined =
  (values: string, before = 0): Reader =>
  (call) => {
    const { operands, has } = readOptions(call.args, { values, stops: true });
    const rest = operands.slice(before);
    if (call.binary === 'watch' && has('-x', '--exec')) return call.run(rest);
    if (rest.some((arg) => !arg.known)) call.line(undefined);
    else call.line(rest.map((arg) => arg.text).join(' '));
  };

/** Another machine runs the rest; options of ssh may run something here. */
function ssh(call: Invocation): void {
  const { operands, options } = readOptions(call.args, { values: 'BbcDEeFIiJLlmOopQRSWw', stops: true });
  for (const { name, value } of options) {
    if (name === '-F' || (name === '-o' && /command|include|exec|known|match|pkcs|provider/i.test(value?.text ?? '')))
      call.unclear(`ssh ${name} may run a program here`);
  }
  call.whole('execute');
  const [, ...rest] = operands;
  if (rest.length > 0) call.line(rest.every((arg) => arg.known) ? rest.map((arg) => arg.text).join(' ') : undefined);
}

/** `su -c`, `script -c`, `flock … -c`: an option holds shell text. */
const withLine =
  (values: string, before: number, acts: boolean): Reader =>
  (call) => {
    const { operands, value, has } = readOptions(call.args, { values, long: ['command', 'user', 'shell', 'group'] });
    if (acts) call.whole('execute');
    if (has('-c', '--command')) call.line(value('-c', '--command'));
    const rest = operands.slice(before);
    if (call.binary === 'flock' && !has('-c') && rest.length > 0) call.run(rest);
    if (call.binary === 'script') for (const arg of operands) call.path('write', arg);
  };

/** Run later: what arrives on the input. */
function later(call: Invocation): void {
  call.whole('execute');
  if (/^(?:-l|-q|-r|-d|-c)$/.test(call.args[0]?.text ?? '')) return;
  if (call.binary === 'crontab') call.unclear('crontab installs lines that run later');
  else call.script();
}

export const wrappers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ...Object.entries(shapes).map(([name, shape]): [string, Reader] => [name, wrapper(shape)]),
  ['command', command],
  ['xargs', xargs],
  ['gxargs', xargs],
  ['parallel', parallel],
  ['watch', joined('nq')],
  ['ssh', ssh],
  ['su', withLine('csgG', 0, true)],
  ['runuser', withLine('cugG', 0, true)],
  ['script', withLine('cEIOBTom', 0, false)],
  ['flock', withLine('cwE', 1, false)],
  ['at', later],
  ['batch', later],
  ['crontab', later],
]);
