/**
 * Pull requests as an approval channel: the target of a request, the binding of an approval, and the port of the Git
 * host.
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { GithubChannel } from '#core/contracts/config.ts';
import { type PullRequest, parsePullRequest, repositoryPattern } from '#core/contracts/repository.ts';
import { canonicalize, hashDomain, sha256 } from '#core/kernel/canonical.ts';
import { globMatches } from '#core/text/matching/glob.ts';

/** Git host for approvals. Every method throws `ServiceFault` if the host's answer is missing or invalid. */
export interface PullRequestHost {
  /** Returns the current head commit of the pull request, in lower-case hex. */
  head(at: PullRequest): Promise<string>;
  /** Writes a comment and returns its id. */
  comment(at: PullRequest, text: string): Promise<string>;
  /** Returns the current text of a comment; undefined if it was deleted. */
  textOf(repository: string, commentId: string): Promise<string | undefined>;
  rewrite(repository: string, commentId: string, text: string): Promise<void>;
  /** Returns the login's current permission at a repository: `admin`, `maintain`, `write`, `read` or `none`. */
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
 * Returns the call's own pull request if its repository is allowed by the channel, otherwise the channel's fixed one.
 * Agents choose target and number, and must not thereby choose who sees the call.
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

/**
 * Returns a digest of a comment's text that ignores line-end changes by the host. It detects edits, since people with
 * write access can edit others' comments.
 */
export const textDigest = (text: string): string => sha256(text.replace(/\r\n?/g, '\n').trim());

/** Returns twelve hex digits over the whole call and the commit, so that another call or commit is another question. */
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
