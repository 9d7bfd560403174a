import { good, key, refuses, url } from '../support/bad-input.ts';
import { ask, decided, pullRequest, until, vote } from './client.ts';

describe('votes and approvals', () => {
  const pending = async (session: string, by = key) => (await decided(url, by, pullRequest(session))).envelope_id;

  test('[sod.humans-only] an agent or a service voting is refused', async () => {
    const id = await pending('bad-agent-vote');
    for (const voter of [key, 'e2e-agent-admin', 'e2e-service'])
      await refuses(() => vote(url, voter, 'approve', id) as ReturnType<typeof ask>, 403, 'forbidden', /human/i);
  });

  test('[sod.own-request] approving one’s own request is refused', async () => {
    const id = await pending('bad-own', 'e2e-agent-of-alice');
    await refuses(
      () => vote(url, 'e2e-alice', 'approve', id) as ReturnType<typeof ask>,
      403,
      'separation_of_duties',
      /\S/,
    );
  });

  test('[approval.reviewer-required] a vote needs a reviewer, takes a comment, and nothing else', async () => {
    const id = await pending('bad-vote');
    const voting = (body: unknown) => () => vote(url, 'e2e-bob', 'approve', id, body) as ReturnType<typeof ask>;
    await refuses(voting({}), 400, 'invalid_request', /reviewer/);
    await refuses(voting({ reviewer: '' }), 400, 'invalid_request', /reviewer must not be empty/);
    await refuses(voting({ reviewer: 'bob', status: 'approved' }), 400, 'invalid_request', /status/);
    expect((await voting({ reviewer: 'bob' })()).status).toBe(200);
  });

  test('[auth.tenant-isolation] a vote on another tenant’s approval is 404, not 403', async () => {
    const id = await pending('bad-tenant');
    await refuses(
      () => vote(url, 'e2e-other-human', 'approve', id) as ReturnType<typeof ask>,
      404,
      'not_found',
      /not found/,
    );
  });

  test('[approval.decided-twice] a second vote is 409 with the record', async () => {
    const id = await pending('bad-twice');
    await vote(url, 'e2e-alice', 'approve', id);
    for (const verdict of ['approve', 'deny'] as const)
      await refuses(
        () => vote(url, 'e2e-bob', verdict, id) as ReturnType<typeof ask>,
        409,
        'conflict',
        /already approved/,
      );
  });

  test('[approval.vote-after-expiry] a vote after expiry is 409', async () => {
    const quick = {
      protocol: 'http',
      tool: 'quick.bad',
      target: 'https://a.example/b',
      capability: 'write',
      actor: { session: 'bad-late' },
    };
    const { envelope_id } = await decided(url, key, quick);
    await until('the time-out', async () => {
      const { body } = await ask(url, 'GET', `/admin/v1/approvals/${envelope_id}`, { key: 'e2e-bob' });
      return body.status === 'denied' ? true : undefined;
    });
    await refuses(
      () => vote(url, 'e2e-bob', 'approve', envelope_id) as ReturnType<typeof ask>,
      409,
      'conflict',
      /timed out/,
    );
  });

  const approved = async (session: string) => {
    const id = await pending(session);
    expect((await vote(url, 'e2e-bob', 'approve', id)).status).toBe(200);
    return id;
  };

  test('[approval.bound.parameters] approval_ref with changed parameters is review again', async () => {
    const approval_ref = await approved('bad-changed');
    const changed = await decided(url, key, { ...pullRequest('bad-changed', { base: 'release' }), approval_ref });
    expect(changed).toMatchObject({ decision: 'review', error: { data: { reason: 'call_changed' } } });
    expect((await decided(url, key, { ...pullRequest('bad-changed'), approval_ref })).decision).toBe('allow');
  });

  test('[approval.bound.session] approval_ref of another session is review again', async () => {
    const approval_ref = await approved('bad-session');
    const moved = await decided(url, key, { ...pullRequest('bad-session-2'), approval_ref });
    expect(moved).toMatchObject({ decision: 'review', error: { data: { reason: 'other_session' } } });
  });

  test('[approval.bound.key] approval_ref of another key is review again', async () => {
    const approval_ref = await approved('bad-key');
    const taken = await decided(url, 'e2e-agent-2', { ...pullRequest('bad-key-2'), approval_ref });
    expect(taken).toMatchObject({ decision: 'review', error: { data: { reason: 'other_key' } } });
  });

  test('[approval.never-lifts-block] approval_ref on a blocked call is a block', async () => {
    const approval_ref = await approved('bad-block');
    const blocked = await decided(url, key, {
      protocol: 'shell',
      tool: 'shell.rm',
      target: 'x',
      capability: 'execute',
      actor: { session: 'bad-block' },
      approval_ref,
    });
    expect(blocked).toMatchObject({ decision: 'block', error: { code: -32001 } });
  });

  test('[session.owner] another agent’s session is refused', async () => {
    await decided(url, key, { ...good, actor: { session: 'bad-mine' } });
    await refuses(
      () =>
        ask(url, 'POST', '/admin/v1/test-action', {
          key: 'e2e-agent-2',
          body: { ...good, actor: { session: 'bad-mine' } },
        }),
      403,
      'forbidden',
      /session/,
    );
  });
});
test('[evidence.secrets-redacted] [approval.withheld] a sensitive parameter reaches neither the reviewer nor the evidence, and is named', async () => {
  const secret = 'hunter2-hunter2-hunter2';
  const { envelope_id } = await decided(
    url,
    key,
    pullRequest('bad-secret', { token_for_tests: secret, password: secret }),
  );
  const item = await ask<{ withheld: string[] }>(url, 'GET', `/admin/v1/approvals/${envelope_id}`, { key: 'e2e-bob' });
  expect(item.text).not.toContain(secret);
  expect(item.body.withheld).toHaveLength(2);
  const bundle = await ask(url, 'GET', '/admin/v1/evidence/sessions/bad-secret/export', { key: 'e2e-bob' });
  expect(bundle.text).not.toContain(secret);
});
