/** `git …`: which of its commands look, change, or throw away, and what makes git run something else. */
import { resolveAt } from '../paths.ts';
import type { Capability, Invocation } from './invocation.ts';
import { isNamed, type Options, readOptions } from './options.ts';
import type { Arg } from './words.ts';

const harmlessKeys =
  /^(?:user\.(?:name|email)|color\..*|advice\..*|log\.(?:date|decorate|showsignature)|diff\.(?:renames|context|algorithm|noprefix|mnemonicprefix)|core\.(?:quotepath|abbrev|autocrlf|safecrlf|filemode|ignorecase|precomposeunicode)|commit\.gpgsign|init\.defaultbranch|pull\.(?:rebase|ff)|push\.default|merge\.ff|fetch\.prune|column\.ui|status\..*|i18n\..*)$/i;

/** Reads `git` with its global options. */
export function git(call: Invocation): void {
  const { args } = call;
  let at = 0;
  let dir: Arg | undefined;
  for (; at < args.length && args[at]!.text.startsWith('-'); at++) {
    const { text, known } = args[at]!;
    const next = args[at + 1];
    if (!known) call.isOpen(args[at]!);
    if (text === '-C' && next) {
      dir = dir ? { ...next, text: resolveAt(dir.text, next.text), known: dir.known && next.known } : next;
      at++;
    } else if (text === '-c' && next) {
      readSetting(call, next);
      at++;
    } else if (/^--(?:git-dir|work-tree|namespace|super-prefix|config-env|exec-path)$/.test(text)) {
      call.unclear(`git ${text} makes git use another repository or other programs`);
      at++;
    } else if (/^--(?:git-dir|work-tree|config-env|exec-path)=/.test(text))
      call.unclear(`git ${text.split('=')[0]} makes git use another repository or other programs`);
  }
  const rest = args.slice(at);
  if (dir) call.within(dir, () => subcommand(call, rest));
  else subcommand(call, rest);
}

/** `-c key=value`: aliases and many keys are commands. */
function readSetting(call: Invocation, { text, known }: Arg): void {
  const [, key = text, value = ''] = /^([^=]*)=([\s\S]*)$/.exec(text) ?? [];
  if (known && harmlessKeys.test(key)) return;
  call.unclear(`git -c ${key.slice(0, 40)} may run a program`);
  if (known && value !== '') call.line(value.replace(/^!/, ''));
}

const looks = new Set(
  'status diff log show blame annotate shortlog describe rev-parse rev-list ls-files ls-tree cat-file merge-base name-rev grep whatchanged diff-tree diff-index diff-files for-each-ref show-ref show-branch count-objects cherry range-diff version help check-ignore check-attr check-ref-format ls-remote verify-commit verify-tag'.split(
    ' ',
  ),
);
const changes = new Set(
  'add am apply archive bundle checkout cherry-pick clone commit fetch format-patch init merge mv notes pull rebase restore revert switch sparse-checkout'.split(
    ' ',
  ),
);
const throwsAway = new Set('rm clean filter-branch filter-repo prune gc replace'.split(' '));

function subcommand(call: Invocation, [name, ...args]: readonly Arg[]): void {
  if (!name) {
    call.effect('read', '');
    return;
  }
  if (!name.known) call.isOpen(name);
  const options = readOptions(args, {
    values: habits.get(name.text) ?? '',
    long: ['message', 'author', 'date', 'file', 'exec', 'output'],
  });
  hideMessages(call, name.text, options);
  const given = special.get(name.text);
  const does = given
    ? given(call, options, args)
    : looks.has(name.text)
      ? looking(call, name.text, options)
      : changes.has(name.text)
        ? 'write'
        : throwsAway.has(name.text)
          ? 'delete'
          : 'execute';
  refusePrograms(call, name.text, args, options);
  call.whole(does, [name, ...args]);
}

const habits = new Map<string, string>(
  Object.entries({
    commit: 'mFCct',
    tag: 'mFu',
    notes: 'mF',
    merge: 'mFX',
    stash: 'm',
    rebase: 'xXs',
    log: 'nSGLO',
    shortlog: 'w',
    grep: 'eABCmf',
    config: 'f',
    clone: 'boucj',
  }),
);

/** A message or a pattern is only text, unless it may split into options. */
function hideMessages(call: Invocation, name: string, { options, operands }: Options): void {
  const texts = options.filter(
    (option) =>
      isNamed(option.name, '--message') ||
      (option.name === '-m' && habits.get(name)?.includes('m')) ||
      (name === 'grep' && option.name === '-e') ||
      (name === 'log' && (option.name === '-S' || option.name === '-G')),
  );
  for (const { source } of texts) if (source && !source.splits) call.isText(source);
  if (name === 'grep' && texts.length === 0 && operands[0]?.known) call.isText(operands[0]);
}

