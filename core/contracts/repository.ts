/** Names of repositories and pull requests in configurations, targets and webhooks. */

/** `owner/name`. Git hosts ignore case. */
export const repositoryPattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/;

export interface PullRequest {
  readonly repository: string;
  readonly number: number;
}

/** Parses `owner/name#12`. Returns undefined for anything else. */
export function parsePullRequest(text: string): PullRequest | undefined {
  const [, repository = '', digits = ''] = /^([^#]+)#([1-9]\d{0,8})$/.exec(text) ?? [];
  return repositoryPattern.test(repository) ? { repository, number: Number(digits) } : undefined;
}

export const pullRequestName = ({ repository, number }: PullRequest): string => `${repository}#${number}`;

/** Compares two pull requests, ignoring case as the Git host does. */
export const samePullRequest = (a: PullRequest, b: PullRequest): boolean =>
  a.number === b.number && a.repository.toLowerCase() === b.repository.toLowerCase();
