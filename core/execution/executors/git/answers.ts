/** Reduces a Git host's responses to the members that agents work with. */
import { isObject } from '#core/kernel/narrow.ts';
import type { HostAnswer } from './host.ts';

const objectAt = (answer: HostAnswer, name: string): HostAnswer => (isObject(answer[name]) ? answer[name] : {});

export const branchView = (branch: HostAnswer) => ({
  name: branch.name,
  sha: objectAt(branch, 'commit').sha,
  protected: branch.protected === true,
});

export function commitView(commit: HostAnswer) {
  const inner = objectAt(commit, 'commit');
  const author = objectAt(inner, 'author');
  const { sha, html_url: url } = commit;
  return { sha, message: inner.message, author: author.name, date: author.date, url };
}

/** Returns a pull request with `pr_url` and `pr_number`, as used in the decision result. */
export function pullRequestView(pull: HostAnswer) {
  const side = (name: string) => ({ ref: objectAt(pull, name).ref, sha: objectAt(pull, name).sha });
  const { html_url: pr_url, number: pr_number, title, state, draft, merged, mergeable_state } = pull;
  return {
    pr_url,
    pr_number,
    title,
    state,
    ...(draft !== undefined && { draft }),
    ...(merged !== undefined && { merged }),
    ...(mergeable_state !== undefined && { mergeable_state }),
    head: side('head'),
    base: side('base'),
    author: objectAt(pull, 'user').login,
  };
}

export const issueView = ({ html_url: url, number, title, state, user }: HostAnswer) => ({
  url,
  number,
  title,
  state,
  author: isObject(user) ? user.login : undefined,
});

export const commentView = ({ html_url: url, id, body, user }: HostAnswer) => ({
  url,
  id,
  body,
  author: isObject(user) ? user.login : undefined,
});

/** Returns a file's content as text, or as base64 if it is not text; null if the host omits it. */
export function fileView({ path, sha, size, type, content, encoding }: HostAnswer) {
  const file = { path, sha, size, type };
  if (encoding !== 'base64' || typeof content !== 'string') return { ...file, content: null };
  const bytes = Buffer.from(content, 'base64');
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return { ...file, encoding: 'utf-8', content: text };
  } catch {
    // The content is not text.
  }
  return { ...file, encoding: 'base64', content: bytes.toString('base64') };
}

export const entryView = ({ name, path, type, size, sha }: HostAnswer) => ({ name, path, type, size, sha });

export const changedFileView = ({ filename: path, status, additions, deletions, patch }: HostAnswer) => ({
  path,
  status,
  additions,
  deletions,
  ...(patch !== undefined && { patch }),
});

export const repositoryView = (answer: HostAnswer) => {
  const { full_name, description, default_branch, private: isPrivate, archived, html_url: url } = answer;
  return { full_name, description, default_branch, private: isPrivate, archived, url };
};
