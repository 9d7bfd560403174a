import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { questionDigest } from '#core/approvals/pull-requests.ts';
import { announce } from '#core/approvals/steps.ts';
import { createHandler as notify } from '#lambdas/notify/event.ts';
import { stepPorts } from '#lambdas/step-ports.ts';
import { caller } from '../support/call-endpoint.ts';
import {
  commentPayload,
  deliveryHeaders,
  fakePullRequests,
  headSha,
  pushedSha,
  type Written,
} from '../support/fake-pull-requests.ts';
import { configuration, keys, type TestPorts, testPorts } from '../support/ports.ts';

let host: Awaited<ReturnType<typeof fakePullRequests>>;
let gateway: TestPorts;
let call: ReturnType<typeof caller>;
let asks = 0;
let writes = 5000;

const channels = () => `
approvals:
  channels:
    github:
      token_env: HOST_TOKEN
      webhook_secret_env: HOST_WEBHOOK
      previous_webhook_secret_env: HOST_WEBHOOK_OLD
      repositories: ["acme/*"]
      pull_request: acme/ops#3
      api_url: "${host.url}"
`;

beforeAll(async () => {
  host = await fakePullRequests('host-token-value');
  gateway = await testPorts({
    extra: channels(),
    secrets: { HOST_TOKEN: 'host-token-value', HOST_WEBHOOK: 'webhook-secret-1', HOST_WEBHOOK_OLD: 'webhook-secret-0' },
  });
  call = caller(gateway.ports);
});
afterAll(async () => {
  await gateway.stop();
  await host.stop();
});
beforeEach(() => {
  for (const list of [host.calls, host.faults, host.comments]) list.length = 0;
  host.heads.clear();
  host.instead = undefined;
  for (const at of ['acme/web#7', 'acme/web#8', 'acme/ops#3']) host.heads.set(at, headSha);
  host.permissions.clear();
  for (const login of ['Alice-GH', 'bob-gh', 'vera-gh', 'tess-gh']) host.permissions.set(`acme/web ${login}`, 'write');
});

/** A request that waits for a human, and the question about it on its pull request. */
async function asked(over: object = {}, key = keys.other): Promise<string> {
  const body = {
    protocol: 'git',
    tool: 'scm.update_pull_request',
    target: 'acme/web',
    capability: 'write',
    parameters: { number: 7, title: 'Fix' },
    actor: { session: `comments-${++asks}` },
    ...over,
  };
  const answer = await call('POST', '/admin/v1/test-action', { key, body });
  expect(answer.body.decision).toBe('review');
  await announce(stepPorts(gateway.ports), answer.body.envelope_id);
  await notify(gateway.ports)();
  host.calls.length = 0;
  return answer.body.envelope_id;
}

interface Sent extends Omit<Written, 'id'> {
  readonly id?: number;
  readonly secret?: string;
  readonly event?: string;
  readonly headers?: Record<string, string>;
}

function comment({ secret = 'webhook-secret-1', event, headers, ...written }: Sent) {
  const raw = JSON.stringify(commentPayload({ id: ++writes, ...written }));
  return call('POST', '/callbacks/github', { raw, headers: { ...deliveryHeaders(raw, secret, event), ...headers } });
}

const rowOf = async (id: string) => (await gateway.ports.approvals.find(id))!;
const statusOf = async (id: string) => (await rowOf(id)).status;
/** What the gateway wrote on a pull request after its question. */
const answersOn = (on = 'acme/web#7') => host.comments.filter((written) => written.on === on).slice(1);
const evidenceOf = async (id: string) => {
  const { session_id } = await rowOf(id);
  return (await call('GET', `/admin/v1/evidence/sessions/${session_id}/export`, { key: keys.human })).body.entries;
};

