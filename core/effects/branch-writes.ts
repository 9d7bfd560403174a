/** The branches that a Git command in a shell writes, as its effects carry them for limits and session risk. */
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import type { BranchWrite } from './git/branches.ts';
import type { Effect } from './ports.ts';

/** Any branch of any repository may be written, also by force. */
export const anyWrite: readonly BranchWrite[] = [{ remote: '', default_branch: true, force: true }];

/** Returns the branches that an effect writes: any if it is of a program named git whose words could not be read. */
export const branchesWritten = ({ protocol, tool, branches }: Effect): readonly BranchWrite[] =>
  branches ?? (foldCase(protocol).trim() === 'shell' && named.test(foldCase(tool).trim()) ? anyWrite : []);
const named = /^(?:shell\.)?(?:.*\/)?git(?:-.*)?$/;
