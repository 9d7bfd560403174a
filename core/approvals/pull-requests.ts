/** Pull requests as a channel of approvals: where a request is posted, what an approval there is bound to, the host's port. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { GithubChannel } from '#core/contracts/config.ts';
import { type PullRequest, parsePullRequest, repositoryPattern } from '#core/contracts/repository.ts';
import { canonicalize, hashDomain, sha256 } from '#core/kernel/canonical.ts';
import { globMatches } from '#core/text/matching/glob.ts';

/** The Git host as approvals need it. Every method throws `ServiceFault` when the host did not answer as it promises. */
export interface PullRequestHost {
  /** The commit at the pull request's head now, in lower-case hex. */
  head(at: PullRequest): Promise<string>;
  /** Writes a comment; answers its id. */
  comment(at: PullRequest, text: string): Promise<string>;
  /** A comment as it stands now; undefined when it is gone. */
  textOf(repository: string, commentId: string): Promise<string | undefined>;
  rewrite(repository: string, commentId: string, text: string): Promise<void>;
  /** The permission of a login at a repository now: `admin`, `maintain`, `write`, `read` or `none`. */
  permission(repository: string, login: string): Promise<string>;
}

/** The question and its commit, stored as the receipt of the delivery. */
export interface Notice {
  readonly at: PullRequest;
  readonly comment_id: string;
  readonly head_sha: string;
  readonly text_sha256: string;
  /** The question shows the whole call, so it may be approved. */
  readonly whole?: 'true';
}

/**
 * The pull request a call is about, if its repository is one of the channel's; else the channel's fixed one. An agent names
 * target and number, and may not choose by them whose readers see the call.
 */
export function pullRequestOf(
  row: Pick<ApprovalRow, 'protocol' | 'tool' | 'target' | 'parameters'>,
  { repositories, pull_request }: Pick<GithubChannel, 'repositories' | 'pull_request'>,
): PullRequest | undefined {
  const subject = subjectOf(row);
  if (subject && repositories.some((pattern) => globMatches(pattern, subject.repository))) return subject;
  return pull_request === undefined ? undefined : parsePullRequest(pull_request);
}

function subjectOf({
  protocol,
  tool,
  target,
  parameters,
}: Parameters<typeof pullRequestOf>[0]): PullRequest | undefined {
  if (protocol !== 'git' || !repositoryPattern.test(target)) return undefined;
  const given = [parameters.pull_number, parameters.pullNumber, tool.includes('pull_request') && parameters.number];
  const number = given.find((value) => Number.isSafeInteger(value) && (value as number) > 0);
  return number === undefined ? undefined : { repository: target, number: number as number };
}

/** Of a comment's text, whatever the host makes of its line ends: who may write to a repository may edit comments of others. */
export const textDigest = (text: string): string => sha256(text.replace(/\r\n?/g, '\n').trim());

/** Twelve hex digits over the whole call and the commit: another call or another commit is another question. */
export const questionDigest = (row: Pick<ApprovalRow, 'call_digest'>, headSha: string): string =>
  sha256(canonicalize({ call_digest: row.call_digest, head_sha: headSha }), hashDomain.question).slice(0, 12);

export const receiptOf = ({ at, ...rest }: Notice): Record<string, string> => ({
  repository: at.repository,
  number: String(at.number),
  ...rest,
});

export function noticeOf(receipt: Readonly<Record<string, string>> | undefined): Notice | undefined {
  const { repository, number, comment_id, head_sha, text_sha256, whole } = receipt ?? {};
  if (!repository || !number || !comment_id || !head_sha || !text_sha256) return undefined;
  return {
    at: { repository, number: Number(number) },
    comment_id,
    head_sha,
    text_sha256,
    ...(whole === 'true' && { whole }),
  };
}
