/**
 * Comments on pull requests at a Git host, over GitHub's REST API: one comment per approval, rewritten once it is
 * decided.
 */

import { DeliveryRefused } from '#core/approvals/notifications/deliver.ts';
import type {
  Notifier,
  PullRequestHostOptions,
  PullRequestOptions,
} from '#core/approvals/notifications/deliver-ports.ts';
import { isWholeInComment, pullRequestComment } from '#core/approvals/pull-request-comment.ts';
import { noticeOf, type PullRequestHost, pullRequestOf, receiptOf, textDigest } from '#core/approvals/pull-requests.ts';
import { ServiceFault } from '#core/execution/credentials/fault.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { gitHostFault, gitHostHeaders } from './git-host.ts';
import { retryAfterSeconds } from './retry-after.ts';
import { type ServiceAnswer, type ServiceCall, serviceJson } from './service-json.ts';

/** Maximum size of an answer, which contains the pull request's text and both repositories. */
const longestAnswer = 2 * 1024 * 1024;

export function pullRequestHost({ apiUrl, token, timeoutMs }: PullRequestHostOptions): PullRequestHost {
  const call = (method: ServiceCall['method'], path: string, body?: object): Promise<ServiceAnswer> =>
    serviceJson({
      url: `${apiUrl.replace(/\/+$/, '')}/repos/${path}`,
      method,
      headers: gitHostHeaders(token),
      ...(body && { body }),
      timeoutMs,
      longestAnswer,
    });
  return {
    async head({ repository, number }) {
      const { head } = expected(200, await call('GET', `${repository}/pulls/${number}`));
      if (isObject(head) && typeof head.sha === 'string' && /^[0-9a-f]{40,64}$/.test(head.sha)) return head.sha;
      throw malformed('a pull request without the commit at its head');
    },

    async comment({ repository, number }, text) {
      const { id } = expected(201, await call('POST', `${repository}/issues/${number}/comments`, { body: text }));
      if (Number.isSafeInteger(id)) return String(id);
      throw malformed('a comment without id');
    },

    async textOf(repository, commentId) {
      const answer = await call('GET', `${repository}/issues/comments/${commentId}`);
      if (answer.status === 404) return undefined;
      const { body } = expected(200, answer);
      if (typeof body === 'string') return body;
      throw malformed('a comment without text');
    },

    async rewrite(repository, commentId, text) {
      expected(200, await call('PATCH', `${repository}/issues/comments/${commentId}`, { body: text }));
    },

    async permission(repository, login) {
      const answer = await call('GET', `${repository}/collaborators/${encodeURIComponent(login)}/permission`);
      if (answer.status === 404) return 'none';
      const { permission } = expected(200, answer);
      if (typeof permission === 'string' && /^[a-z]{1,20}$/.test(permission)) return permission;
      throw malformed('no permission');
    },
  };
}

const malformed = (what: string) => new ServiceFault('malformed', what);

function expected(status: number, answer: ServiceAnswer): Readonly<Record<string, unknown>> {
  if (answer.status === status && answer.body) return answer.body;
  const wait = secondsToWait(answer);
  const fault = gitHostFault(answer);
  throw wait === undefined ? fault : new DeliveryRefused(`the Git host says ${fault.message}`, wait);
}

/** Returns the wait from `Retry-After`, or until the hourly limit resets. */
function secondsToWait({ status, headers }: ServiceAnswer): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const now = Date.now();
  const asked = retryAfterSeconds(headers, now);
  if (asked !== undefined || headers.get('x-ratelimit-remaining') !== '0') return asked;
  const left = Math.ceil(Number(headers.get('x-ratelimit-reset')) - now / 1000);
  return left > 0 ? left : undefined;
}

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
      // Read first: a push between the two only voids the question, and the answer stays right.
      const head_sha = await host.head(at);
      const text = pullRequestComment(row, head_sha, linkBase, place);
      const comment_id = await host.comment(at, text);
      const whole = isWholeInComment(row, head_sha, linkBase);
      return receiptOf({ at, comment_id, head_sha, text_sha256: textDigest(text), ...(whole && { whole: 'true' }) });
    },
  };
}
