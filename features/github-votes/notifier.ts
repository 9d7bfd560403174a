/** Requests approvals on pull requests. */
import { secretOfChannel } from '#core/approvals/channel-secrets.ts';
import type { Notifier } from '#core/approvals/notifications/deliver-ports.ts';
import type { CreateNotifier } from '../feature.ts';
import { type PullRequestHost, pullRequestHost } from './host.ts';
import { noticeOf, receiptOf, textDigest } from './notice.ts';
import { pullRequestOf } from './pull-request.ts';
import { isWholeInComment, pullRequestComment } from './pull-request-comment.ts';
import type { GithubChannel } from './section.ts';

export const notifier: CreateNotifier = async (ports, { approvals }) => {
  const { github } = approvals.channels;
  if (!github?.enabled) return undefined;
  const token = await secretOfChannel(ports, github.token_env);
  return pullRequestNotifier({
    host: pullRequestHost(ports.notificationClients.sendJson, { apiUrl: github.api_url, token, timeoutMs: 10_000 }),
    channel: github,
    linkBase: github.link_base ?? ports.adminUrl,
  });
};

interface PullRequestOptions {
  readonly host: PullRequestHost;
  readonly channel: Pick<GithubChannel, 'repositories' | 'pull_request'>;
  /** Base URL for links in comments. */
  readonly linkBase: string;
}

/** Returns the notifier. It writes one comment per approval and rewrites the comment when a decision is made. */
export function pullRequestNotifier({ host, channel, linkBase }: PullRequestOptions): Notifier {
  return {
    async send(_event, row, earlier, place) {
      const asked = noticeOf(earlier);
      if (asked) {
        const { at, comment_id, head_sha } = asked;
        await host.rewrite(at.repository, comment_id, pullRequestComment(row, head_sha, linkBase, place));
        return receiptOf(asked);
      }
      const at = pullRequestOf(row, channel);
      if (!at) throw new Error('no pull request is configured for this approval');
      // Read first: a push between the two only invalidates the question, and the reply lines stay correct.
      const head_sha = await host.head(at);
      const text = pullRequestComment(row, head_sha, linkBase, place);
      const comment_id = await host.comment(at, text);
      const whole = isWholeInComment(row, head_sha, linkBase);
      return receiptOf({ at, comment_id, head_sha, text_sha256: textDigest(text), ...(whole && { whole: 'true' }) });
    },
  };
}
