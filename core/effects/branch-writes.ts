/** Branches that a Git command in a shell writes to, for limits and session risk. */
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import type { BranchWrite } from './git/branches.ts';
import type { Effect } from './ports.ts';

/** Write to any branch of any repository, possibly by force. */
export const anyWrite: readonly BranchWrite[] = [{ remote: '', default_branch: true, force: true }];

/**
 * Returns the branches that an effect writes to. This is any branch if the effect is a Git command whose words could
 * not be parsed.
 */
export const branchesWritten = ({ protocol, tool, branches }: Effect): readonly BranchWrite[] =>
  branches ?? (foldCase(protocol).trim() === 'shell' && gitProgram.test(foldCase(tool).trim()) ? anyWrite : []);
const gitProgram = /^(?:shell\.)?(?:.*\/)?git(?:-.*)?$/;
