/** Effects of `git` commands: reads, changes, deletions, and options that run other programs. */
import { gitData } from '#core/catalog/git.ts';
import type { Profile } from '#core/contracts/shell-programs.ts';
import { anyWrite } from '../branch-writes.ts';
import type { BranchWrite } from '../git/branches.ts';
import { givenOptions, isGiven, isOneOf, type ParsedArguments } from './arguments.ts';
import { branchWrites } from './git-branches.ts';
import { type GitLine, gitLine } from './git-line.ts';
import { interpret } from './interpret.ts';
import { type Capability, type Invocation, short } from './invocation.ts';
import { isHarmlessSetting } from './profiles/git-settings.ts';
import { readBelow } from './reach.ts';
import { namesFile, namesSources } from './source-names.ts';
import { type Arg, argOf } from './words.ts';

/** Reads `git` with its global options. */
export function git(call: Invocation): void {
  const line = gitLine(call.args);
  const { globals, name } = line;
  const branches = branchWrites(line, call.env);
  call.writesBranches(branches);
  const before = call.args.slice(0, call.args.length - globals.operands.length);
  for (const arg of before) if (!arg.known && arg.text.startsWith('-')) call.isOpen(arg);
  for (const problem of globals.problems)
    call.unclear(`git: ${problem} (docs/reference/shell-programs.md lists the supported arguments)`);
  for (const { name: option, known, value } of globals.options) {
    if (known?.role === 'gitSetting' && value) readSetting(call, value);
    if ((known?.role === 'unread' && (value || known.takes === 'value')) || known?.refused)
      call.unclear(`git ${option} makes git use another repository or run other programs`);
  }
  const run = (): void => {
    if (!name) {
      call.effect('read', '');
      return;
    }
    checkFolder(call, name);
    command(call, name, line, branches);
  };
  const folders = givenOptions(globals, '-C').flatMap(({ value }) => value ?? []);
  folders.reduceRight<() => void>((inner, folder) => () => call.within(folder, inner), run)();
}

/** Reads only the branches written by programs such as `/usr/lib/git-core/git-push` and `./git`. */
export function programOfGit(call: Invocation): void {
  const [found, command] = /(?:^|\/)git(?:-([\w-]+))?$/.exec(call.binary) ?? [];
  if (found === undefined) return;
  call.writesBranches(
    branchWrites(gitLine(command === undefined ? call.args : [argOf(command), ...call.args]), call.env),
  );
}

/**
 * Reports a folder that may be a repository. If a folder below the workspace contains `HEAD`, `config`, `objects` and
 * `refs`, Git uses it as a repository, and its settings name programs that even `git status` runs
 * [effects.git-settings].
 */
function checkFolder(call: Invocation, { text }: Arg): void {
  if (/^(?:version|help)$/.test(text)) return;
  const folder = call.cwds.find((cwd) => cwd !== '' && cwd !== '.');
  if (folder !== undefined)
    call.unclear(
      `git runs in ${short(folder)}, which may be a repository whose settings run programs; run git in the workspace and name paths, as in git ${short(text)} -- ${short(folder)}`,
    );
}

/** Reads `-c key=value`. Aliases and the values of many keys are commands. */
function readSetting(call: Invocation, { text, known }: Arg): void {
  const [, key = text, value] = /^([^=]*)=([\s\S]*)$/.exec(text) ?? [];
  if (known && isHarmlessSetting(key, value)) return;
  call.unclear(`git -c ${key.slice(0, 40)} may run a program or change what is sent`);
  if (known && value) call.line(value.replace(/^!/, ''));
}

