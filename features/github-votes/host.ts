/** Pull requests on a Git host, through GitHub's REST API. */
import { DeliveryRefusal } from '#core/approvals/notifications/deliver.ts';
import type { PullRequest } from '#core/contracts/repository.ts';
import { ServiceFault } from '#core/execution/credentials/fault.ts';
import {
  gitHostFault,
  gitHostHeaders,
  type SendJson,
  type ServiceAnswer,
  type ServiceCall,
} from '#core/execution/credentials/service.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { retryAfterSeconds } from '#core/kernel/retry-after.ts';

/** Git host for approvals. Every method throws `ServiceFault` if the host's response is missing or invalid. */
export interface PullRequestHost {
  /** Returns the current head commit of the pull request, in lower-case hex. */
  head(at: PullRequest): Promise<string>;
  /** Writes a comment and returns its id. */
  comment(at: PullRequest, text: string): Promise<string>;
  /** Returns the current text of a comment, or undefined if it was deleted. */
  textOf(repository: string, commentId: string): Promise<string | undefined>;
  rewrite(repository: string, commentId: string, text: string): Promise<void>;
  /** Returns the user's current permission on a repository: `admin`, `maintain`, `write`, `read` or `none`. */
  permission(repository: string, login: string): Promise<string>;
}

/** Maximum size of a response, which contains the pull request's text and both repositories. */
const longestAnswer = 2 * 1024 * 1024;

export function pullRequestHost(
  send: SendJson,
  { apiUrl, token, timeoutMs }: { readonly apiUrl: string; readonly token: string; readonly timeoutMs: number },
): PullRequestHost {
  const call = (method: ServiceCall['method'], path: string, body?: object): Promise<ServiceAnswer> =>
    send({
      url: `${apiUrl.replace(/\/+$/, '')}/repos/${path}`,
      method,
      headers: gitHostHeaders(token),
      ...(body && { body }),
      timeoutMs,
      longestAnswer,
    });
  return {
    async head({ repository, number }) {
      const { head } = checkStatus(200, await call('GET', `${repository}/pulls/${number}`));
      if (isObject(head) && typeof head.sha === 'string' && /^[0-9a-f]{40,64}$/.test(head.sha)) return head.sha;
      throw malformed('a pull request without the commit at its head');
    },

    async comment({ repository, number }, text) {
      const { id } = checkStatus(201, await call('POST', `${repository}/issues/${number}/comments`, { body: text }));
      if (Number.isSafeInteger(id)) return String(id);
      throw malformed('a comment without id');
    },

    async textOf(repository, commentId) {
      const answer = await call('GET', `${repository}/issues/comments/${commentId}`);
      if (answer.status === 404) return undefined;
      const { body } = checkStatus(200, answer);
      if (typeof body === 'string') return body;
      throw malformed('a comment without text');
    },

    async rewrite(repository, commentId, text) {
      checkStatus(200, await call('PATCH', `${repository}/issues/comments/${commentId}`, { body: text }));
    },

    async permission(repository, login) {
      const answer = await call('GET', `${repository}/collaborators/${encodeURIComponent(login)}/permission`);
      if (answer.status === 404) return 'none';
      const { permission } = checkStatus(200, answer);
      if (typeof permission === 'string' && /^[a-z]{1,20}$/.test(permission)) return permission;
      throw malformed('no permission');
    },
  };
}

const malformed = (what: string) => new ServiceFault('malformed', what);

function checkStatus(status: number, answer: ServiceAnswer): Readonly<Record<string, unknown>> {
  if (answer.status === status && answer.body) return answer.body;
  const wait = secondsToWait(answer);
  const fault = gitHostFault(answer);
  throw wait === undefined ? fault : new DeliveryRefusal(`the Git host says ${fault.message}`, wait);
}

/** Returns the wait time from `Retry-After`, or the time until the hourly limit resets. */
function secondsToWait({ status, headers }: ServiceAnswer): number | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const now = Date.now();
  const asked = retryAfterSeconds(headers, now);
  if (asked !== undefined || headers.get('x-ratelimit-remaining') !== '0') return asked;
  const left = Math.ceil(Number(headers.get('x-ratelimit-reset')) - now / 1000);
  return left > 0 ? left : undefined;
}
