/** Which branches a call writes, and which it only reads from. */
import type { ToolCall } from '#core/contracts/envelope.ts';

/** `default_branch: true`: the host's default branch is meant, or may be. */
export interface TouchedBranch {
  readonly branch?: string;
  readonly default_branch?: true;
}

/** Operations that write no branch, or whose branch is not the one written. */
const proposing =
  /^(?:create|update|reopen|close)_(?:pull|merge)_request|^(?:create|add|update|close|reopen|assign|label|comment|submit|request|dismiss|approve)_.*(?:issue|comment|review|label|reaction|milestone|discussion|gist|project)|^fork_|^create_(?:repo|tag|release|deployment|webhook|hook)|^star|^watch|^subscribe|^run_|^rerun_|^cancel_|^trigger_|^dispatch/;

/** The branches a call writes; one entry without name where it writes none. */
export function branchesOf(parameters: ToolCall['parameters'], operation: string, capability: string): TouchedBranch[] {
  const written = new Set<string>();
  const add = (value: unknown): void => {
    for (const item of [value].flat())
      if (typeof item === 'string' && item.trim() !== '') written.add(branchName(item));
  };
  if (capability === 'read' || proposing.test(operation)) return [{}];
  // Merging a pull request goes into its base, which the call does not say and the host knows.
  if (/^(?:merge_(?:pull|merge)_request|enable_auto_merge|auto_merge|squash|rebase_and_merge)/.test(operation)) {
    return [{ default_branch: true }];
  }
  for (const key of [
    'branch',
    'branch_name',
    'branchName',
    'target_branch',
    'ref',
    'new_branch',
    'new_name',
    'old_name',
  ])
    add(parameters[key]);
  if (/^merge/.test(operation)) add(parameters.base);
  for (const spec of [parameters.refspec, parameters.refspecs].flat()) {
    if (typeof spec === 'string') add(spec.slice(spec.indexOf(':') + 1) || spec.slice(0, -1));
  }
  if (written.size > 0)
    return [...written].map((branch) => (branch === 'HEAD' ? { default_branch: true } : { branch }));
  // A host writes to the default branch where no other is named.
  return [{ default_branch: true }];
}

/** `refs/heads/main`, `heads/main`, `+main`: all `main`. */
export const branchName = (text: string): string =>
  text
    .trim()
    .replace(/^\+/, '')
    .replace(/^\/?(?:refs\/)?heads\//, '')
    .replace(/^\/+|\/+$/g, '');