describe('a question on a pull request', () => {
  test('[approval.pr-comment] [notify.events] is asked where the call belongs, answered there, and rewritten with the outcome', async () => {
    const id = await asked({ justification: '@everyone ``` please' });
    const [question] = host.comments;
    expect(question?.on).toBe('acme/web#7');
    const digest = questionDigest(await rowOf(id), headSha);
    expect(question?.body).toContain(`/approve ${id} ${digest}`);

    const answer = await comment({ text: `/approve ${id} ${digest}\nlooks right` });
    expect(answer.status).toBe(200);
    expect(answer.body.text).toBe('scm.update_pull_request: approved by alice.');
    expect(await rowOf(id)).toMatchObject({ status: 'approved', person: 'alice', channel: 'github', comment: '' });
    await notify(gateway.ports)();
    expect(host.comments).toHaveLength(1);
    expect(question?.body).toContain('Approved by ` alice `');
    expect(question?.body).not.toContain(`/approve ${id}`);
    expect((await evidenceOf(id)).at(-1)).toMatchObject({
      kind: 'approve',
      actor: { key_id: 'github:alice-gh', person: 'alice' },
      body: {
        channel: 'github',
        given_on: { pull_request: 'acme/web#7', head_sha: headSha, comment_id: String(writes) },
      },
    });
  });

  test('a denial says why, and needs no digest', async () => {
    const id = await asked();
    expect((await comment({ text: `/deny ${id} not on a Friday` })).body.text).toContain('denied by alice');
    expect(await rowOf(id)).toMatchObject({ status: 'denied', comment: 'not on a Friday' });
    await notify(gateway.ports)();
    expect(host.comments[0]?.body).toContain('Denied by ` alice `: ` not on a Friday `');
  });

  test('a time-out is commented as well', async () => {
    const id = await asked();
    gateway.pass(1801);
    expect((await comment({ text: `/approve ${id}` })).body.text).toContain('already denied');
    await notify(gateway.ports)();
    expect(host.comments[0]?.body).toContain('**Denied: no reviewer decided in time**');
  });

  test('[pr-comment.place] what is about no listed pull request is asked on the fixed one, and decided there only', async () => {
    const id = await asked({ tool: 'scm.create_pull_request', target: 'evil/public', parameters: { number: 7 } });
    expect(host.comments.map(({ on }) => on)).toEqual(['acme/ops#3']);
    host.permissions.set('acme/ops Alice-GH', 'maintain');
    expect((await comment({ text: `/approve ${id}` })).body.text).toContain('not requested on this pull request');
    await comment({ text: `/approve ${id}`, repository: 'Acme/Ops', number: 3 });
    expect(await statusOf(id)).toBe('approved');
  });
});

