/** Pushes several files in one commit: creates tree and commit, then moves the branch, never by force. */

import { isObject } from '#core/kernel/narrow.ts';
import { ExecutionFault } from '../fault.ts';
import type { Answer, Repository } from './host.ts';
import { encoded } from './names.ts';

interface PushFiles {
  readonly branch: string;
  readonly message: string;
  readonly files: readonly { readonly path: string; readonly content: string }[];
}

export async function pushFiles(repository: Repository, { branch, message, files }: PushFiles): Promise<unknown> {
  const parent = shaIn((await repository.read(`/git/ref/heads/${encoded(branch)}`)).object);
  const base = shaIn((await repository.read(`/git/commits/${parent}`)).tree);
  const entries = files.map(({ path, content }) => ({ path, content, mode: '100644', type: 'blob' }));
  const tree = shaIn(await repository.prepare('/git/trees', { base_tree: base, tree: entries }));
  const commit = shaIn(await repository.prepare('/git/commits', { message, tree, parents: [parent] }));
  await repository.change('PATCH', `/git/refs/heads/${encoded(branch)}`, { sha: commit, force: false });
  return { branch, commit, files: files.map(({ path }) => path) };
}

function shaIn(answer: unknown): string {
  const { sha } = (isObject(answer) ? answer : {}) as Answer;
  if (typeof sha === 'string' && /^[0-9a-f]{40,64}$/.test(sha)) return sha;
  throw new ExecutionFault('malformed', 'its answer names no object');
}
