/** JSON calls to credential issuers, Git hosts and chat systems, and the faults found in their responses. */
import { type OutsideFaultKind, ServiceFault } from './fault.ts';

export interface ServiceCall {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly timeoutMs: number;
  /** @default 256 KiB */
  readonly longestAnswer?: number;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON object; undefined if the body is not an object. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/** Makes a call. Any status counts as a response. @throws ServiceFault `timeout`, `unreachable` */
export type SendJson = (call: ServiceCall) => Promise<ServiceAnswer>;

/** Returns the fault for an unwanted status, unless the issuer gives that status another meaning. */
export function statusFault(status: number, kind: OutsideFaultKind = faultKind(status)): ServiceFault {
  return new ServiceFault(kind, `status ${status}`, status);
}

function faultKind(status: number): OutsideFaultKind {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 429) return 'throttled';
  if (status >= 500) return 'unavailable';
  return status >= 400 ? 'rejected' : 'malformed';
}

/** Returns the headers for every call to GitHub's REST API. */
export const gitHostHeaders = (token: string) => ({
  accept: 'application/vnd.github+json',
  authorization: `Bearer ${token}`,
  'user-agent': 'agent-governance-gateway',
  'x-github-api-version': '2022-11-28',
});

/**
 * Returns the fault for a Git host's response. A 403 with no remaining calls, or with a wait time, does not mean that
 * the action was refused.
 */
export function gitHostFault({ status, headers }: ServiceAnswer): ServiceFault {
  const busy = headers.get('x-ratelimit-remaining') === '0' || headers.has('retry-after');
  return status === 403 && busy ? statusFault(status, 'throttled') : statusFault(status);
}
