/** Accepts votes by pull-request comment: checks the signature, checks the comment, then counts the vote. */

import { currentTermsFinder } from '#core/actions/current-terms-finder.ts';
import { verifyingSecrets } from '#core/approvals/channel-secrets.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import type { Callback } from '#core/operations/operation.ts';
import type { GatewayPorts } from '#core/operations/ports.ts';
import { voteByComment } from './comment-vote.ts';
import { parseGithubDelivery, verifyGithubDelivery } from './delivery.ts';
import { pullRequestHost } from './host.ts';
import { replyComment } from './pull-request-comment.ts';
import type { GithubChannel } from './section.ts';

/**
 * Limit per request: GitHub allows ten seconds in total, for two concurrent requests and perhaps a reply to the author.
 */
const timeoutMs = 4_000;

export const githubCallback: Callback = async (ports, request) => {
  const snapshot = await ports.snapshots.current();
  const { github } = snapshot.configuration.approvals.channels;
  if (!github?.enabled) throw notFound({ noun: 'pull-request callback' });
  const rawBody = request.bytes();
  verifyGithubDelivery({
    rawBody,
    signature: request.header('x-hub-signature-256') ?? '',
    secrets: await verifyingSecrets(ports, 'The delivery', [
      github.webhook_secret_env,
      github.previous_webhook_secret_env,
    ]),
  });
  const body = request.json();
  const kind = request.header('x-github-event') ?? '';
  if (kind === 'ping') return { body: { text: 'pong' } };
  const written = parseGithubDelivery(kind, body);
  if ('ignored' in written) return { status: 202, body: written };

  const token = await tokenOf(ports, github);
  const host = pullRequestHost(ports.notificationClients.sendJson, { apiUrl: github.api_url, token, timeoutMs });
  const heard = await voteByComment(
    { ...ports, host, termsNow: currentTermsFinder(ports, snapshot) },
    snapshot,
    written,
  );
  if (!heard) return { status: 202, body: { ignored: 'the comment contains no command' } };
  const { decided, text, known } = heard;
  if (!decided && known) {
    await host.comment(written, replyComment(written.login, text)).catch((cause: Error) =>
      ports.telemetry.log('warn', 'the reply to a comment was not posted', {
        comment: written.id,
        error: cause.message,
      }),
    );
  }
  return { body: { text } };
};

async function tokenOf({ secrets }: GatewayPorts, { token_env }: GithubChannel): Promise<string> {
  const token = await secrets.get(token_env);
  if (!token)
    throw new GatewayError(
      'service_unavailable',
      `The secret ${token_env} (approvals.channels.github.token_env) contains no value. Set it to a token of the Git host.`,
    );
  return token;
}
