/** Calls to one repository of a Git host with GitHub's REST API or a compatible one. */

import { repositoryPattern } from '#core/contracts/repository.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { callRefused, ExecutionFault, harmless } from '../fault.ts';
import { assertSuccess } from '../http/answer.ts';
import type { HttpExchange, IncomingAnswer } from '../ports.ts';

interface GitHost {
  /** URL without a trailing slash. */
  readonly apiUrl: string;
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

type Query = Readonly<Record<string, string | number | undefined>>;
export type HostAnswer = Readonly<Record<string, unknown>>;

/** API of one repository. Paths are below `/repos/owner/name`, with encoded segments. */
export interface Repository {
  readonly name: string;
  read(path: string, query?: Query): Promise<HostAnswer>;
  /** Lists items. `more` is true if the host has additional pages. */
  list(path: string, query?: Query): Promise<{ readonly items: readonly HostAnswer[]; readonly more: boolean }>;
  /** Creates objects that are invisible until a branch points to them. */
  prepare(path: string, body: object): Promise<HostAnswer>;
  /** Makes a visible change. Called once per action, as its last call. */
  change(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body: object): Promise<HostAnswer>;
}

/** Returns the target as a repository name. @throws ExecutionFault `refused` if the target is not a repository name. */
export function repositoryName(target: string): string {
  if (repositoryPattern.test(target)) return target;
  throw callRefused('the target is not a repository', 'Name it as owner/name.');
}

export function repositoryAt(
  host: GitHost,
  name: string,
  token: string,
  exchange: HttpExchange,
  signal: AbortSignal | undefined,
): Repository {
  if (!/^[\x21-\x7e]+$/.test(token)) throw callRefused('the credential is not a token');
  const call = async (method: string, path: string, body?: object): Promise<IncomingAnswer> => {
    const request = {
      url: `${host.apiUrl}/repos/${name}${path}`,
      method,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'accept-encoding': 'identity',
        'user-agent': 'agent-governance-gateway',
        'x-github-api-version': '2022-11-28',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      allowPrivate: host.allowPrivate,
      timeoutMs: host.timeoutMs,
      maxResponseBytes: host.maxResponseBytes,
    };
    return exchange(request, signal);
  };
  const quiet = async (method: string, path: string, body?: object) => {
    const answer = await call(method, path, body).catch(harmless);
    assertSuccess(answer, false);
    return answer;
  };
  return {
    name,
    read: async (path, query) => objectOf(await quiet('GET', path + queryOf(query)), false),
    async list(path, query) {
      const answer = await quiet('GET', path + queryOf(query));
      const items = jsonOfAnswer(answer, false);
      if (!Array.isArray(items)) throw notPromised(false);
      return { items: items.filter(isObject), more: /rel="?next"?/.test(answer.headers.link ?? '') };
    },
    prepare: async (path, body) => objectOf(await quiet('POST', path, body), false),
    async change(method, path, body) {
      const answer = await call(method, path, body);
      assertSuccess(answer, true);
      return answer.status === 204 ? {} : objectOf(answer, true);
    },
  };
}

function queryOf(query: Query = {}): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.append(name, String(value));
  return given.size === 0 ? '' : `?${given}`;
}

/**
 * Parses an object. @param changed true if the host has already acted, in which case the effect of a malformed response
 * is unknown.
 */
function objectOf(answer: IncomingAnswer, changed: boolean): HostAnswer {
  const value = jsonOfAnswer(answer, changed);
  if (isObject(value)) return value;
  throw notPromised(changed);
}

function jsonOfAnswer({ body, truncated }: IncomingAnswer, changed: boolean): unknown {
  if (truncated)
    throw new ExecutionFault('too_large', 'its answer is longer than the limit', {
      effect: changed ? 'unknown' : 'none',
    });
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as unknown;
  } catch {
    throw notPromised(changed);
  }
}

const notPromised = (changed: boolean) =>
  new ExecutionFault('malformed', 'its answer does not have the documented form', {
    effect: changed ? 'unknown' : 'none',
  });
