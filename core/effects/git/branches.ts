/** Branches that a call to a Git host writes to, as opposed to those it only reads. */

import type { ToolCall } from '#core/contracts/envelope.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';

/** Branch affected by a call. `default_branch: true` means the host's default branch, or possibly any branch. */
export interface TouchedBranch {
  readonly branch?: string;
  /** Ref pattern with a single `*`, as written in the refspec: `refs/heads/agent/*`. */
  readonly branch_pattern?: string;
  readonly default_branch?: true;
}

/** A branch that the call writes to, or a push that names no branch (`git lfs push`). */
export interface BranchWrite extends TouchedBranch {
  /** The destination repository as named in the command; empty if the command names none. Absent for a local branch. */
  readonly remote?: string;
  readonly force?: boolean;
  readonly deleted?: boolean;
}

const anyBranch: TouchedBranch = { default_branch: true };

/** Words of operations that do not write to a branch, because they concern requests, issues, tags or runs. */
const proposing = {
  verbs:
    wordSet(`add approve assign cancel close comment create delete dismiss dispatch edit enable fork label lock mark
    open react remove reopen reply request rerun resolve retry run set star start submit subscribe trigger unassign unlock
    unresolve unstar unsubscribe unwatch update watch write`),
  objects:
    wordSet(`a all alert and artifact assignee assignees blocking card cards check checks column comment comments copilot
    dependency deployment deployments discussion discussions draft duplicate event events failed field fields for from gist gists
    hook hooks in issue issues item items job jobs label labels lines milestone milestones new note notes notification
    notifications on or pending pipeline pipelines priority project projects pull reaction read reactions release releases replies
    reply repo repository request requests review reviewer reviewers reviews run runs status sub subscription subscriptions suite tag tags template the thread
    threads time title to topic topics type webhook webhooks with work workflow workflows`),
};

/** Returns the branches that a call writes to, or one entry without a name if it writes to none. */
export function branchesOf(
  parameters: ToolCall['parameters'],
  words: readonly string[],
  capability: string,
): TouchedBranch[] {
  if (capability === 'read' || isProposing(words) || checksOut(words)) return [{}];
  const merges = mergeOf(words);
  // Merging a pull request changes its base branch, which is known only to the host.
  if (merges === 'pull_request') return [anyBranch];
  const written = new Map<string, TouchedBranch>();
  const add = (touched: TouchedBranch): void =>
    void written.set(touched.branch ?? touched.branch_pattern ?? '', touched);
  for (const { key, text } of stringsWithKeys(parameters)) {
    if (isRefspec(key)) add(refspecBranch(text));
    else if (isWritten(key) || (merges !== undefined && isBase(key))) add(touchedBranch(text));
  }
  // A host writes to the default branch if the call names no branch.
  return written.size > 0 ? [...written.values()] : [anyBranch];
}

/** Returns the kind of merge: of a pull request, which may have been reviewed, or directly of another branch. */
export function mergeOf(words: readonly string[]): 'pull_request' | 'branch' | undefined {
  const at = words.findLastIndex((word, i) => /^requests?$/.test(word) && /^(?:pull|merge)$/.test(words[i - 1] ?? ''));
  const isRequest = at !== -1 || words.some((word) => word === 'pr' || word === 'mr');
  const others = words.filter((_, i) => at === -1 || (i !== at && i !== at - 1));
  const verbs = new Set(others);
  if (
    isRequest &&
    ['merge', 'squash', 'rebase', 'automerge', 'accept', 'land', 'complete'].some((verb) => verbs.has(verb))
  )
    return 'pull_request';
  if (
    verbs.has('automerge') ||
    verbs.has('squash') ||
    (verbs.has('merge') && (verbs.has('auto') || verbs.has('rebase')))
  )
    return 'pull_request';
  return verbs.has('merge') ? 'branch' : undefined;
}

/** Verbs that, applied to a whole repository, do not change its branches. */
const ofRepositories = wordSet('create dispatch fork star subscribe unstar unsubscribe unwatch watch');

