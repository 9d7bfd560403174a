/** Describes the commands of a shell line. Git commands are described by their effect on branches. */
import { isOfKind } from '#core/catalog/program-kind.ts';
import { becoming } from '#core/catalog/program-kinds.ts';
import { starting } from '#core/catalog/program-words.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { BranchWrite } from './git/branches.ts';
import type { Effect } from './ports.ts';
import { type Phrase, riskOf, verbs } from './service-phrases.ts';
import { gitLine } from './shell/git-line.ts';
import { takesOrders } from './shell/orders.ts';
import { argOf } from './shell/words.ts';

const programOf = ({ tool }: ToolCall): string => tool.replace(/^shell\./, '');
const argvOf = ({ parameters: { argv } }: ToolCall): readonly string[] => (Array.isArray(argv) ? argv.map(String) : []);
const isAddress = (target: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(target);

/** Programs that the sentence omits, because its verb already describes their effect on a file. */
const plainPrograms = new Set(
  'redirect cat head tail less more rm rmdir unlink shred cp ls mkdir touch tee'.split(' '),
);
const ownVerbs: ReadonlyMap<string, string> = new Map(
  Object.entries({ mkdir: 'Creates folder', chmod: 'Changes the rights of', chown: 'Changes the owner of' }),
);

/**
 * Returns what a wrapper adds to the effect of the command it starts: ` as root` for `sudo rm x`, ` on host` for `ssh
 * host rm x`, nothing for `timeout 5 rm x`. Undefined if it does not start the next command, or if that is not known.
 */
export function addedByWrapper(part: ToolCall, next: ToolCall): string | undefined {
  const [outer, inner] = [argvOf(part), argvOf(next)];
  const before = outer.slice(1, outer.length - inner.length);
  if (inner.length === 0 || outer.length <= inner.length) return undefined;
  if (!inner.every((word, at) => word === outer[outer.length - inner.length + at])) return undefined;
  const program = programOf(part);
  if (isOfKind(program, becoming)) return before.length === 0 ? ' as root' : undefined;
  if (program === 'ssh') return before.length === 1 ? ` on ${before[0]}` : undefined;
  return isOfKind(program, starting) ? '' : undefined;
}

/** @param before the preceding part, whose output a pipe may send to this one. */
export function shellPhrase(part: Effect, before: ToolCall | undefined, unclear = ''): Phrase {
  const { target, capability, parameters } = part;
  const program = programOf(part);
  const { operation, action } = parameters;
  if (typeof operation === 'string' && typeof action === 'string')
    return wholePhrase(sentence(action), capability === 'write' && handsOver.test(action) ? 'sends' : undefined, part);
  const argv = argvOf(part);
  if (argv.length === 0 && target === '' && unclear !== '')
    return wholePhrase('Runs a command that cannot be read', undefined, part);
  const input = inputPhrase(part, before, unclear);
  if (input) return input;
  const git = program === 'git' ? gitPhrase(part) : undefined;
  if (git) return git;
  if (target === '') return wholePhrase(`Runs ${[program, ...argv.slice(1)].join(' ')}`, undefined, part);
  if (takesOrders(program)) return wholePhrase(`Runs ${argv.join(' ')}`, undefined, part);
  // The target either repeats the words of the command or is one of the places that they affect.
  const isPlace = capability !== 'execute' && operation === undefined && (argv.includes(target) || isAddress(target));
  if (!isPlace && (operation !== undefined || argv.slice(1).join(' ').startsWith(target)))
    return wholePhrase(`Runs ${program} ${target}`, undefined, part);
  const using = plainPrograms.has(program) || ownVerbs.has(program) ? '' : ` with ${program}`;
  const object = target === '.' ? 'the current folder' : /\s/.test(target) ? JSON.stringify(target) : target;
  if (capability === 'write' && isAddress(target))
    return { verb: `Sends ${sentFile(part, before) ?? 'data'} to`, objects: [target], tail: using, risk: 'sends' };
  const verb = part.names_only ? 'Lists' : (capability === 'write' && ownVerbs.get(program)) || verbs.get(capability);
  return {
    verb: (program === 'find' && capability === 'delete' ? 'Deletes matching files in' : verb) ?? 'Changes',
    objects: [object],
    tail: using,
    risk: riskOf({ tool: '', capability }),
  };
}

/** Actions of programs that share data with others. */
const handsOver = /^(?:sends|publishes|pushes)\b|^copies (?!.*:\/\/.* to ).* to [a-z0-9]+:\/\//;

/** Returns the file that the same command reads: `notes.txt` for `curl -d @notes.txt https://…`. */
function sentFile(part: ToolCall, before: ToolCall | undefined): string | undefined {
  const isSame = before && argvOf(before).join('\0') === argvOf(part).join('\0');
  return isSame && before.capability === 'read' && !isAddress(before.target) ? before.target : undefined;
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const wholePhrase = (text: string, risk: Phrase['risk'] | undefined, { capability }: ToolCall): Phrase => ({
  verb: text,
  objects: [],
  risk: risk ?? riskOf({ tool: '', capability }),
});

/** Describes a program that runs text printed by another program, if the line shows which program prints it. */
function inputPhrase(part: ToolCall, before: ToolCall | undefined, unclear: string): Phrase | undefined {
  const { target, capability } = part;
  const program = programOf(part);
  const takesInput = unclear.includes(`${program} runs whatever `);
  const substitutes = capability === 'execute' && /^(?:-c )?(?:<\(|\$\()/.test(target);
  if (!takesInput && !substitutes) return undefined;
  const risk = 'unknown';
  if (before && isAddress(before.target)) {
    const host = /^[^:]*:\/\/(?:[^/@]*@)?([^/?#]+)/.exec(before.target)?.[1] ?? before.target;
    return { verb: 'Runs a script downloaded from', objects: [host], risk };
  }
  const source = before ? programOf(before) : 'another program';
  return { verb: `Runs the output of ${source} as a script`, objects: [], risk };
}

/** Describes a Git command in simple words. Undefined for other commands, which are shown as written. */
function gitPhrase(part: Effect): Phrase | undefined {
  const { globals, name, words } = gitLine(argvOf(part).slice(1).map(argOf));
  if (!name || globals.options.length > 0) return undefined;
  // Message text is not among the words.
  const own = argvOf(part).slice(2).join(' ');
  if (name.text === 'commit' && /^(?:-q )?-m$/.test(own))
    return wholePhrase('Commits the staged changes', undefined, part);
  if (name.text === 'commit' && /^(?:-am|-a -m)$/.test(own))
    return wholePhrase('Commits all changed files', undefined, part);
  const created = /^(?:checkout -b|switch -c) (\S+)$/.exec(`${name.text} ${own}`)?.[1];
  if (created !== undefined) return wholePhrase(`Creates branch ${created} and checks it out`, undefined, part);
  if (words.problems.length > 0) return undefined;
  const branches = part.branches ?? [];
  if (name.text === 'push')
    return (
      pushPhrase(branches, part) ??
      wholePhrase(`Runs ${argvOf(part).join(' ')}`, part.capability === 'write' ? 'sends' : undefined, part)
    );
  if (name.text === 'branch' && branches.length > 0 && branches.every(({ branch, deleted }) => branch && deleted))
    return { verb: 'Deletes branch', objects: branches.map(({ branch }) => branch!), risk: 'deletes' };
  const options = words.options.map(({ name: option }) => option);
  const operands = words.operands.map(({ text }) => text);
  const text = Object.hasOwn(gitSentences, name.text) ? gitSentences[name.text]!(operands, options) : undefined;
  return text === undefined ? undefined : wholePhrase(text, undefined, part);
}

function pushPhrase(branches: readonly BranchWrite[], part: ToolCall): Phrase | undefined {
  const [first] = branches;
  const names = branches.map(({ branch }) => branch);
  if (!first?.remote || names.some((branch) => branch === undefined)) return undefined;
  const { remote, force, deleted } = first;
  if (branches.some((each) => each.remote !== remote || each.force !== force || each.deleted !== deleted))
    return undefined;
  const objects = names as string[];
  if (deleted) return { verb: 'Deletes branch', objects, tail: ` of ${remote}`, risk: 'deletes' };
  if (force) return { verb: 'Force-pushes branch', objects, tail: ` to ${remote}`, risk: 'deletes' };
  return {
    verb: 'Pushes branch',
    objects,
    tail: ` to ${remote}`,
    risk: part.capability === 'delete' ? 'deletes' : 'sends',
  };
}

type GitSentence = (operands: readonly string[], options: readonly string[]) => string | undefined;

const onlyOptions = (options: readonly string[], allowed: string): boolean =>
  options.every((option) => allowed.split(' ').includes(option));
const withOne =
  (text: string): GitSentence =>
  ([operand, ...others], options) =>
    operand !== undefined && others.length + options.length === 0 ? `${text} ${operand}` : undefined;

const gitSentences: Readonly<Record<string, GitSentence>> = {
  add: (operands, options) =>
    operands.length > 0 && options.length === 0
      ? `Stages ${operands.join(' ').replace(/^\.$/, 'all changes')}`
      : undefined,
  clean: (operands, options) =>
    operands.length === 0 && onlyOptions(options, '-f --force -d -q --quiet') ? 'Deletes untracked files' : undefined,
  'cherry-pick': withOne('Cherry-picks commit'),
  clone: withOne('Clones'),
  fetch: (operands, options) =>
    options.length === 0 && operands.length <= 1 ? `Fetches from ${operands[0] ?? 'the remote'}` : undefined,
  merge: (operands, options) =>
    operands.length === 1 && options.length === 0 ? `Merges ${operands[0]} into the current branch` : undefined,
  pull: (operands, options) =>
    options.length === 0 && operands.length <= 2
      ? `Pulls ${[...operands].reverse().join(' from ') || 'from the remote'} into the current branch`
      : undefined,
  rebase: withOne('Rebases the current branch on'),
  reset: (operands, options) =>
    options.length === 1 && options[0] === '--hard' && operands.length <= 1
      ? `Discards uncommitted changes and moves the branch to ${operands[0] ?? 'HEAD'}`
      : undefined,
  revert: withOne('Reverts commit'),
  tag: withOne('Creates tag'),
};