describe('[pr-comment.signature] a delivery', () => {
  test('with a signature of another secret decides nothing', async () => {
    const id = await asked();
    expect((await comment({ text: `/approve ${id}`, secret: 'guessed' })).status).toBe(401);
    expect((await comment({ text: `/approve ${id}`, headers: { 'x-hub-signature-256': '' } })).status).toBe(401);
    expect(await statusOf(id)).toBe('pending');
    expect(host.calls).toEqual([]);
  });

  test('is verified before it is read, byte by byte', async () => {
    const id = await asked();
    const raw = JSON.stringify(commentPayload({ text: `/approve ${id}`, id: ++writes }));
    const headers = deliveryHeaders(raw, 'webhook-secret-1');
    expect((await call('POST', '/callbacks/github', { raw: `${raw} `, headers })).status).toBe(401);
    expect((await call('POST', '/callbacks/github', { raw: '{', headers })).status).toBe(401);
    expect(await statusOf(id)).toBe('pending');
  });

  test('with the previous secret counts while one is rotated', async () => {
    const id = await asked();
    expect((await comment({ text: `/approve ${id}`, secret: 'webhook-secret-0' })).status).toBe(200);
    expect(await statusOf(id)).toBe('approved');
  });

  test.each([
    ['no JSON', '{', {}, 400],
    ['a key twice', '{"action":"created","action":"created"}', {}, 400],
    ['a form', 'payload=%7B%7D', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a comment without writer', '{"action":"created","issue":{"number":7,"pull_request":{}}}', {}, 400],
    ['a megabyte and more', ' '.repeat(1024 * 1024 + 1), {}, 413],
  ])('that is signed but holds %s is refused', async (_, raw, headers, status) => {
    const answer = await call('POST', '/callbacks/github', {
      raw,
      headers: { ...deliveryHeaders(raw, 'webhook-secret-1'), ...headers },
    });
    expect(answer.status).toBe(status);
  });

  test('of another kind is answered and ignored', async () => {
    const id = await asked();
    const text = `/approve ${id}`;
    expect((await comment({ text, event: 'ping' })).status).toBe(200);
    for (const sent of [
      { text, event: 'pull_request_review_comment' },
      { text, over: { action: 'edited' } },
      { text, over: { issue: { number: 7 } } },
      { text, commentOver: { performed_via_github_app: { id: 1 } } },
      { text, over: { sender: { login: 'bob-gh', type: 'User' } } },
      { text, commentOver: { user: { login: 'alice-gh', type: 'Bot' } } },
      { text: 'looks right' },
      { text: '/approve no-issue' },
    ]) {
      const answer = await comment(sent);
      expect([answer.status, typeof answer.body.ignored]).toEqual([202, 'string']);
    }
    expect(await statusOf(id)).toBe('pending');
    expect(host.calls).toEqual([]);
  });
});

describe('[pr-comment.voter] a comment does not count', () => {
  const refused = async (id: string, sent: Sent, why: string | RegExp) => {
    const answer = await comment(sent);
    expect(answer.status).toBe(200);
    expect(answer.body.text).toMatch(/^Not decided: /);
    expect(answer.body.text).toMatch(why);
    expect(await statusOf(id)).toBe('pending');
  };

  test('[sod.unmapped-chat] of a stranger, who is not answered on the pull request', async () => {
    const id = await asked();
    host.permissions.set('acme/web stranger', 'admin');
    await refused(id, { text: `/approve ${id}`, login: 'stranger' }, /not mapped to a person/);
    await refused(id, { text: `/approve ${id}\n/deny ${id}`, login: 'stranger' }, /not mapped to a person/);
    expect(host.calls).toEqual([]);
  });

  test.each([
    ['in a role that has no vote', { login: 'vera-gh' }, /Found role viewer/],
    ['in another tenant', { login: 'tess-gh' }, /was not found/],
    ['on another pull request', { number: 8 }, /not requested on this pull request/],
    ['in another repository', { repository: 'acme/webshop' }, /not requested on this pull request/],
  ])('of a person %s, who is told so', async (_, sent, why) => {
    const id = await asked();
    host.heads.set('acme/webshop#7', headSha);
    await refused(id, { text: `/approve ${id}`, ...sent }, why);
    expect(host.calls.map(({ method }) => method)).toEqual(['POST']);
    const reply = host.comments.at(-1);
    expect(reply?.on).toBe(
      `${'repository' in sent ? sent.repository : 'acme/web'}#${'number' in sent ? sent.number : 7}`,
    );
    expect(reply?.body).toMatch(why);
  });

  test('[sod.own-request] of the person who owns the key that asked', async () => {
    const id = await asked({}, keys.agent);
    await refused(id, { text: `/approve ${id}`, login: 'bob-gh' }, /made this request or owns the key/);
    await comment({ text: `/approve ${id}` });
    expect(await statusOf(id)).toBe('approved');
  });

  test.each(['read', 'none', undefined])(
    'of a person whose permission at the repository is %s now',
    async (permission) => {
      const id = await asked();
      host.permissions.delete('acme/web Alice-GH');
      if (permission) host.permissions.set('acme/web Alice-GH', permission);
      await refused(
        id,
        { text: `/deny ${id}` },
        `Found permission ${permission ?? 'none'} at acme/web; allowed to vote: write`,
      );
      expect(answersOn()[0]?.body).toContain('@Alice-GH:');
    },
  );

  test.each([
    ['two commands', (id: string) => `/approve ${id}\n/deny ${id}`, /Found 2 commands/],
    ['a command further down', (id: string) => `Fine.\n/approve ${id}`, /further down/],
    ['more words', (id: string) => `/approve ${id} please`, /more than the id/],
    ['another digest', (id: string) => `/approve ${id} 0123456789ab`, /belongs to another call or commit/],
  ])('[pr-comment.command] with %s', async (_, text, why) => {
    const id = await asked();
    await refused(id, { text: text(id) }, why);
    expect(answersOn()[0]?.body).toMatch(why);
  });

  test('for an approval that is not known, and may be of another gateway that is asked here too', async () => {
    const unknown = '01890000-0000-7000-8000-00000000dead';
    expect((await comment({ text: `/approve ${unknown}` })).body.text).toContain('was not found');
    expect(host.calls).toEqual([]);
  });

  test('when it was decided before; the writer reads by whom', async () => {
    const id = await asked();
    await comment({ text: `/approve ${id}` });
    host.heads.set('acme/web#7', pushedSha);
    expect((await comment({ text: `/deny ${id}` })).body.text).toContain('already approved (by alice)');
  });
});

describe('[pr-comment.push] a push after the question', () => {
  test('voids an approval, by comment with and without digest, and no denial', async () => {
    const id = await asked();
    const digest = questionDigest(await rowOf(id), headSha);
    host.heads.set('acme/web#7', pushedSha);
    for (const text of [
      `/approve ${id}`,
      `/approve ${id} ${digest}`,
      `/approve ${id} ${questionDigest(await rowOf(id), pushedSha)}`,
    ]) {
      expect((await comment({ text })).body.text).toMatch(
        /a push voids the question|belongs to another call or commit/,
      );
      expect(await statusOf(id)).toBe('pending');
    }
    expect(answersOn()).toHaveLength(3);
    await comment({ text: `/deny ${id} no` });
    expect(await statusOf(id)).toBe('denied');
  });
});

describe('[pr-comment.untouched] a question', () => {
  const edit = (from: string, to: string) => {
    const [question] = host.comments;
    expect(question?.body).toContain(from);
    if (question) question.body = question.body.replace(from, to);
  };

  test('that was edited cannot be approved there, and can be denied', async () => {
    const id = await asked();
    edit('"title": "Fix"', '"title": "Harmless"');
    expect((await comment({ text: `/approve ${id}` })).body.text).toMatch(/was edited since it was asked/);
    expect(await statusOf(id)).toBe('pending');
    expect(answersOn()[0]?.body).toContain('decide over HTTP');
    await comment({ text: `/deny ${id}` });
    expect(await statusOf(id)).toBe('denied');
  });

  test('that was deleted cannot be approved there', async () => {
    const id = await asked();
    host.comments.length = 0;
    expect((await comment({ text: `/approve ${id}` })).body.text).toMatch(/was deleted since it was asked/);
    expect(await statusOf(id)).toBe('pending');
  });

  test('whose line ends the host writes its own way is the same', async () => {
    const id = await asked();
    edit('\n', '\r\n');
    await comment({ text: `/approve ${id}` });
    expect(await statusOf(id)).toBe('approved');
  });
});

describe('[pr-comment.once] a comment', () => {
  test('is taken once, whatever became of it', async () => {
    const id = await asked();
    host.permissions.set('acme/web Alice-GH', 'read');
    const sent = { text: `/approve ${id}`, id: ++writes };
    expect((await comment(sent)).status).toBe(200);
    host.permissions.set('acme/web Alice-GH', 'write');
    gateway.pass(1000);
    expect((await comment(sent)).status).toBe(409);
    expect(await statusOf(id)).toBe('pending');
    expect(answersOn()).toHaveLength(1);
  });

  test('is remembered for longer than its approval can be decided: a signature of the host has no time', async () => {
    const id = await asked();
    await comment({ text: `/approve ${id}`, login: 'stranger' });
    const { client, tables } = gateway.store;
    const Key = { id: { S: `seen#github#${writes}` } };
    const { Item } = await client.send(new GetItemCommand({ TableName: tables.deliveries, Key }));
    expect(Number(Item?.ttl?.N) * 1000).toBeGreaterThan(Date.parse((await rowOf(id)).expires_at));
  });

  test('delivered twenty times at once is counted once and answered once', async () => {
    const id = await asked();
    const sent = { text: `/approve ${id}`, id: ++writes };
    const answers = await Promise.all(Array.from({ length: 20 }, () => comment(sent)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(19);
    expect((await evidenceOf(id)).filter(({ kind }: { kind: string }) => kind === 'approve')).toHaveLength(1);
    expect(answersOn()).toEqual([]);
  });

  test.each([
    ['is down', { status: 502 }],
    ['is busy', { status: 403, headers: { 'retry-after': '30' } }],
    ['refuses our token', { status: 401 }],
    ['says nothing that it promises', { status: 200, body: { permission: 7, head: { sha: 'main' }, body: 7 } }],
  ])('that meets a Git host which %s decides nothing, and counts when it is delivered again', async (_, fault) => {
    const id = await asked();
    const sent = { text: `/approve ${id}`, id: ++writes };
    host.instead = fault;
    const failed = await comment(sent);
    expect([failed.status, failed.body.error.type]).toEqual([503, 'service_unavailable']);
    host.instead = undefined;
    expect(failed.headers['retry-after']).toBe('headers' in fault ? '30' : undefined);
    expect(await statusOf(id)).toBe('pending');
    expect((await comment(sent)).body.text).toContain('approved by alice');
    expect(await statusOf(id)).toBe('approved');
  });

  test('that meets an outage beside a reason against it is not refused yet', async () => {
    const id = await asked();
    host.permissions.set('acme/web Alice-GH', 'read');
    host.heads.delete('acme/web#7');
    expect((await comment({ text: `/approve ${id}` })).status).toBe(503);
  });

  test('whose refusal cannot be answered is refused nevertheless', async () => {
    const id = await asked();
    host.faults.push({ status: 500 });
    expect((await comment({ text: `/approve ${id}`, login: 'vera-gh' })).body.text).toContain('Found role viewer');
    expect(gateway.lines.join('\n')).toContain('the writer of a comment was not answered');
  });
});

test('nothing that is secret is logged, written or answered', async () => {
  host.faults.push({ status: 401, body: { message: 'not host-token-value' } });
  const id = await asked();
  const logged = gateway.lines.find((line) => line.includes('notification failed') && line.includes(id));
  expect(logged).toContain('no, with status 401');
  const answer = await comment({ text: `/approve ${id}`, secret: 'guessed' });
  expect([...gateway.lines, answer.text].join('\n')).not.toMatch(/host-token-value|webhook-secret/);
});

test('nothing is decided on GET', async () => {
  expect((await call('GET', '/callbacks/github')).status).toBe(405);
});

test('[approval.terms-now] a comment meets the passkey that the rule asks for since the question was written', async () => {
  const id = await asked();
  const rule =
    '{ protocol: git, tool: scm.update_pull_request, decision: review, approval: { require_passkey: true } }';
  const put = await call('PUT', '/admin/v1/config', {
    ...{ key: 'admin-token-1', raw: configuration(channels(), '', `{ pack: pr-writer, rules: [${rule}] }`) },
    headers: { 'content-type': 'application/yaml' },
  });
  expect(put.status).toBe(201);
  const digest = questionDigest(await rowOf(id), headSha);
  expect((await comment({ text: `/approve ${id} ${digest}` })).body.text).toMatch(
    /Not decided: .*only with a passkey\. Since this was asked, version 2 of the configuration/,
  );
  expect(await statusOf(id)).toBe('pending');
  expect((await comment({ text: `/deny ${id} no` })).body.text).toContain('denied by alice');
});
