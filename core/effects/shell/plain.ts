/** Reads the commands of the table: which operands they read, write or delete, and which are only text. */
import { resolveAt } from '../paths.ts';
import { binaries, type Habits } from './binaries.ts';
import { namesSecret } from './environment.ts';
import type { Invocation, Reader } from './invocation.ts';
import { isNamed, type Option, type Options, readOptions } from './options.ts';
import { type Arg, argOf } from './words.ts';

type Kind = 'reads' | 'writes' | 'texts' | 'runs' | 'changes' | 'everything';

interface Compiled {
  readonly habits: Habits;
  readonly names: Readonly<Record<Kind, readonly string[]>>;
  readonly values: string;
  readonly long: readonly string[];
}

export const plainReaders: ReadonlyMap<string, Reader> = new Map(
  Object.entries(binaries).map(([name, habits]) => {
    const compiled = compile(habits);
    return [name, (call) => readPlain(call, compiled)];
  }),
);

function readPlain(call: Invocation, { habits, names, values, long }: Compiled): void {
  const found = readOptions(call.args, { values, long });
  const given = (kind: Kind): Option[] =>
    found.options.filter(({ name }) => names[kind].some((wanted) => isNamed(name, wanted)));
  const texts = given('texts');
  const reads = given('reads');
  const writes = given('writes');
  for (const { source } of texts) call.isText(source);

  const does = given('changes').length > 0 ? 'write' : habits.does;
  const leading = habits.text === 'first' && !texts.some(isPattern) && reads.length === 0 ? 1 : 0;
  const prose = habits.text === 'all' ? found.operands : found.operands.slice(0, leading);
  const operands = habits.text === 'all' ? [] : found.operands.slice(leading).filter(({ text }) => text !== '-');
  const minds = habits.text !== 'all' || names.reads.length > 0;
  for (const arg of prose) readText(call, arg, minds);

  if (/^(?:less|more)$/.test(call.binary) && operands.some(({ text }) => text.startsWith('+')))
    call.unclear(`${call.binary} is given commands that are not read`);
  for (const { name } of given('runs')) call.unclear(`${call.binary} ${name} runs or loads something else`);
  for (const { value } of reads) if (value) call.path('read', value);
  for (const { value } of writes) if (value) call.path('write', value);
  for (const option of found.options) {
    const isKnown = texts.includes(option) || reads.includes(option) || writes.includes(option);
    if (!isKnown && option.value && /^[~.]|\//.test(option.value.text)) call.path(does, option.value);
  }
  if (call.binary === 'rg' && found.options.some(unhides)) call.unclear(`${call.binary} may show hidden files`);
  if (names.everything.length > 0 && given('everything').length > 0) refuseEverything(call, operands, found);

  operands.forEach((arg, i) => {
    call.path(habits.second && i === 1 ? habits.second : does, arg, habits.names);
  });
  if (operands.length === 0 && reads.length === 0) {
    if (habits.here) call.path(does, argOf('.'), true);
    else call.effect(does, '');
  }
}

/** Shown or compared, never opened; but where options matter, an expansion may turn out to be one. */
function readText(call: Invocation, arg: Arg, mayBeOption: boolean): void {
  if (arg.glob && !mayBeOption && /[/*]/.test(arg.text)) {
    // It shows the names of what it matches.
    call.path('read', arg, true);
    return;
  }
  call.isText(arg);
  if (mayBeOption && (!arg.known || arg.glob)) call.isOpen(arg);
  if (!arg.known && namesSecret(arg.text)) call.unclear(`${call.binary} would show a variable that names a secret`);
}

const isPattern = ({ name }: Option): boolean => name === '-e' || isNamed(name, '--regexp');

/** A glob given to `rg` lets in what would stay hidden, unless it says how names end. */
const unhides = ({ name, value }: Option): boolean =>
  /^(?:-g|--i?glob)$/.test(name) && !/^!|^[\w*/-]*\.\w+$/.test(value?.text ?? '');

/** Below the working directory lie `.env` and `.git`, unless names are asked for that say what they are. */
function refuseEverything(call: Invocation, operands: readonly Arg[], { options }: Options): void {
  const narrows = (option: Option): boolean =>
    isNamed(option.name, '--include') && /^\*\.\w+$/.test(option.value?.text ?? '');
  if (options.some(narrows)) return;
  const roots = operands.length === 0 ? ['.'] : operands.map((arg) => resolveAt('', arg.text));
  if (roots.some((root) => root === '.' || root === '~' || root === '/'))
    call.unclear(`${call.binary} would read every file there is, hidden ones too`);
}

function compile(habits: Habits): Compiled {
  const words = (list: string | undefined): string[] => list?.split(' ') ?? [];
  const { reads, writes, texts, runs, changes, everything } = habits;
  const names = {
    reads: words(reads),
    writes: words(writes),
    texts: words(texts),
    runs: words(runs),
    changes: words(changes),
    everything: words(everything),
  };
  const valued = [...names.reads, ...names.writes, ...names.texts];
  return {
    habits,
    names,
    values:
      (habits.values ?? '') +
      valued
        .filter((name) => name.length === 2)
        .map((name) => name[1])
        .join(''),
    long: [...words(habits.long), ...valued.filter((name) => name.startsWith('--')).map((name) => name.slice(2))],
  };
}
