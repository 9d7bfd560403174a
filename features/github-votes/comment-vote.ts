/**
 * Counts votes by pull-request comment after checking the author, the pull request and the commit. The Git host is
 * queried before the comment is marked as processed, so that the comment can be redelivered after an outage.
 */

import { channelsOf } from '#core/approvals/channels.ts';
import { DeliveryRefusal } from '#core/approvals/notifications/deliver.ts';
import { deliveryId } from '#core/approvals/notifications/enqueue.ts';
import { assertUndecided, notWhole } from '#core/approvals/open-request.ts';
import type { VotePorts } from '#core/approvals/ports.ts';
import type { FindCurrentTerms } from '#core/approvals/terms.ts';
import { missingVotesText } from '#core/approvals/views.ts';
import { decideApproval } from '#core/approvals/vote.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import { assertMayVote } from '#core/configuration/identity/separation-of-duties.ts';
import { separationOf } from '#core/configuration/identity/separation-rules.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { pullRequestName, samePullRequest } from '#core/contracts/repository.ts';
import { ServiceFault } from '#core/execution/credentials/fault.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type CommentCommand, commandIn } from './comment-command.ts';
import type { WrittenComment } from './delivery.ts';
import type { PullRequestHost } from './host.ts';
import { type Notice, noticeOf, questionDigest, textDigest } from './notice.ts';
import { githubVoter, personByGithubLogin } from './voter.ts';

interface CommentVotePorts extends VotePorts {
  readonly host: PullRequestHost;
  /** Finds the current terms of a pending request. */
  readonly termsNow: FindCurrentTerms;
}

interface CommentOutcome {
  readonly decided: boolean;
  /** Result of the vote, sent to the comment's author. */
  readonly text: string;
  /** True if this gateway knows both the author and the approval. Only then does the author get a reply. */
  readonly known: boolean;
}

/**
 * Period for which a comment is remembered. The host's signatures contain no time, so this must be longer than its
 * approval can stay pending.
 */
const memoryMs = 15 * 60_000;
const mayWrite = ['write', 'maintain', 'admin'];

/**
 * Counts a comment as a vote, or returns the reason why it was not counted. Returns undefined if it contains no
 * command.
 * @throws GatewayError `conflict` for a comment that was already processed; `service_unavailable` if the Git host
 * cannot be queried.
 */
export async function voteByComment(
  ports: CommentVotePorts,
  snapshot: Snapshot,
  written: WrittenComment,
): Promise<CommentOutcome | undefined> {
  const command = commandIn(written.text);
  if (!command) return undefined;
  const row = await ports.approvals.find(command.envelope_id);
  const vote = await orRefusal(checkedVote(ports, snapshot, written, row, command.read));
  await takeOnce(ports, written, row);
  const outcome = vote instanceof GatewayError ? vote : await orRefusal(countVote(ports, snapshot, written, vote));
  // Another gateway on the same pull request may know the author or approval even if this one does not.
  const known = row !== undefined && personByGithubLogin(snapshot, written.login) !== undefined;
  if (outcome instanceof GatewayError) return { decided: false, text: `Not decided: ${outcome.message}`, known };
  const text =
    outcome.status === 'pending'
      ? `${outcome.tool}: the approval counts. It needs ${missingVotesText(outcome)}.`
      : `${outcome.tool}: ${outcome.status} by ${outcome.person}.`;
  return { decided: true, text, known };
}

interface CheckedVote {
  readonly row: ApprovalRow;
  readonly voter: Principal;
  readonly command: CommentCommand;
  readonly notice: Notice;
}

/**
 * Runs all checks on the vote, starting with those on the person, so that strangers learn nothing about the approval.
 */
async function checkedVote(
  ports: CommentVotePorts,
  snapshot: Snapshot,
  written: WrittenComment,
  row: ApprovalRow | undefined,
  read: () => CommentCommand,
): Promise<CheckedVote> {
  const voter = githubVoter(snapshot, written.login, row?.tenant);
  const command = read();
  if (!row) throw notFound(things.approval, command.envelope_id);
  assertMayVote(voter, row, snapshot.identities);
  assertUndecided(row);
  const notice = await noticeHere(ports, written, row);
  if (command.digest !== undefined && command.digest !== questionDigest(row, notice.head_sha)) {
    throw new GatewayError(
      'conflict',
      'The digest in the comment does not match the call and the commit of the question on this pull request. Copy the command from the newest question.',
    );
  }
  if (command.verdict === 'approve' && notice.whole === undefined) throw notWhole('the question', row.envelope_id);
  await assertStanding(ports.host, notice, written.login, command.verdict);
  return { row, voter, command, notice };
}

