/**
 * Accepts votes cast with Slack buttons: checks signature and identity, asks for confirmation in a dialog, then casts
 * the vote.
 */

import { currentTermsFinder } from '#core/actions/current-terms-finder.ts';
import { verifyingSecrets } from '#core/approvals/channel-secrets.ts';
import { channelsOf } from '#core/approvals/channels.ts';
import { assertUndecided, notWhole } from '#core/approvals/open-request.ts';
import { missingVotesText } from '#core/approvals/views.ts';
import { decideApproval } from '#core/approvals/vote.ts';
import { assertMayVote } from '#core/configuration/identity/separation-of-duties.ts';
import { separationOf } from '#core/configuration/identity/separation-rules.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { Callback } from '#core/operations/operation.ts';
import type { GatewayPorts } from '#core/operations/ports.ts';
import { openSlackView, respondToSlack, type SlackReply } from './client.ts';
import { confirmMessage, voteView } from './confirmation.ts';
import {
  parseSlackInteraction,
  type SlackClick,
  type SlackConfirmation,
  type SlackInteraction,
  verifySlackRequest,
} from './interaction.ts';
import { isWholeInSlack } from './message.ts';
import { slackVoter } from './voter.ts';

/** Callbacks are remembered for longer than the signature's window of five minutes in either direction. */
const replayMemoryMs = 15 * 60_000;

export const slackCallback: Callback = async (ports, request) => {
  const { configuration, ...snapshot } = await ports.snapshots.current();
  const slack = configuration.approvals.channels.slack;
  if (!slack || slack.enabled === false) throw notFound({ noun: 'Slack callback' });
  const rawBody = request.bytes();
  verifySlackRequest({
    rawBody,
    timestamp: request.header('x-slack-request-timestamp') ?? '',
    signature: request.header('x-slack-signature') ?? '',
    secrets: await verifyingSecrets(ports, 'The request', [
      slack.signing_secret_env,
      slack.previous_signing_secret_env,
    ]),
    nowSeconds: Math.floor(ports.clock.now() / 1000),
  });
  const interaction = parseSlackInteraction(rawBody, slack.api_url);
  const expiresAt = isoTime(ports.clock.now() + replayMemoryMs);
  if (!(await ports.deliveries.seen(`slack#${interaction.callback_id}`, expiresAt)))
    throw new GatewayError('conflict', 'This click was already processed; the message shows the outcome.');
  // Slack allows three seconds. An empty response makes no claim; dialog, vote and outcome follow [slack.confirmed].
  const finished = answer(ports, { ...snapshot, configuration }, interaction);
  return { body: '', contentType: 'text/plain', finished };
};

/** Handles the click. Never rejects: the person sees the outcome even if it could not be recorded. */
async function answer(ports: GatewayPorts, snapshot: Snapshot, interaction: SlackInteraction): Promise<void> {
  const { telemetry, notificationClients } = ports;
  const { envelope_id, response_url } = interaction;
  const reply = await replyTo(ports, snapshot, interaction).catch((cause: Error): SlackReply => {
    telemetry.log('error', 'a vote from Slack was not recorded', { envelope_id, error: cause.message });
    return {
      text: 'Not decided: the gateway could not record the vote. Check the message, and click again if the request is still pending.',
    };
  });
  if (!reply || response_url === undefined) return;
  await respondToSlack(notificationClients.sendJson, response_url, reply).catch((cause: Error) => {
    telemetry.log('warn', 'the reply to Slack was not sent', { envelope_id, error: cause.message });
  });
}

/**
 * Returns the reply to the person, or undefined if a dialog was opened. Refusals are replies too, because Slack does
 * not show error statuses.
 */
async function replyTo(
  ports: GatewayPorts,
  snapshot: Snapshot,
  interaction: SlackInteraction,
): Promise<SlackReply | undefined> {
  try {
    if (interaction.step === 'click') return await askToConfirm(ports, snapshot, interaction);
    return { text: await decide(ports, snapshot, interaction) };
  } catch (thrown) {
    const error = asGatewayError(thrown);
    if (error.kind.status >= 500) throw error;
    return { text: `Not decided: ${error.message}` };
  }
}

/**
 * Opens the dialog. If Slack does not open it, returns a message with a button that Slack asks the person to confirm
 * [slack.confirmed].
 */
async function askToConfirm(
  ports: GatewayPorts,
  snapshot: Snapshot,
  click: SlackClick,
): Promise<SlackReply | undefined> {
  const { row } = await votableRequest(ports, snapshot, click);
  assertUndecided(row);
  try {
    if (click.trigger_id === undefined) throw new Error('the click has no trigger_id');
    const { api_url: apiUrl, bot_token_env } = snapshot.configuration.approvals.channels.slack!;
    const token = await ports.secrets.get(bot_token_env);
    if (!token) throw new Error(`the secret ${bot_token_env} contains no value`);
    await openSlackView(ports.notificationClients.sendJson, { apiUrl, token }, click.trigger_id, voteView(row, click));
    return undefined;
  } catch (cause) {
    const { envelope_id } = row;
    ports.telemetry.log('warn', 'slack opened no dialog', { envelope_id, error: (cause as Error).message });
    return confirmMessage(row, click);
  }
}

/**
 * Returns the request and its voter. @throws GatewayError if the account may not vote on it, or may not approve it from
 * Slack.
 */
async function votableRequest(ports: GatewayPorts, snapshot: Snapshot, interaction: SlackInteraction) {
  const { team, user, envelope_id, verdict } = interaction;
  const row = await ports.approvals.find(envelope_id);
  const voter = slackVoter(snapshot, team, user, row?.tenant);
  if (!row) throw notFound(things.approval, envelope_id);
  assertMayVote(voter, row, snapshot.identities);
  if (verdict === 'approve' && !isWholeInSlack(row)) throw notWhole('the Slack message', row.envelope_id);
  return { row, voter };
}

/** Casts the vote, and describes the outcome. */
async function decide(ports: GatewayPorts, snapshot: Snapshot, confirmation: SlackConfirmation): Promise<string> {
  const { verdict, comment } = confirmation;
  const { row, voter } = await votableRequest(ports, snapshot, confirmation);
  const person = voter.person ?? voter.name;
  const decided = await decideApproval(ports, row, {
    verdict,
    person,
    terms: verdict === 'approve' ? await currentTermsFinder(ports, snapshot)(row) : undefined,
    separation: separationOf(snapshot.configuration, row, { person, role: voter.role }),
    key_id: voter.key_id,
    reviewer: voter.name,
    comment,
    channel: 'slack',
    channels: channelsOf(ports, snapshot.configuration, row),
    useSeconds: snapshot.configuration.approvals.timeout_seconds,
    denialLifetime: snapshot.configuration.approvals.denial_lifetime,
  });
  if (decided.status === 'pending')
    return `${decided.tool}: your approval counts. It needs ${missingVotesText(decided)}.`;
  return `${decided.tool}: ${decided.status} by ${decided.person}.`;
}
