/** Shells, whose text is read, and interpreters of other languages, whose text is not. */
import type { Invocation, Reader } from './invocation.ts';
import { readOptions } from './options.ts';
import type { Arg } from './words.ts';

/** `bash -c '…'`, `sh script`, `… | sh`. */
function shell(call: Invocation): void {
  let at = 0;
  let takesLine = false;
  let reads = false;
  for (; at < call.args.length; at++) {
    const arg = call.args[at]!;
    const { text } = arg;
    if (!arg.known && !takesLine) call.isOpen(arg);
    if (text === '--' || text === '-') {
      at++;
      break;
    }
    if (/^--(?:rcfile|init-file)/.test(text)) {
      call.unclear(`${call.binary} ${text} reads a script first`);
      if (!text.includes('=')) at++;
    } else if (/^--/.test(text)) {
      if (/^--(?:version|help)$/.test(text)) {
        call.effect('read', '');
        return;
      }
    } else if (/^[-+][A-Za-z]+$/.test(text)) {
      takesLine ||= text.startsWith('-') && text.includes('c');
      reads ||= text.includes('s');
      if (text.includes('O')) call.unclear(`${call.binary} is told to read differently`);
      if (/[oO]/.test(text)) at++;
    } else break;
  }
  const [first, ...rest] = call.args.slice(at);
  if (takesLine) {
    call.line(first);
    return;
  }
  if (first && !reads) {
    call.path('execute', first);
    for (const arg of rest) if (!arg.known) call.isOpen(arg);
    return;
  }
  call.whole('execute');
  call.script();
}

/** Shells with a grammar of their own. */
function otherShell(call: Invocation): void {
  call.whole('execute');
  const [first] = call.args;
  if (first === undefined || first.text.startsWith('-') || first.text.startsWith('/'))
    call.unclear(`the language of ${call.binary} is not read`);
}

interface Language {
  /** Options that hold a program, or load one before the script. */
  readonly programs: RegExp;
  /** Options that take a value. */
  readonly values?: string;
  /** First words that hold a program (`deno eval`). */
  readonly verbs?: RegExp;
}

const python: Language = { programs: /^-[A-Za-z]*c/, values: 'mWX' };
const node: Language = {
  programs: /^(?:-[a-z]*[epr]|--eval|--print|--require|--import|--loader|--experimental-loader)/,
  values: 'C',
};
const languages: Readonly<Record<string, Language>> = {
  python,
  pypy: python,
  python3: python,
  perl: { programs: /^-[A-Za-z0]*[eEnpiMmIx]/ },
  ruby: { programs: /^-[A-Za-z0]*[enprIx]/ },
  node,
  nodejs: node,
  deno: { programs: /^-/, verbs: /^(?:eval|repl)$/ },
  bun: { programs: /^-[a-z]*[epr]/, verbs: /^repl$/ },
  php: { programs: /^-[A-Za-z]*[rBREFd]/ },
  lua: { programs: /^-[el]/ },
  luajit: { programs: /^-[elj]/ },
  Rscript: { programs: /^-e/ },
  rscript: { programs: /^-e/ },
  tclsh: { programs: /^$/ },
  expect: { programs: /^-[cdb]/ },
  gdb: { programs: /^-/ },
  lldb: { programs: /^-/ },
  osascript: { programs: /^-e/ },
  guile: { programs: /^-[cel]/ },
  julia: { programs: /^-[eEL]/ },
  groovy: { programs: /^-e/ },
  scala: { programs: /^-e/ },
  elixir: { programs: /^-e/ },
  ghc: { programs: /^-e/ },
  irb: { programs: /^-/ },
  psql: { programs: /^-[cf]|^--(?:command|file)/ },
  mysql: { programs: /^-[A-Za-z]*e|^--(?:execute|init-command|pager)/ },
  sqlite3: { programs: /^-(?:cmd|init)/ },
  mongosh: { programs: /^--eval/ },
};

function interpreter(language: Language): Reader {
  return (call) => {
    const { args } = call;
    if (args.length > 0 && args.every(({ text }) => /^(?:-V|--version|-h|--help|-version)$/.test(text))) {
      call.effect('read', args[0]!.text);
      return;
    }
    call.whole('execute');
    const script = scriptOf(call, language, args);
    if (script === 'unread') call.unclear(`the program given to ${call.binary} is not read`);
    else if (script === undefined) call.unclear(`${call.binary} runs what arrives on its input`);
    else if (/^sqlite3?$/.test(call.binary) && args.length > 1)
      call.unclear(`the program given to ${call.binary} is not read`);
  };
}

function scriptOf({ binary }: Invocation, language: Language, args: readonly Arg[]): Arg | 'unread' | undefined {
  const { options, operands } = readOptions(args, { values: language.values ?? '', stops: true });
  const written = args.slice(0, args.length - operands.length).map(({ text }) => text);
  if (written.some((text) => language.programs.test(text))) return 'unread';
  const [first] = operands;
  if (first && language.verbs?.test(first.text)) return 'unread';
  if (/^(?:python|pypy)/.test(binary)) {
    const module = options.find(({ name }) => name === '-m')?.value;
    if (module) return module;
  }
  return first === undefined || first.text === '-' || first.text === '/dev/stdin' ? undefined : first;
}

/** Runs recipes of a file, as a test runner runs tests; but not what is typed into it. */
function make(call: Invocation): void {
  call.whole('execute');
  const { value, has, operands } = readOptions(call.args, {
    values: 'fCIjlo',
    long: ['file', 'makefile', 'directory', 'eval'],
  });
  const file = value('-f', '--file', '--makefile')?.text;
  if (
    has('--eval', '-E') ||
    file === '-' ||
    file?.startsWith('/dev/') ||
    operands.some(({ text }) => /^(?:\.?SHELL(?:FLAGS)?|MAKEFILES)=/.test(text))
  )
    call.unclear('make is given recipes that are not read');
}

const each = (names: string, reader: Reader): [string, Reader][] => names.split(' ').map((name) => [name, reader]);

export const interpreters: ReadonlyMap<string, Reader> = new Map([
  ...each('sh bash dash zsh ksh ash rbash mksh pdksh yash posh', shell),
  ...each('fish csh tcsh pwsh powershell cmd cmd.exe powershell.exe nu xonsh elvish rc', otherShell),
  ...Object.entries(languages).map(([name, language]): [string, Reader] => [name, interpreter(language)]),
  ...each('make gmake', make),
]);
