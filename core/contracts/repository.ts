/** Names at a Git host, as configurations, targets and webhooks give them. */

/** `owner/name`. Case does not count at the host. */
export const repositoryPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

/** A pull request of a repository. */
export interface PullRequest {
  readonly repository: string;
  readonly number: number;
}

/** `owner/name#12`; undefined for anything else. */
export function parsePullRequest(text: string): PullRequest | undefined {
  const [, repository = '', digits = ''] = /^([^#]+)#([1-9]\d{0,8})$/.exec(text) ?? [];
  return repositoryPattern.test(repository) ? { repository, number: Number(digits) } : undefined;
}

export const pullRequestName = ({ repository, number }: PullRequest): string => `${repository}#${number}`;

/** The host compares repositories without case. */
export const samePullRequest = (a: PullRequest, b: PullRequest): boolean =>
  a.number === b.number && a.repository.toLowerCase() === b.repository.toLowerCase();
