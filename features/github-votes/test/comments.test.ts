import { createHandler as notify } from '#lambdas/notify/event.ts';
import { headSha, pushedSha } from '../../../test/support/fake-pull-requests.ts';
import { keys } from '../../../test/support/ports.ts';
import { questionDigest } from '../notice.ts';
import { answersOn, asked, call, comment, gateway, host, nextComment, rowOf, statusOf, writes } from './votes.ts';

const evidenceOf = async (id: string) => {
  const { session_id } = await rowOf(id);
  return (await call('GET', `/admin/v1/evidence/sessions/${session_id}/export`, { key: keys.human })).body.entries;
};
describe('a question on a pull request', () => {
  test('[approval.pr-comment] [notify.events] the question is posted on the call’s pull request, answered there, and rewritten with the outcome', async () => {
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

  test('a denial carries its reason, and needs no digest', async () => {
    const id = await asked();
    expect((await comment({ text: `/deny ${id} not on a Friday` })).body.text).toContain('denied by alice');
    expect(await rowOf(id)).toMatchObject({ status: 'denied', comment: 'not on a Friday' });
    await notify(gateway.ports)();
    expect(host.comments[0]?.body).toContain('Denied by ` alice `: ` not on a Friday `');
  });

  test('[approval.pr-comment] a call that concerns no listed pull request is posted on the default one, and can be decided only there', async () => {
    const id = await asked({ tool: 'scm.create_pull_request', target: 'evil/public', parameters: { number: 7 } });
    expect(host.comments.map(({ on }) => on)).toEqual(['acme/ops#3']);
    host.permissions.set('acme/ops Alice-GH', 'maintain');
    expect((await comment({ text: `/approve ${id}` })).body.text).toContain('not requested on this pull request');
    await comment({ text: `/approve ${id}`, repository: 'Acme/Ops', number: 3 });
    expect(await statusOf(id)).toBe('approved');
  });
});
describe('[pr-comment.voter] a push after the question', () => {
  test('voids an approval, with or without a digest in the comment, but not a denial', async () => {
    const id = await asked();
    const digest = questionDigest(await rowOf(id), headSha);
    host.heads.set('acme/web#7', pushedSha);
    for (const text of [
      `/approve ${id}`,
      `/approve ${id} ${digest}`,
      `/approve ${id} ${questionDigest(await rowOf(id), pushedSha)}`,
    ]) {
      expect((await comment({ text })).body.text).toMatch(
        /a push voids the question|does not match the call and the commit/,
      );
      expect(await statusOf(id)).toBe('pending');
    }
    expect(answersOn()).toHaveLength(3);
    await comment({ text: `/deny ${id} no` });
    expect(await statusOf(id)).toBe('denied');
  });
});
describe('[pr-comment.voter] a question', () => {
  const edit = (from: string, to: string) => {
    const [question] = host.comments;
    expect(question?.body).toContain(from);
    if (question) question.body = question.body.replace(from, to);
  };

  test('a comment on an edited question can deny but not approve', async () => {
    const id = await asked();
    edit('"title": "Fix"', '"title": "Harmless"');
    expect((await comment({ text: `/approve ${id}` })).body.text).toMatch(/has been edited since it was asked/);
    expect(await statusOf(id)).toBe('pending');
    expect(answersOn()[0]?.body).toContain('decide over HTTP');
    await comment({ text: `/deny ${id}` });
    expect(await statusOf(id)).toBe('denied');
  });

  test('a comment on a deleted question cannot approve', async () => {
    const id = await asked();
    host.comments.length = 0;
    expect((await comment({ text: `/approve ${id}` })).body.text).toMatch(/has been deleted since it was asked/);
    expect(await statusOf(id)).toBe('pending');
  });

  test('a question counts as unchanged if the host only changed its line endings', async () => {
    const id = await asked();
    edit('\n', '\r\n');
    await comment({ text: `/approve ${id}` });
    expect(await statusOf(id)).toBe('approved');
  });
});
describe('[pr-comment.voter] a comment', () => {
  test('a delivery is counted only once, whatever its outcome', async () => {
    const id = await asked();
    host.permissions.set('acme/web Alice-GH', 'read');
    const sent = { text: `/approve ${id}`, id: nextComment() };
    expect((await comment(sent)).status).toBe(200);
    host.permissions.set('acme/web Alice-GH', 'write');
    gateway.pass(1000);
    expect((await comment(sent)).status).toBe(409);
    expect(await statusOf(id)).toBe('pending');
    expect(answersOn()).toHaveLength(1);
  });

  test('a delivery is remembered longer than its approval stays open, because the host signs no timestamp', async () => {
    const id = await asked();
    await comment({ text: `/approve ${id}`, login: 'stranger' });
    const row = await gateway.store.store.get('deliveries', { id: `seen#github#${writes}` });
    expect(Number(row?.ttl) * 1000).toBeGreaterThan(Date.parse((await rowOf(id)).expires_at));
  });

  test('a comment delivered twenty times at the same time is counted and answered once', async () => {
    const id = await asked();
    const sent = { text: `/approve ${id}`, id: nextComment() };
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
  ])('a comment has no effect while the Git host %s, and counts once it is redelivered', async (_, fault) => {
    const id = await asked();
    const sent = { text: `/approve ${id}`, id: nextComment() };
    host.instead = fault;
    const failed = await comment(sent);
    expect([failed.status, failed.body.error.type]).toEqual([503, 'service_unavailable']);
    host.instead = undefined;
    expect(failed.headers['retry-after']).toBe('headers' in fault ? '30' : undefined);
    expect(await statusOf(id)).toBe('pending');
    expect((await comment(sent)).body.text).toContain('approved by alice');
    expect(await statusOf(id)).toBe('approved');
  });

  test('a comment that would be refused gets 503 during an outage', async () => {
    const id = await asked();
    host.permissions.set('acme/web Alice-GH', 'read');
    host.heads.delete('acme/web#7');
    expect((await comment({ text: `/approve ${id}` })).status).toBe(503);
  });

  test('a comment is refused even if the reply cannot be posted', async () => {
    const id = await asked();
    host.faults.push({ status: 500 });
    expect((await comment({ text: `/approve ${id}`, login: 'vera-gh' })).body.text).toContain('Found role viewer');
    expect(gateway.lines.join('\n')).toContain('the reply to a comment was not posted');
  });
});
test('no secret is logged, written or returned', async () => {
  await notify(gateway.ports)(); // deliver notifications left by other tests, which would otherwise meet the fault
  host.faults.push({ status: 401, body: { message: 'not host-token-value' } });
  const id = await asked();
  const logged = gateway.lines.find((line) => line.includes('notification failed') && line.includes(id));
  expect(logged).toContain('status 401');
  const answer = await comment({ text: `/approve ${id}`, secret: 'guessed' });
  expect([...gateway.lines, answer.text].join('\n')).not.toMatch(/host-token-value|webhook-secret/);
});
test('GET never decides', async () => {
  expect((await call('GET', '/callbacks/github')).status).toBe(405);
});
