/**
 * What a `git` command in a shell writes to branches, as parts of a Git host's protocol, so that one set of limits covers
 * both ways. Commands, options and forms are listed: what is not known may write to any branch, by force.
 */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { refspecBranch, type TouchedBranch, touchedBranch } from '#core/effects/git/branches.ts';
import { type GitOptions, readGitOptions } from './git-options.ts';
import { anyWrite, branchWrites, type GitWrite, harmlessCommands, pushes } from './git-writes.ts';

/** One part for each branch that the command writes; none where it writes none by name. */
export function pushesOf(part: ToolCall): ToolCall[] {
  const words = wordsOf(part);
  const { patterns } = part.parameters;
  // The shell replaces an unquoted pattern by names of files, `agent/x:main` perhaps.
  const areKept = words.every((word) => !word.includes('*') || (Array.isArray(patterns) && patterns.includes(word)));
  return writesOf(words).map(({ repository, touched, deletes, forced }) => ({
    protocol: 'git',
    tool: 'scm.push',
    target: repository,
    capability: deletes ? 'delete' : 'write',
    parameters: {
      ...(forced && { force: true }),
      ...(touched.branch_pattern === undefined || areKept ? touched : { default_branch: true }),
    },
  }));
}

function writesOf(words: readonly string[]): readonly GitWrite[] {
  const global = readGitOptions(words, globals);
  const [command, ...args] = global.operands;
  if (command === undefined) return [];
  // Settings of one command say what a push sends, and what other names of commands mean.
  const steers = global.values('-c', '--config-env').some((text) => /^(?:alias|remote|branch|push|url)\./i.test(text));
  if (!global.known || steers) return harmlessCommands.has(command) && !steers ? [] : anyWrite;
  if (Object.hasOwn(pushes, command)) return pushed(args, command);
  if (command === 'subtree') return subtree(args);
  if (Object.hasOwn(branchWrites, command)) return branchWrites[command]!(args);
  return harmlessCommands.has(command) ? [] : anyWrite;
}

const globals: GitOptions = {
  flags: `-p --paginate -P --no-pager --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice --bare --version
    -v --help -h --html-path --man-path --info-path --exec-path --literal-pathspecs --glob-pathspecs --noglob-pathspecs
    --icase-pathspecs`,
  values: '-C -c --git-dir --work-tree --namespace --config-env --attr-source --super-prefix',
  stops: true,
};

/** `push`, `send-pack`, `http-push`: `[options] [<repository> [<refspec>…]]`. */
function pushed(args: readonly string[], command: string): readonly GitWrite[] {
  const { known, operands, has } = readGitOptions(args, pushes[command]!);
  if (!known) return anyWrite;
  const [repository = '', ...specs] = operands;
  const deletes = has('--delete', '-d');
  const forced = has('--force', '-f', '--force-with-lease', '--mirror') || specs.some((spec) => spec.startsWith('+'));
  const to = (touched: TouchedBranch, removes = deletes): GitWrite => ({
    repository,
    touched,
    deletes: removes,
    forced,
  });
  // Without a refspec the current branch goes, or what the settings of the repository say.
  if (specs.length === 0 || has('--all', '--branches', '--mirror', '--prune', '--stdin'))
    return [to({ default_branch: true })];
  return specs.map((spec) => to(deletes ? touchedBranch(spec) : refspecBranch(spec), deletes || /^\+?:./.test(spec)));
}

/** `git subtree push --prefix=<folder> <repository> <refspec>`; its other commands write the current branch. */
function subtree(args: readonly string[]): readonly GitWrite[] {
  const { known, operands, values } = readGitOptions(args, {
    flags:
      '-q --quiet -d --debug --rejoin --no-rejoin --ignore-joins --no-ignore-joins --squash --no-squash -S --gpg-sign',
    values: '-P --prefix -m --message -b --branch --annotate --onto',
  });
  if (!known) return anyWrite;
  const [command, repository = '', ...specs] = operands;
  const branches = values('-b', '--branch').map(
    (name): GitWrite => ({ ...anyWrite[0]!, touched: touchedBranch(name), forced: false }),
  );
  if (command !== 'push') return branches;
  return [
    ...branches,
    ...(specs.length === 0
      ? anyWrite
      : specs.map(
          (spec): GitWrite => ({
            repository,
            touched: refspecBranch(spec),
            deletes: false,
            forced: spec.startsWith('+'),
          }),
        )),
  ];
}

/** The words behind `git`; `git-push` is `push`. */
function wordsOf({ parameters, target }: ToolCall): string[] {
  const argv = parameters.argv ?? parameters.args;
  const words = Array.isArray(argv) ? argv.filter((word) => typeof word === 'string') : target.split(/\s+/);
  const first = /(?:^|\/)git(?:-([\w-]+))?$/.exec(words[0] ?? '');
  if (!first) return words;
  return first[1] === undefined ? words.slice(1) : [first[1], ...words.slice(1)];
}