const isProposing = (words: readonly string[]): boolean =>
  words.length > 0 &&
  (!words.some((word) => /^repo(?:sitory)?$/.test(word)) ||
    words.every((word) => !proposing.verbs.has(word) || ofRepositories.has(word))) &&
  mergeOf(words) !== 'pull_request' &&
  words.some((word) => proposing.verbs.has(word)) &&
  words.every((word) => proposing.verbs.has(word) || proposing.objects.has(word) || isRequestWord(word, words));

const checkingOut = wordSet('branch checkout git local repo repository switch to');

/** Checks for `git_checkout`, which switches to a branch without changing it. */
const checksOut = (words: readonly string[]): boolean =>
  words.some((word) => word === 'checkout' || word === 'switch') && words.every((word) => checkingOut.has(word));

/** Checks for `merge` as a noun, as in `create_merge_request`. */
const isRequestWord = (word: string, words: readonly string[]): boolean =>
  word === 'merge' && mergeOf(words) === undefined;

/** Checks for a key that names a branch to write to, rather than the base of a new branch or of a comparison. */
const isWritten = (key: string): boolean => {
  const words = wordsIn(key);
  if (['ref', 'new_name', 'old_name', 'newName', 'oldName'].includes(key)) return true;
  return (
    words.some((word) => /^branch(?:es|name)?$/.test(word)) &&
    !words.some((word) =>
      ['source', 'start', 'from', 'base', 'head', 'compare', 'tracking', 'protection'].includes(word),
    )
  );
};

const isBase = (key: string): boolean => /^base(?:_branch|Branch)?$/.test(key);

/** Checks whether any parameter key may name a branch to write to, for any operation. */
export const mayNameBranch = (parameters: ToolCall['parameters']): boolean =>
  [...stringsWithKeys(parameters)].some(({ key }) => isRefspec(key) || isWritten(key) || isBase(key));

const isRefspec = (key: string): boolean => /^ref_?specs?$/i.test(key);

const maxDepth = 4;

/** Yields every string in the parameters with its own key, including strings in lists and objects. */
function* stringsWithKeys(
  value: unknown,
  key = '',
  depth = 0,
): Generator<{ readonly key: string; readonly text: string }> {
  if (typeof value === 'string') {
    if (value.trim() !== '') yield { key, text: value };
  } else if (Array.isArray(value)) {
    for (const item of value) yield* stringsWithKeys(item, key, depth + 1);
  } else if (typeof value === 'object' && value !== null && depth < maxDepth) {
    for (const [inner, below] of Object.entries(value)) yield* stringsWithKeys(below, inner, depth + 1);
  }
}

/** Returns the branch name: `main` for `refs/heads/main`, `heads/main` and `+main`. */
const branchName = (text: string): string =>
  text
    .trim()
    .replace(/^\+/, '')
    .replace(/^\/+|\/+$/g, '')
    // Ignores case: some servers store branches as files whose names differ only in case.
    .replace(/^(?:refs\/)?heads\//i, '');

/** Names that Git rejects and a host may correct in its own way: `refs//heads/main`, `a/.b`, `x.lock`. */
const malformed = /\/\/|(?:^|\/)\.|\.(?:lock)?(?:\/|$)|^-/;

/**
 * Returns the branch with this name. Returns any branch if the name is a pattern, the current branch, malformed, or a
 * revision expression.
 */
export function touchedBranch(text: string): TouchedBranch {
  const branch = branchName(text);
  if (malformed.test(branch)) return anyBranch;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: branch names hold no control characters
  if (branch === '' || branch === 'HEAD' || branch === '@' || /[\u0000- ~^:?*[\\\u007f$`]|@\{|\.\./.test(branch))
    return anyBranch;
  return { branch };
}

/** Returns the destination of a refspec: `fix`, `fix:main`, `:main`, `refs/heads/agent/*:refs/heads/agent/*`. */
export function refspecBranch(spec: string): TouchedBranch {
  const ends = spec.replace(/^\+/, '').split(':');
  const to = ends.at(-1)!;
  if (ends.length <= 2 && ends.every((end) => wildcard.test(end)) && !malformed.test(to)) return { branch_pattern: to };
  return touchedBranch(to);
}

/** Git accepts a pattern with one `*` on each side, which matches any text, including slashes. */
const wildcard = /^[\w./-]*\*[\w./-]*$/;
