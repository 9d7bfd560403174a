/** Votes by Slack button: signature first, then identity, then the vote. */

import { currentTermsFinder } from '#core/actions/current-terms-finder.ts';
import { channelsOf } from '#core/approvals/channels.ts';
import { notWhole } from '#core/approvals/open-request.ts';
import { parseSlackInteraction, type SlackInteraction, verifySlackRequest } from '#core/approvals/slack.ts';
import { isWholeInSlack } from '#core/approvals/slack-message.ts';
import { missingVotesText } from '#core/approvals/views.ts';
import { decideApproval } from '#core/approvals/vote.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { HttpEvent, HttpReply } from '#core/contracts/http.ts';
import { assertMayVote, slackVoter } from '#core/identity/separation-of-duties.ts';
import { separationOf } from '#core/identity/separation-rules.ts';
import { asGatewayError, GatewayError } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { boundedBody, headerOf } from '../middleware/body.ts';
import type { GatewayPorts } from '../ports.ts';
import { verifyingSecrets } from './verifying-secrets.ts';

/** The signature's window is five minutes either way; a callback is remembered for longer than that. */
const replayMemoryMs = 15 * 60_000;

export async function slackCallback(ports: GatewayPorts, event: HttpEvent): Promise<HttpReply> {
  const { configuration, ...snapshot } = await ports.snapshots.current();
  const slack = configuration.approvals.channels.slack;
  if (!slack || slack.enabled === false) throw notFound('slack_callback');
  const rawBody = boundedBody(event, 'slackCallback');
  verifySlackRequest({
    rawBody,
    timestamp: headerOf(event, 'x-slack-request-timestamp') ?? '',
    signature: headerOf(event, 'x-slack-signature') ?? '',
    secrets: await verifyingSecrets(ports, 'The request', [
      slack.signing_secret_env,
      slack.previous_signing_secret_env,
    ]),
    nowSeconds: Math.floor(ports.clock.now() / 1000),
  });
  const click = parseSlackInteraction(rawBody, slack.api_url);
  if (!(await ports.deliveries.seen(`slack#${click.callback_id}`, isoTime(ports.clock.now() + replayMemoryMs)))) {
    throw new GatewayError('conflict', 'This click was already taken; the message shows the outcome.');
  }
  // Slack waits three seconds, and an empty answer claims nothing: the vote and its outcome follow [slack.acknowledged-first].
  return { statusCode: 200, headers: {}, body: '', finished: decide(ports, { ...snapshot, configuration }, click) };
}

/** Never rejects: the clicker reads what became of the click, also where it could not be recorded. */
async function decide(ports: GatewayPorts, snapshot: Snapshot, click: SlackInteraction): Promise<void> {
  const { telemetry, notificationClients } = ports;
  const { envelope_id, response_url } = click;
  const said = (message: string) => (cause: Error) =>
    telemetry.log('warn', message, { envelope_id, error: cause.message });
  const text = await outcomeOf(ports, snapshot, click).catch((cause: Error) => {
    telemetry.log('error', 'a vote by Slack was not recorded', { envelope_id, error: cause.message });
    return 'Not decided: the gateway could not record the vote. Look at the message, and click again if it still waits.';
  });
  if (response_url !== undefined)
    await notificationClients.respondToSlack(response_url, text).catch(said('slack was not answered'));
}

/** What the clicker reads. Refusals are answers too: Slack shows nothing of an error status. */
async function outcomeOf(ports: GatewayPorts, snapshot: Snapshot, click: SlackInteraction): Promise<string> {
  try {
    const row = await ports.approvals.find(click.envelope_id);
    const voter = slackVoter(snapshot, click.team, click.user, row?.tenant);
    if (!row) throw notFound('approval', click.envelope_id);
    assertMayVote(voter, row, snapshot.identities);
    if (click.action === 'approve' && !isWholeInSlack(row)) throw notWhole('the Slack message', row.envelope_id);
    const person = voter.person ?? voter.name;
    const decided = await decideApproval(ports, row, {
      verdict: click.action,
      person,
      terms: click.action === 'approve' ? await currentTermsFinder(ports, snapshot)(row) : undefined,
      separation: separationOf(snapshot.configuration, row, { person, role: voter.role }),
      key_id: voter.key_id,
      reviewer: voter.name,
      comment: '',
      channel: 'slack',
      channels: channelsOf(snapshot.configuration, row),
      useSeconds: snapshot.configuration.approvals.timeout_seconds,
      denialLifetime: snapshot.configuration.approvals.denial_lifetime,
    });
    if (decided.status === 'pending')
      return `${decided.tool}: your approval counts. It needs ${missingVotesText(decided)}.`;
    return `${decided.tool}: ${decided.status} by ${decided.person}.`;
  } catch (thrown) {
    const error = asGatewayError(thrown);
    if (error.kind.status >= 500) throw error;
    return `Not decided: ${error.message}`;
  }
}
