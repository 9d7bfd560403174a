/** Limits for Git hosts: repositories, protected branches and files, force pushes, merges into the default branch. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { SandboxSettings } from '#core/contracts/sandbox.ts';
import type { TouchedBranch } from '#core/effects/git/branches.ts';
import { mayMatchBoth } from '#core/text/matching/wildcard-overlap.ts';
import { type Check, type LimitViolation, matchesName, normalPath, textParameter } from './rule.ts';

type Limits = SandboxSettings['git'];

/** Usual names of the default branch. */
const defaultNames = ['main', 'master', 'trunk', 'develop', 'default'];

export const checkGit: Check = ({ git }, part) => checkRepository(git, part) ?? checkWrite(git, part);

function checkRepository(git: Limits, part: ToolCall): LimitViolation | undefined {
  const repository = textParameter(part, 'repository') || part.target;
  if (matchesName(git.blocked_repositories, [repository]))
    return { rule: 'git.blocked_repositories', reason: `The repository ${repository} is blocked.` };
  // Hosts ignore the case of owners and names.
  if (git.allowed_repositories && !matchesName(git.allowed_repositories, [repository]))
    return { rule: 'git.allowed_repositories', reason: `The repository ${repository} is not among those allowed.` };
  return undefined;
}

function checkWrite(git: Limits, part: ToolCall): LimitViolation | undefined {
  const { force, merges, default_branch } = part.parameters;
  const found = checkBranch(git, {
    branch: textParameter(part, 'branch'),
    branch_pattern: textParameter(part, 'branch_pattern'),
    ...(default_branch === true && { default_branch }),
    force: force === true,
    isRead: part.capability === 'read',
    merges,
  });
  if (found || part.capability === 'read') return found;
  const path = normalPath(textParameter(part, 'path'));
  if (path !== '' && matchesName(git.protected_files, [path]))
    return { rule: 'git.protected_files', reason: `The file ${path} is protected.` };
  return undefined;
}

/**
 * Checks the branch limits.
 * @param write branch write; `merges` is the source of a merge. A part that only reads may still be forced.
 */
export function checkBranch(
  git: Limits,
  write: TouchedBranch & { readonly force?: boolean; readonly isRead?: boolean; readonly merges?: unknown },
): LimitViolation | undefined {
  const { branch = '', branch_pattern: pattern = '', default_branch: isAny, force, isRead, merges } = write;
  if (git.block_force_push && force)
    return { rule: 'git.block_force_push', reason: 'The call rewrites history by force.' };
  if (isRead) return undefined;
  const isProtected = matchesName(git.protected_branches, [branch]);
  const protects = [...git.protected_branches, ...defaultNames].find((glob) => mayReach(pattern, glob));
  const intoDefault = isAny || defaultNames.includes(branch.toLowerCase());
  if (
    git.block_default_branch_merge &&
    merges !== undefined &&
    (intoDefault || protects !== undefined || isProtected)
  ) {
    return { rule: 'git.block_default_branch_merge', reason: 'The merge goes, or may go, into the default branch.' };
  }
  // Protected branches should change only through merged pull requests.
  if (merges === 'pull_request' || git.protected_branches.length === 0) return undefined;
  if (isAny)
    return { rule: 'git.protected_branches', reason: 'The call names no branch and so may write to a protected one.' };
  if (protects !== undefined) {
    return {
      rule: 'git.protected_branches',
      reason: `The pattern ${pattern} may match the branch ${protects}, which is protected or the default one.`,
    };
  }
  return branch !== '' && isProtected
    ? { rule: 'git.protected_branches', reason: `The branch ${branch} is protected.` }
    : undefined;
}

/**
 * Checks whether a refspec pattern may match a branch that the glob covers. Git and hosts complete names that do not
 * begin with `refs/`.
 */
const mayReach = (pattern: string, glob: string): boolean =>
  pattern !== '' &&
  ['', 'refs/', 'refs/heads/'].some((folder) => mayMatchBoth(folder + pattern, { within: 'refs/heads/', glob }));
