/** The pull request on which an approval is requested. */
import type { ChannelLimits } from '#core/approvals/ports.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { type PullRequest, parsePullRequest, repositoryPattern } from '#core/contracts/repository.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import type { GithubChannel } from './section.ts';

/** Reports whether the channel has a pull request for the approval. */
export const hasPullRequest: ChannelLimits[string] = ({ approvals: { channels } }, row) =>
  channels.github !== undefined && pullRequestOf(row, channels.github) !== undefined;

/**
 * Returns the call's own pull request if the channel allows its repository, otherwise the channel's fixed one. Agents
 * choose the target and number, and must not thereby choose who sees the call.
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
