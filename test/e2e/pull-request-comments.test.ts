/** A Git host beside a real local run: the question on the pull request, and votes that come back by webhook. */
import { fakePullRequests, headSha, pushedSha } from '../support/fake-pull-requests.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Comment, pullRequestComment } from './channels.ts';
import { ask, configurationWith, decided, exportOf, pullRequest, until } from './client.ts';

let host: Awaited<ReturnType<typeof fakePullRequests>>;
let gateway: Gateway;
let url: string;
let writes = 5000;
const ruleOfTheFile = '{ protocol: git, tool: scm.update_pull_request, decision: review }';

beforeAll(async () => {
  host = await fakePullRequests('host-token-value');
  host.permissions.set('acme/web Alice-GH', 'write');
  for (const number of [7, 8, 9]) host.heads.set(`acme/web#${number}`, headSha);
  const channels = `approvals:
  channels:
    github: { token_env: HOST_TOKEN, webhook_secret_env: HOST_WEBHOOK, repositories: [acme/web], api_url: "${host.url}" }
`;
  gateway = await startGateway({
    config: configurationWith(
      (yaml) =>
        yaml
          .replace('id: alice, role: operator', 'id: alice, role: operator, github_login: alice-gh')
          .replace('  rules:\n', `  rules:\n    - ${ruleOfTheFile}\n`) + channels,
    ),
    env: { HOST_TOKEN: 'host-token-value', HOST_WEBHOOK: 'webhook-secret' },
  });
  url = gateway.ready.admin_url;
});
afterAll(async () => {
  await gateway?.stop();
  await host?.stop();
});

/** A change to a pull request; answers its approval once the question stands there. */
async function asked(session: string, number: number, key = 'e2e-agent'): Promise<string> {
  const action = {
    ...pullRequest(session),
    tool: 'scm.update_pull_request',
    parameters: { number, title: 'Fix login' },
  };
  const { envelope_id } = await decided(url, key, action);
  const question = await until('the question', async () =>
    host.comments.find(({ body }) => body.includes(envelope_id)),
  );
  expect(question.on).toBe(`acme/web#${number}`);
  return envelope_id;
}

const comment = (text: string, number: number, more: Partial<Pick<Comment, 'id' | 'login' | 'secret'>> = {}) =>
  pullRequestComment(url, { text, number, id: ++writes, ...more });

/** The receipt of the question is written after the comment: until then the gateway does not know where it asked. */
const settled = (text: string, number: number) =>
  until('a vote', async () => {
    const { body } = await comment(text, number);
    return body.text?.includes('not requested on this pull request') ? undefined : body.text;
  });
const statusOf = async (id: string) =>
  (await ask(url, 'GET', `/admin/v1/approvals/${id}`, { key: 'e2e-bob' })).body.status;

test('[approval.pr-comment] [pr-comment.place] [approval.card-place] a request is asked on its pull request, approved there, used, and the question rewritten', async () => {
  const id = await asked('comment-vote', 7);
  const { rule } = (
    await ask<{ rule: { place?: string } }>(url, 'GET', `/admin/v1/approvals/${id}`, { key: 'e2e-bob' })
  ).body;
  expect(rule.place).toMatch(/^gateway\.yaml:\d+$/);
  const asking = host.comments.find(({ body }) => body.includes(id));
  expect(asking?.body).toContain(`\nRule at    ${rule.place}\n`);
  expect(await settled(`/approve ${id}`, 7)).toBe('scm.update_pull_request: approved by alice.');
  expect(await statusOf(id)).toBe('approved');
  const { entries } = await exportOf(url, 'e2e-bob', 'comment-vote');
  expect(entries.at(-1)).toMatchObject({
    kind: 'approve',
    body: { person: 'alice', channel: 'github', given_on: { pull_request: 'acme/web#7', head_sha: headSha } },
  });
  const question = await until('the rewritten question', async () =>
    host.comments.find(({ on, body }) => on === 'acme/web#7' && body.includes('Approved by')),
  );
  expect(question.body).not.toContain('/approve');
  const used = { ...pullRequest('comment-vote'), tool: 'scm.update_pull_request', approval_ref: id };
  expect((await decided(url, 'e2e-agent', { ...used, parameters: { number: 7, title: 'Fix login' } })).decision).toBe(
    'allow',
  );
});

test('[pr-comment.signature] [pr-comment.once] [sod.unmapped-chat] forged, repeated and unmapped comments decide nothing', async () => {
  const id = await asked('comment-forged', 8);
  expect((await comment(`/approve ${id}`, 8, { secret: 'guessed' })).status).toBe(401);
  expect((await comment(`/approve ${id}`, 8, { login: 'stranger', id: 77 })).body.text).toMatch(
    /not mapped to a person/,
  );
  expect((await comment(`/approve ${id}`, 8, { login: 'stranger', id: 77 })).status).toBe(409);
  expect(await statusOf(id)).toBe('pending');
});

test('[pr-comment.push] [sod.own-request] a push voids an approval; the owner of the asking key has no vote here either', async () => {
  const own = await asked('comment-own', 9, 'e2e-agent-of-alice');
  expect(await settled(`/approve ${own}`, 9)).toMatch(/made this request or owns the key/);
  const id = await asked('comment-pushed', 9);
  host.heads.set('acme/web#9', pushedSha);
  expect(await settled(`/approve ${id}`, 9)).toMatch(/a push voids/);
  expect(await statusOf(id)).toBe('pending');
  expect(host.comments.at(-1)?.body).toMatch(/^@Alice-GH:\n\n```\nNot decided: It was asked at commit/);
  expect(await settled(`/deny ${id} not this one`, 9)).toMatch(/denied by alice/);
});
