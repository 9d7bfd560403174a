/** Calls to one repository of a Git host, over GitHub's REST API and those that follow it. */

import { repositoryPattern } from '#core/contracts/repository.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { ExecutionFault, harmless, refused } from '../fault.ts';
import { assertSuccess } from '../http/answer.ts';
import type { HttpExchange, IncomingAnswer } from '../ports.ts';

interface GitHost {
  /** Without slash at the end. */
  readonly apiUrl: string;
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
}

type Query = Readonly<Record<string, string | number | undefined>>;
export type Answer = Readonly<Record<string, unknown>>;

/** Paths are behind `/repos/owner/name`; their parts come encoded. */
export interface Repository {
  readonly name: string;
  read(path: string, query?: Query): Promise<Answer>;
  /** `more`: the host has further pages. */
  list(path: string, query?: Query): Promise<{ readonly items: readonly Answer[]; readonly more: boolean }>;
  /** Makes objects that are invisible until a branch points to them. */
  prepare(path: string, body: object): Promise<Answer>;
  /** Changes what others see: once per action, as its last call. */
  change(method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body: object): Promise<Answer>;
}

/** @throws ExecutionFault `refused` when the target is not a repository. */
export function repositoryName(target: string): string {
  if (repositoryPattern.test(target)) return target;
  throw refused('the target is not a repository', 'Name it as owner/name.');
}

export function repositoryAt(
  host: GitHost,
  name: string,
  token: string,
  exchange: HttpExchange,
  signal: AbortSignal | undefined,
): Repository {
  if (!/^[\x21-\x7e]+$/.test(token)) throw refused('the credential is not a token');
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
      const items = parsed(answer, false);
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

/** @param changed the host says it acted, so what it says beyond that cannot make it a failure. */
function objectOf(answer: IncomingAnswer, changed: boolean): Answer {
  const value = parsed(answer, changed);
  if (isObject(value)) return value;
  throw notPromised(changed);
}

function parsed({ body, truncated }: IncomingAnswer, changed: boolean): unknown {
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
  new ExecutionFault('malformed', 'its answer is not what the interface promises', {
    effect: changed ? 'unknown' : 'none',
  });
