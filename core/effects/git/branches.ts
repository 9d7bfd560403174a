/** Which branches a call to a Git host writes, and which it only reads from. */

import type { ToolCall } from '#core/contracts/envelope.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';

/** `default_branch: true`: the host's default branch is meant, or any may be. */
export interface TouchedBranch {
  readonly branch?: string;
  /** Refs that one `*` matches, as the refspec has it: `refs/heads/agent/*`. */
  readonly branch_pattern?: string;
  readonly default_branch?: true;
}

/** A branch that is written, or a push that names none (`git lfs push`). */
export interface BranchWrite extends TouchedBranch {
  /** The repository it is sent to, as the command names it; empty if it names none. Absent for a local branch. */
  readonly remote?: string;
  readonly force?: boolean;
  readonly deleted?: boolean;
}

const anyBranch: TouchedBranch = { default_branch: true };

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Operations whose every word is one of these write no branch: they are about requests, issues, tags, runs. */
const proposing = {
  verbs: set(`add approve assign cancel close comment create delete dismiss dispatch edit enable fork label lock mark
    open react remove reopen reply request rerun resolve retry run set star start submit subscribe trigger unassign unlock
    unresolve unstar unsubscribe unwatch update watch write`),
  objects:
    set(`a all alert and artifact assignee assignees blocking card cards check checks column comment comments copilot
    dependency deployment deployments discussion discussions draft duplicate event events failed field fields for from gist gists
    hook hooks in issue issues item items job jobs label labels lines milestone milestones new note notes notification
    notifications on or pending pipeline pipelines priority project projects pull reaction read reactions release releases replies
    reply repo repository request requests review reviewer reviewers reviews run runs status sub subscription subscriptions suite tag tags template the thread
    threads time title to topic topics type webhook webhooks with work workflow workflows`),
};

/** The branches a call writes; one entry without name where it writes none. */
export function branchesOf(
  parameters: ToolCall['parameters'],
  words: readonly string[],
  capability: string,
): TouchedBranch[] {
  if (capability === 'read' || isProposing(words) || checksOut(words)) return [{}];
  const merges = mergeOf(words);
  // Merging a pull request goes into its base, which the call does not say and the host knows.
  if (merges === 'pull_request') return [anyBranch];
  const written = new Map<string, TouchedBranch>();
  const add = (touched: TouchedBranch): void =>
    void written.set(touched.branch ?? touched.branch_pattern ?? '', touched);
  for (const { key, text } of textsOf(parameters)) {
    if (isRefspec(key)) add(refspecBranch(text));
    else if (isWritten(key) || (merges !== undefined && isBase(key))) add(touchedBranch(text));
  }
  // A host writes to the default branch where no other is named.
  return written.size > 0 ? [...written.values()] : [anyBranch];
}

/** What the operation merges: a pull request that may have been reviewed, or another branch as it is. */
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

/** What is done to a repository as a whole may change its branches. */
const ofRepositories = set('create dispatch fork star subscribe unstar unsubscribe unwatch watch');

const isProposing = (words: readonly string[]): boolean =>
  words.length > 0 &&
  (!words.some((word) => /^repo(?:sitory)?$/.test(word)) ||
    words.every((word) => !proposing.verbs.has(word) || ofRepositories.has(word))) &&
  mergeOf(words) !== 'pull_request' &&
  words.some((word) => proposing.verbs.has(word)) &&
  words.every((word) => proposing.verbs.has(word) || proposing.objects.has(word) || isRequestWord(word, words));

const checkingOut = set('branch checkout git local repo repository switch to');

/** `git_checkout` takes a branch into the work tree and leaves it as it is. */
const checksOut = (words: readonly string[]): boolean =>
  words.some((word) => word === 'checkout' || word === 'switch') && words.every((word) => checkingOut.has(word));

/** `merge` counts as a noun in `create_merge_request` only. */
const isRequestWord = (word: string, words: readonly string[]): boolean =>
  word === 'merge' && mergeOf(words) === undefined;

/** Keys that name the branch which is written, not the one it begins from or is compared with. */
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

/** Whether parameters hold a key that may name a branch which is written, whatever the operation. */
export const mayNameBranch = (parameters: ToolCall['parameters']): boolean =>
  [...textsOf(parameters)].some(({ key }) => isRefspec(key) || isWritten(key) || isBase(key));

const isRefspec = (key: string): boolean => /^ref_?specs?$/i.test(key);

const maxDepth = 4;

/** Every text of the parameters under its own key, also in lists and objects, but for contents. */
function* textsOf(value: unknown, key = '', depth = 0): Generator<{ readonly key: string; readonly text: string }> {
  if (typeof value === 'string') {
    if (value.trim() !== '') yield { key, text: value };
  } else if (Array.isArray(value)) {
    for (const item of value) yield* textsOf(item, key, depth + 1);
  } else if (typeof value === 'object' && value !== null && depth < maxDepth) {
    for (const [inner, below] of Object.entries(value)) yield* textsOf(below, inner, depth + 1);
  }
}

/** `refs/heads/main`, `heads/main`, `+main`: all `main`. */
const branchName = (text: string): string =>
  text
    .trim()
    .replace(/^\+/, '')
    .replace(/^\/+|\/+$/g, '')
    // In whatever case: some servers keep branches as files that differ in case only.
    .replace(/^(?:refs\/)?heads\//i, '');

/** What git takes for no branch, and a host may put right in its own way: `refs//heads/main`, `a/.b`, `x.lock`. */
const malformed = /\/\/|(?:^|\/)\.|\.(?:lock)?(?:\/|$)|^-/;

/** The branch a name means; any where it is a pattern, the current one, malformed, or a revision that git works out. */
export function touchedBranch(text: string): TouchedBranch {
  const branch = branchName(text);
  if (malformed.test(branch)) return anyBranch;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: branch names hold no control characters
  if (branch === '' || branch === 'HEAD' || branch === '@' || /[\u0000- ~^:?*[\\\u007f$`]|@\{|\.\./.test(branch))
    return anyBranch;
  return { branch };
}

/** The receiving end of a refspec: `fix`, `fix:main`, `:main`, `refs/heads/agent/*:refs/heads/agent/*`. */
export function refspecBranch(spec: string): TouchedBranch {
  const ends = spec.replace(/^\+/, '').split(':');
  const to = ends.at(-1)!;
  if (ends.length <= 2 && ends.every((end) => wildcard.test(end)) && !malformed.test(to)) return { branch_pattern: to };
  return touchedBranch(to);
}

/** Git takes a pattern with one `*` on each side; it stands for any text, slashes included. */
const wildcard = /^[\w./-]*\*[\w./-]*$/;
