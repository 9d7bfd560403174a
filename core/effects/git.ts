/**
 * Effects of a call to a Git host: one part for each file and branch, with normalised repository, paths and branches.
 * Reports details that the call leaves open, such as the default branch.
 */

import type { ToolCall } from '#core/contracts/envelope.ts';
import { capabilityFromName } from '#core/policy/classification/classify-tool.ts';
import { toolWords, wordsIn } from '#core/policy/classification/tool-words.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { type BranchWrite, branchesOf, mayNameBranch, mergeOf, type TouchedBranch } from './git/branches.ts';
import { filesOf } from './git/files.ts';
import { repositoriesOf } from './git/repository.ts';
import type { EffectReader, Effects } from './ports.ts';
import { branchWrites } from './shell/git-branches.ts';
import { gitLine, isGitCommand } from './shell/git-line.ts';
import { argOf } from './shell/words.ts';

const maxParts = 1000;
/** Reads calls of protocol `git`, and tools of other protocols that resemble a Git host's tools. Never throws. */
export const gitEffects: EffectReader = (call) => {
  try {
    return effectsOf(call);
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return { parts: [], carrier: false, unclear: `the call could not be read: ${why}` };
  }
};

function effectsOf(call: ToolCall): Effects {
  const tool = foldCase(call.tool).trim();
  const { words } = toolWords(call.tool);
  const named = capabilityFromName(call.tool);
  const unclear = new Set<string>();
  const repositories = repositoriesOf(call, unclear);
  const files = filesOf(call, unclear);
  const written = branchesOf(call.parameters, words, named);
  const line = lineWrites(call.parameters, words, written);
  // On a Git host, an execution on a caller's behalf changes the host.
  const capability = named === 'execute' || (named === 'read' && line.length > 0) ? 'write' : named;
  const writes: readonly BranchWrite[] = [
    ...line,
    ...written.filter((each) => !line.length || Object.keys(each).length),
  ];
  const branches = [...new Map(writes.map((each) => [each.branch ?? each.branch_pattern ?? '', each])).values()];
  const isOnePart = repositories.length * branches.length * Math.max(files.length, 1) === 1;
  const common: Record<string, unknown> = {
    ...(isOnePart && untranslatedOf(call.parameters)),
    ...scalarsOf(call.parameters),
    ...flagsOf(call.parameters, words, line),
  };
  // In a part that changes something, `branch` is a branch that the call writes to.
  if (capability !== 'read') {
    delete common.branch;
    delete common.branch_pattern;
  }

  const parts: ToolCall[] = [];
  for (const repository of repositories) {
    const add = (parameters: object, gravity: string = capability): void => {
      parts.push({
        protocol: 'git',
        tool,
        target: repository,
        capability: gravity,
        parameters: { ...common, repository, ...parameters },
      });
    };
    for (const { remote: _, force: _force, deleted: _deleted, ...touched } of branches) {
      for (const { path, removed } of files) add({ ...touched, path }, removed ? 'delete' : capability);
      if (files.length === 0) add(touched);
    }
  }
  if (parts.length > maxParts) unclear.add(`the call touches more than ${maxParts} files`);
  return {
    parts: parts.slice(0, maxParts),
    carrier: false,
    ...(unclear.size > 0 && { unclear: [...unclear].slice(0, 5).join('; ') }),
  };
}

const yes = new Set<unknown>([true, 1, 'true', 'yes', '1', 'on']);
const isYes = (value: unknown): boolean => yes.has(typeof value === 'string' ? value.trim().toLowerCase() : value);
const isForcing = (words: readonly string[]): boolean => words.some((word) => /^(?:forced?|mirror)$/.test(word));

function flagsOf(
  parameters: ToolCall['parameters'],
  words: readonly string[],
  line: readonly BranchWrite[],
): Record<string, unknown> {
  const refspecs = [parameters.refspec, parameters.refspecs, parameters.ref].flat();
  const force =
    isForcing(words) ||
    setsForce(parameters) ||
    refspecs.some((spec) => typeof spec === 'string' && spec.startsWith('+')) ||
    argumentsIn(parameters).some((word) => /^(?:--force|--mirror|-[a-z]*f)/.test(word)) ||
    line.some(({ force, remote }) => force && remote !== undefined);
  const merges = mergeOf(words);
  return { ...(force && { force: true }), ...(merges !== undefined && { merges }) };
}

const argumentsIn = ({ args, argv, flags, options }: ToolCall['parameters']): readonly string[] =>
  [args, argv, flags, options].flat().filter((word) => typeof word === 'string');

/**
 * Returns the branches that `git_push` with an argument list writes to, parsed like the same line in a shell. The
 * server adds branches from other parameters of the call.
 */
function lineWrites(
  parameters: ToolCall['parameters'],
  words: readonly string[],
  written: readonly TouchedBranch[],
): readonly BranchWrite[] {
  const own = words.filter((word) => word !== 'git');
  const command = own.includes('push') ? 'push' : own.length === 1 ? own[0]! : '';
  const given = argumentsIn(parameters);
  if (given.length === 0 || !isGitCommand(command)) return [];
  const line = [command, ...given.slice(given[0] === command ? 1 : 0)].map(argOf);
  const { length } = gitLine(line).words.operands;
  const named = written.flatMap(({ branch, branch_pattern }) => branch ?? branch_pattern ?? []);
  const added = command === 'push' && length < 2 ? [...(length === 0 ? ['origin'] : []), ...named] : [];
  return branchWrites(gitLine([...line, ...added.map(argOf)]), {});
}

/** Checks for `force: true`, `forceWithLease: "yes"`, `options: { force: true }`. */
const setsForce = (value: object, depth = 0): boolean =>
  Object.entries(value).some(
    ([key, inner]) =>
      (isForcing(wordsIn(key)) && isYes(inner)) ||
      (typeof inner === 'object' && inner !== null && depth < maxDepth && setsForce(inner, depth + 1)),
  );
const maxDepth = 3;

/**
 * Returns lists, objects and long strings that name neither a file nor a branch, so that rules about labels or text
 * length also match the part [effects.git-branches]. Files and branches appear only in normal form.
 */
const untranslatedOf = (parameters: ToolCall['parameters']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parameters).filter(
      ([key, value]) =>
        !isContent(key) &&
        (typeof value === 'object' || typeof value === 'string') &&
        filesOf({ parameters: { [key]: value } }, new Set()).length === 0 &&
        !mayNameBranch({ [key]: value }),
    ),
  );

const isContent = (key: string): boolean => key === 'content' || key === 'contents';

/**
 * Maximum number of small values copied to the parts, so that rules about a title or a merge method match. File
 * contents are never copied.
 */
const maxScalars = 64;
const scalarsOf = (parameters: ToolCall['parameters']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parameters)
      .filter(
        ([key, value]) =>
          !isContent(key) &&
          (typeof value === 'number' ||
            typeof value === 'boolean' ||
            (typeof value === 'string' && value.length <= 1024)),
      )
      .slice(0, maxScalars),
  );
