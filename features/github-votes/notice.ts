/** The question posted on a pull request: the data to which it is bound, and the part that is stored. */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { PullRequest } from '#core/contracts/repository.ts';
import { canonicalize, hashDomain, sha256 } from '#core/kernel/canonical.ts';

/** The question and its commit, stored as the delivery receipt. */
export interface Notice {
  readonly at: PullRequest;
  readonly comment_id: string;
  readonly head_sha: string;
  readonly text_sha256: string;
  /** Set if the question shows the whole call. Only then may the call be approved. */
  readonly whole?: 'true';
}

/**
 * Returns a digest of a comment's text that is unaffected when the host changes line endings. It detects edits, because
 * people with write access can edit other people's comments.
 */
export const textDigest = (text: string): string => sha256(text.replace(/\r\n?/g, '\n').trim());

/**
 * Returns twelve hex digits computed from the whole call and the commit, so that a different call or commit is a
 * different question.
 */
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