function refusePrograms(call: Invocation, name: string, args: readonly Arg[], { has, value }: Options): void {
  const fetches = /^(?:clone|fetch|pull|ls-remote|submodule|remote|archive|push)$/.test(name);
  if (fetches && args.some(({ text }) => /^(?:ext|fd)::/.test(text)))
    call.unclear('git is given an address that runs a program');
  if (fetches && has('--upload-pack', '--receive-pack', '--exec', '--template', '--config'))
    call.unclear(`git ${name} runs the program it is given`);
  if (name === 'clone' && has('-c', '-u')) call.unclear('git clone runs the program it is given');
  if (has('--ext-diff', '--open-files-in-pager', '--extcmd', '--textconv') || (name === 'grep' && has('-O')))
    call.unclear(`git ${name} runs another program`);
  if (name === 'rebase' && has('-x', '--exec')) call.line(value('-x', '--exec'));
  const output = value('--output');
  if (output && name !== 'archive') call.path('write', output);
  if (name === 'commit' || name === 'tag')
    for (const file of [value('-F', '--file')]) if (file && file.text !== '-') call.path('read', file);
}

function looking(call: Invocation, name: string, { has, operands }: Options): Capability {
  if (name === 'grep' && has('--no-index', '--untracked', '--no-exclude-standard'))
    call.unclear('git grep would read files that are not kept');
  if (name === 'diff' && has('--no-index')) for (const arg of operands) call.path('read', arg);
  return 'read';
}

type Special = (call: Invocation, options: Options, args: readonly Arg[]) => Capability;

const special = new Map<string, Special>(
  Object.entries<Special>({
    push: (_, { operands, has }) =>
      has('-f', '-d', '--force', '--force-with-lease', '--force-if-includes', '--mirror', '--delete', '--prune') ||
      operands.some(({ text }) => /^[+:]./.test(text))
        ? 'delete'
        : 'write',
    branch: (_, { has, operands, options }) => {
      if (has('-d', '-D', '--delete')) return 'delete';
      const listing = options.every(({ name }) =>
        /^-(?:[arvlq]|-(?:list|all|remotes|show-current|contains|no-contains|merged|no-merged|sort|format|points-at|column|no-column|color|no-color|verbose))$/.test(
          name,
        ),
      );
      return listing && (operands.length === 0 || has('-l', '--list', '--contains', '--merged')) ? 'read' : 'write';
    },
    tag: (_, { has, operands }) =>
      has('-d', '--delete') ? 'delete' : has('-l', '--list') || operands.length === 0 ? 'read' : 'write',
    remote: (_, { operands }) =>
      operands.length === 0 || /^(?:show|get-url)$/.test(operands[0]!.text)
        ? 'read'
        : operands[0]!.text === 'prune'
          ? 'delete'
          : 'write',
    stash: (_, { operands }) =>
      /^(?:list|show)$/.test(operands[0]?.text ?? '')
        ? 'read'
        : /^(?:drop|clear)$/.test(operands[0]?.text ?? '')
          ? 'delete'
          : 'write',
    reflog: (_, { operands }) => (/^(?:expire|delete|drop)$/.test(operands[0]?.text ?? '') ? 'delete' : 'read'),
    worktree: (_, { operands }) =>
      operands[0]?.text === 'list' ? 'read' : /^(?:remove|prune)$/.test(operands[0]?.text ?? '') ? 'delete' : 'write',
    reset: (_, { has }) => (has('--hard', '--merge', '--keep') ? 'delete' : 'write'),
    clean: (_, { has }) => (has('-n', '--dry-run') ? 'read' : 'delete'),
    'update-ref': (_, { has }) => (has('-d', '--stdin') ? 'delete' : 'write'),
    config: (call, { has, operands }) => {
      if (has('--list', '-l', '--get', '--get-all', '--get-regexp', '--get-urlmatch') || operands.length <= 1)
        return 'read';
      const key = operands.find(({ text }) => !/^(?:set|add|unset)$/.test(text));
      if (!key?.known || !harmlessKeys.test(key.text)) call.unclear('a setting of git may make it run a program');
      return 'write';
    },
    bisect: (call, { operands }) => {
      if (operands[0]?.text === 'run') call.run(operands.slice(1));
      return operands[0]?.text === 'log' ? 'read' : 'write';
    },
    submodule: (call, { operands }) => {
      const [verb, ...rest] = operands;
      if (verb?.text === 'foreach')
        call.line(rest.some((arg) => !arg.known) ? undefined : rest.map((arg) => arg.text).join(' '));
      return verb === undefined || /^(?:status|summary)$/.test(verb.text) ? 'read' : 'write';
    },
    difftool: (call) => {
      call.unclear('git difftool runs another program');
      return 'execute';
    },
    mergetool: (call) => {
      call.unclear('git mergetool runs another program');
      return 'execute';
    },
  }),
);