async function noticeHere(ports: CommentVotePorts, written: WrittenComment, row: ApprovalRow): Promise<Notice> {
  const submitted = await ports.deliveries.get(deliveryId(row.envelope_id, 'submitted', 'github'));
  const notice = noticeOf(submitted?.receipt);
  if (notice && samePullRequest(notice.at, written)) return notice;
  throw new GatewayError(
    'forbidden',
    `Approval ${row.envelope_id} was not requested on this pull request. Comment where it was requested, or vote with agentctl.`,
  );
}

/**
 * Checks the voter's permission, the commit and the question. All responses are fetched before any check, so that an
 * outage is not mistaken for a refusal.
 */
async function assertStanding(
  host: PullRequestHost,
  notice: Notice,
  login: string,
  verdict: CommentCommand['verdict'],
): Promise<void> {
  const { at, comment_id } = notice;
  const [permission, question] = await readFrom(
    Promise.all([
      host.permission(at.repository, login),
      // Only approvals are bound to the commit and the question.
      verdict === 'approve' && Promise.all([host.head(at), host.textOf(at.repository, comment_id)]),
    ]),
  );
  if (!mayWrite.includes(permission)) {
    throw new GatewayError(
      'forbidden',
      `Found permission ${permission} at ${at.repository}; allowed to vote: ${mayWrite.join(', ')}.`,
    );
  }
  if (question) assertUnchanged(notice, ...question);
}

function assertUnchanged({ head_sha, text_sha256 }: Notice, head: string, text: string | undefined): void {
  if (head !== head_sha) {
    throw voteConflict(
      `The question is about commit ${head_sha}, but the pull request is at ${head} now: a push voids the question.`,
    );
  }
  if (text === undefined) throw voteConflict('The question has been deleted since it was asked.');
  if (textDigest(text) !== text_sha256)
    throw voteConflict('The question has been edited since it was asked: it may have shown another call.');
}

const voteConflict = (why: string) =>
  new GatewayError('conflict', `${why} Deny it, or decide over HTTP or with agentctl.`);

/**
 * Waits for the host's response. If there is none, the vote is not counted and the comment is not marked as processed,
 * so it can be redelivered.
 */
async function readFrom<T>(host: Promise<T>): Promise<T> {
  try {
    return await host;
  } catch (cause) {
    const known = cause instanceof ServiceFault || cause instanceof DeliveryRefusal;
    throw new GatewayError(
      'service_unavailable',
      `The Git host did not answer (${known ? cause.message : 'it failed'}). Have the comment delivered again.`,
      { cause, ...(cause instanceof DeliveryRefusal && { retryAfterSeconds: cause.retryAfterSeconds }) },
    );
  }
}

/** Marks the comment as processed. @throws GatewayError `conflict` if it already was. */
async function takeOnce(ports: CommentVotePorts, { id }: WrittenComment, row: ApprovalRow | undefined): Promise<void> {
  const latest = Math.max(ports.clock.now(), Date.parse(row?.expires_at ?? '') || 0);
  if (await ports.deliveries.seen(`github#${id}`, isoTime(latest + memoryMs))) return;
  throw new GatewayError(
    'conflict',
    'This comment was already processed, and its outcome stands. Write another comment to vote again.',
  );
}

const countVote = async (
  ports: CommentVotePorts,
  { configuration }: Snapshot,
  written: WrittenComment,
  { row, voter, command, notice }: CheckedVote,
): Promise<ApprovalRow> =>
  decideApproval(ports, row, {
    verdict: command.verdict,
    terms: command.verdict === 'approve' ? await ports.termsNow(row) : undefined,
    person: voter.person ?? voter.name,
    separation: separationOf(configuration, row, { person: voter.person ?? voter.name, role: voter.role }),
    key_id: voter.key_id,
    reviewer: voter.name,
    comment: command.comment,
    channel: 'github',
    given_on: { pull_request: pullRequestName(notice.at), comment_id: written.id, head_sha: notice.head_sha },
    channels: channelsOf(ports, configuration, row),
    useSeconds: configuration.approvals.timeout_seconds,
    denialLifetime: configuration.approvals.denial_lifetime,
  });

/** Returns a refusal as a value. Errors of the gateway or the host are thrown. */
async function orRefusal<T>(work: Promise<T>): Promise<T | GatewayError> {
  try {
    return await work;
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.kind.status < 500) return thrown;
    throw thrown;
  }
}