function command(
  call: Invocation,
  name: Arg,
  { command: found, args, words: parsed }: GitLine,
  branches: readonly BranchWrite[],
): void {
  if (!name.known) call.isOpen(name);
  if (!found) {
    call.unclear(`git ${name.text.slice(0, 40)} is not a supported git command (docs/reference/shell-programs.md)`);
    call.whole('execute', [name, ...args]);
    return;
  }
  // Patterns and exclusions do not name a secret, and the shell does not expand these.
  if (found.profile.does === 'read')
    for (const arg of parsed.operands)
      if (leavesOut(arg) || (parsed.certain.has(arg) && namesKind(arg))) call.isText(arg);
  readContents(call, name.text, found.profile, parsed);
  checkFormat(call, parsed);
  for (const { text } of parsed.operands)
    if (/^(?:ext|fd)::/.test(text)) call.unclear('git is given an address that runs a program');
  special.get(name.text)?.(call, parsed);
  const does = capabilityOf(name.text, parsed, branches);
  const profile = does ? { ...found.grammar.profile, does, changes: {}, verbs: {} } : found.grammar.profile;
  interpret(call, { ...found.grammar, profile }, parsed, [name, ...args]);
}

/**
 * Returns a capability that can only be derived from the operands: a refspec with a leading `+` or `:` forces or
 * deletes; a key without a value is read.
 */
function capabilityOf(name: string, parsed: ParsedArguments, branches: readonly BranchWrite[]): Capability | undefined {
  if (name === 'push' && branches !== anyWrite && branches.some(({ force, deleted }) => force || deleted))
    return 'delete';
  return name === 'config' && showsSettings(parsed) ? 'read' : undefined;
}

