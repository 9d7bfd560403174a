/** Pull requests as a Git host stores them: heads, comments, permissions; and the webhook deliveries for comments. */
import { createHmac } from 'node:crypto';
import { type LoopbackAnswer, type LoopbackCall, loopback } from './loopback.ts';

interface FakeComment {
  readonly id: number;
  /** `owner/name#number` */
  readonly on: string;
  body: string;
}

export const [headSha, pushedSha] = ['a'.repeat(40), 'b'.repeat(40)] as const;

export async function fakePullRequests(token: string) {
  /** By `owner/name#number`. */
  const heads = new Map<string, string>();
  /** Permissions, keyed by `owner/name login`. */
  const permissions = new Map<string, string>();
  const comments: FakeComment[] = [];
  /** Ids are never reused, even if a test clears its comments. */
  let next = 1000;

  /** Response to every request while the host is out of order. */
  const outage: { instead?: LoopbackAnswer | undefined } = {};

  const server = await loopback((call) => {
    if (outage.instead) return outage.instead;
    if (call.headers.authorization !== `Bearer ${token}`) return message(401, 'Bad credentials');
    const [, repository = '', rest = ''] = /^\/repos\/([^/]+\/[^/]+)\/(.*)$/.exec(call.path) ?? [];
    return answerOf(call, repository, rest);
  });

  function answerOf({ method, body }: LoopbackCall, repository: string, rest: string): LoopbackAnswer {
    const [collection = '', name = '', leaf = ''] = rest.split('/');
    const on = `${repository}#${name}`;
    if (method === 'GET' && collection === 'pulls' && heads.has(on)) {
      return { status: 200, body: { number: Number(name), head: { sha: heads.get(on), ref: 'change' } } };
    }
    if (method === 'GET' && collection === 'collaborators' && leaf === 'permission') {
      const permission = permissions.get(`${repository} ${name}`);
      return permission ? { status: 200, body: { permission, user: { login: name } } } : message(404, 'Not Found');
    }
    const text = body === '' ? '' : (JSON.parse(body) as { body: string }).body;
    if (method === 'POST' && collection === 'issues' && leaf === 'comments' && heads.has(on)) {
      if (text.length > 65_536) return message(422, 'Body is too long (maximum is 65536 characters)');
      comments.push({ id: next++, on, body: text });
      return { status: 201, body: comments.at(-1) };
    }
    const known = comments.find(({ id }) => rest === `issues/comments/${id}`);
    if (!known || !['GET', 'PATCH'].includes(method)) return message(404, 'Not Found');
    if (method === 'PATCH') known.body = text;
    return { status: 200, body: known };
  }

  return Object.assign(outage, server, { heads, permissions, comments });
}

const message = (status: number, text: string): LoopbackAnswer => ({ status, body: { message: text } });

export interface Written {
  readonly text: string;
  readonly id: number;
  readonly login?: string;
  readonly repository?: string;
  readonly number?: number;
  /** Fields that override those in the payload. */
  readonly over?: Readonly<Record<string, unknown>>;
  readonly commentOver?: Readonly<Record<string, unknown>>;
}

/** Returns a payload of `issue_comment`, including some fields that the gateway does not read. */
export function commentPayload({
  text,
  id,
  login = 'Alice-GH',
  repository = 'acme/web',
  number = 7,
  ...given
}: Written) {
  const user = { login, id: 1, type: 'User', site_admin: false };
  return {
    action: 'created',
    issue: { number, title: 'Fix login', pull_request: { url: 'https://host.test/pulls/7' }, user },
    comment: {
      id,
      body: text,
      user,
      author_association: 'MEMBER',
      performed_via_github_app: null,
      ...given.commentOver,
    },
    repository: { id: 2, full_name: repository, private: true },
    sender: user,
    ...given.over,
  };
}

/** Returns the headers of a delivery whose body is `raw`. */
export const deliveryHeaders = (raw: string, secret: string, event = 'issue_comment') => ({
  'content-type': 'application/json',
  'x-github-event': event,
  'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`,
});