/** Reports `%G?` and `%(signature)`. Like `--show-signature`, they make Git run the configured signature checker. */
function checkFormat(call: Invocation, parsed: ParsedArguments): void {
  if (givenOptions(parsed, '--format --pretty').some(({ value }) => /%[-+ ]?G|%\(\*?signature/.test(value?.text ?? '')))
    call.unclear('the format shows signatures, which makes git run another program; leave out %G and %(signature)');
}

/**
 * Checks for `73309de` and `v1.0-3-g73309de`: only the repository knows whether the object is a commit or the contents
 * of a file.
 */
const namesObject = ({ text }: Arg): boolean => /^(?:.*-g)?[0-9a-f]{4,64}(?:\^\{(?:blob|object)?\})?$/i.test(text);

/**
 * Checks whether an object that is a file is printed in full: `git log` only walks commits, and `git diff` refuses to
 * compare a file with a commit.
 */
function printsObject(name: string, certain: ReadonlySet<Arg>, operands: readonly Arg[]): boolean {
  if (/^(?:log|whatchanged|reflog)$/.test(name)) return false;
  const revisions = operands.filter((arg) => !certain.has(arg) && (namesObject(arg) || isRevision(arg)));
  return revisions.some(namesObject) && (name !== 'diff' || revisions.length === 1);
}

/**
 * Reports file contents that are shown, unless they are restricted by file names, file types, or a pattern that
 * determines the content of the lines.
 */
function readContents(call: Invocation, name: string, { contents, below }: Profile, parsed: ParsedArguments): void {
  if (below) {
    const [patterns, operands] = patternsOf(parsed);
    if (!isNarrowed(name, parsed, operands)) readBelow(call, below, parsed, [], patterns);
    return;
  }
  if (!contents) return;
  // Neither options nor paths change how `git show` prints an object that is a file.
  if (name === 'show' && printsObject(name, parsed.certain, parsed.operands))
    call.unclear('git show would print a file if the object is one; use git log -1 with its id, or add ~0 to the id');
  const shows = contents.when === undefined ? !isSummary(contents.unless, parsed) : isGiven(parsed, contents.when);
  if (!shows || isNarrowed(name, parsed, parsed.operands) || namesRevisions(name, parsed)) return;
  const why = `git ${name} would show the content of every file that changed; name files after --, or a file pattern (such as '*.ts'), or add --stat`;
  if (showsChanges(parsed) && (name === 'diff' || showsLastCommits(call, name, parsed))) call.shows('changes', why);
  else call.unclear(why);
}

/**
 * Checks for changes since a recent commit or on this branch only: an object or an old commit could show anything. One
 * path after `--` shows less, but two could be compared as files.
 */
const showsChanges = (parsed: ParsedArguments): boolean =>
  !isGiven(parsed, '--no-index --text -a --binary -W --function-context -O -R') &&
  parsed.operands.filter((arg) => parsed.certain.has(arg) && !leavesOut(arg)).length <= 1 &&
  parsed.operands.every(
    (arg) =>
      leavesOut(arg) ||
      (parsed.certain.has(arg) && isBelow(arg)) ||
      (arg.known &&
        !parsed.certain.has(arg) &&
        /^(?:HEAD(?:[~^]\d?)?|@(?:[~^]\d?)?|(?:(?:origin|upstream)\/)?(?:main|master|develop|trunk)(?:\.\.\.?(?:HEAD)?)?)$/.test(
          arg.text,
        )),
  );

/**
 * Checks for patches of the last few commits, up to `HEAD~9` as with `git diff`: `git log -p -3`, `git show HEAD`.
 * Other options or a path could select earlier commits, and a range could select any number of them.
 */
function showsLastCommits(
  { args }: Invocation,
  name: string,
  { options, operands, certain }: ParsedArguments,
): boolean {
  const given = (names: RegExp) => options.filter(({ name: option }) => names.test(option));
  const counts = given(/^(?:-n|--max-count)$/);
  // `-12` is parsed as two options but means twelve.
  const digits = args.filter(({ text }) => /^-[1-9]$/.test(text)).length;
  return (
    given(/^-(?:\d|NUM)$/).length === digits &&
    counts.every(({ value }) => value?.known === true && /^[1-9]$/.test(value.text)) &&
    options.every(({ name: option }) => /^-[1-9]$/.test(option) || isOneOf(option, ofLastCommits)) &&
    (name === 'show' || (name === 'log' && counts.length + digits > 0 && certain.size === 0)) &&
    operands.every((arg) => certain.has(arg) || !/\.\.|^:/.test(arg.text))
  );
}

const ofLastCommits = `-n --max-count -p -u --patch -U --unified -w -b --oneline --stat --no-color --no-ext-diff --no-textconv --abbrev-commit
  --no-decorate --minimal --patience --histogram --ignore-all-space --ignore-space-change`;

const isBelow = ({ known, glob, text }: Arg): boolean =>
  known && !glob && /^[\w.]/.test(text) && !/(?:^|[\\/])\.\.(?:[\\/]|$)/.test(text);

const isSummary = (names: string | undefined, parsed: ParsedArguments): boolean =>
  isGiven(parsed, names) && !isGiven(parsed, gitData.patches);

/** Returns the search patterns and the places to search. */
function patternsOf(parsed: ParsedArguments): readonly [patterns: readonly Arg[], operands: readonly Arg[]] {
  if (isGiven(parsed, '-e -f'))
    return [givenOptions(parsed, '-e').flatMap(({ value }) => value ?? []), parsed.operands];
  return [parsed.operands.slice(0, 1), parsed.operands.slice(1)];
}

/** Checks that every path among the operands names a file or a file type. */
function isNarrowed(name: string, parsed: ParsedArguments, operands: readonly Arg[]): boolean {
  const { certain } = parsed;
  if (isGiven(parsed, '--full-diff') || printsObject(name, certain, operands)) return false;
  const behind = operands.filter((arg) => certain.has(arg));
  // Without `--` a word may be a revision or a path.
  const paths = behind.length > 0 ? behind : operands.filter((arg) => !isRevision(arg));
  const wanted = paths.filter((arg) => !leavesOut(arg));
  return wanted.length > 0 && wanted.every((arg) => namesFile(arg) || namesKind(arg));
}

/** Checks for an exclusion: `:!dist`, `:(exclude)*.lock`. */
const leavesOut = ({ known, glob, text }: Arg): boolean => known && !glob && /^:[!^]|^:\(exclude\)/.test(text);

/** Checks for words that are not folder names. */
const isRevision = ({ known, text }: Arg): boolean =>
  known &&
  !/(?:^|\/)\.\.?(?:\/|$)/.test(text) &&
  /^(?:HEAD|@|main|master|develop|trunk|origin\/[\w./-]+|[0-9a-f]{7,40}|v\d+(?:\.\d+)*|stash@\{\d+\})$|[~^]\d*$|\w\.\.\.?(?:\w|$)|^\.\.\.?\w/.test(
    text,
  );

/** Checks for a path pattern that Git resolves: `*.ts`, `:(glob)src/*.ts`. */
const namesKind = ({ known, glob, text }: Arg): boolean =>
  known &&
  !glob &&
  /[*?[]/.test(text) &&
  !/^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(text) &&
  namesSources(text.replace(/^:\(glob\)/, ''));

/**
 * Checks for files in a revision, by name: `HEAD:src/a.ts`, but not `HEAD@{10:30}` or `HEAD^{/fix: it}`, which are
 * revisions. For a folder, `git show` lists the names, and `git diff` shows the contents.
 */
const namesRevisions = (name: string, { operands }: ParsedArguments): boolean =>
  operands.length > 0 &&
  operands.every((arg) => {
    const [, path] = /^(?:[\w][\w./~^@-]*)?:(?:[0-3]:)?([\w.][^:{}]*)$/.exec(arg.text) ?? [];
    return arg.known && path !== undefined && (name === 'show' || namesFile({ ...arg, text: path }));
  });

type GitCheck = (call: Invocation, parsed: ParsedArguments) => void;

const special = new Map<string, GitCheck>([
  [
    'diff',
    (call, parsed) => {
      if (isGiven(parsed, '--no-index')) for (const arg of parsed.operands) call.path('read', arg);
    },
  ],
  [
    'grep',
    (call, parsed) => {
      for (const { value } of givenOptions(parsed, '-O --open-files-in-pager')) if (value) call.line(value);
    },
  ],
  ['config', setting],
  ['remote', remote],
  [
    'bisect',
    (call, { operands }) => {
      if (operands[0]?.text === 'run') call.run(operands.slice(1));
    },
  ],
  [
    'submodule',
    (call, { operands }) => {
      const [verb, ...rest] = operands;
      if (verb?.text === 'foreach')
        call.line(rest.some((arg) => !arg.known) ? undefined : rest.map((arg) => arg.text).join(' '));
    },
  ],
  ...['difftool', 'mergetool', 'filter-branch', 'filter-repo'].map((name): [string, GitCheck] => [
    name,
    (call) => call.unclear(`git ${name} runs other programs`),
  ]),
]);

const showsSettings = (parsed: ParsedArguments): boolean =>
  isGiven(parsed, '--list -l --get --get-all --get-regexp --get-urlmatch') ||
  (parsed.operands.length <= 1 &&
    parsed.operands[0]?.text !== 'edit' &&
    !isGiven(parsed, '--unset --unset-all --add --replace-all')) ||
  /^(?:get|list)$/.test(parsed.operands[0]?.text ?? '');

/** Reports changed settings that are not known to be harmless: many are commands, or affect later pushes. */
function setting(call: Invocation, parsed: ParsedArguments): void {
  if (showsSettings(parsed)) return;
  const [key, value] = parsed.operands.filter(({ text }) => !/^(?:set|add|unset)$/.test(text));
  const harmless = key?.known && isHarmlessSetting(key.text, value?.known ? value.text : undefined);
  if (!harmless) call.unclear('a git setting may make git run a program or send later pushes elsewhere');
  if (isGiven(parsed, '-f --file')) call.unclear('git config --file writes another file');
}

/** Reports commands that change where later pushes go, as `remote.*.url` does. */
function remote(call: Invocation, { operands }: ParsedArguments): void {
  const [verb] = operands;
  if (verb && (!verb.known || /^(?:add|set-url|rename)$/.test(verb.text)))
    call.unclear(`git remote ${short(verb.text)} changes where later pushes go`);
}
