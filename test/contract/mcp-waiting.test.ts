import {
  call,
  compose,
  configure,
  entries,
  http,
  id,
  keys,
  meta,
  modern,
  open,
  send,
  server,
  test_,
  useMcpEndpoint,
  vote,
} from '../support/mcp-endpoint.ts';
import { mcpRules } from '../support/mcp-rules.ts';

useMcpEndpoint(mcpRules);

const withTasks = {
  ...meta,
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};
describe('waiting for a human', () => {
  const held = { title: 'held' };

  test('the call is refused and names its approval, and runs once however many times it is retried concurrently', async () => {
    const session = await open();
    const refused = (await call('create_issue', { title: 'race' }, { session })).last.error;
    expect(refused).toMatchObject({
      code: -32002,
      data: { approval_url: expect.any(String), queued_at: expect.any(String) },
    });
    expect(refused.message).toContain(`approved or denied at ${refused.data.approval_url}; send the same call again`);
    expect((await call('create_issue', { title: 'race' }, { session })).last.error.data.envelope_id).toBe(
      refused.data.envelope_id,
    );
    expect((await vote(refused.data.envelope_id, 'approve')).status).toBe(200);
    const before = server.calls().length;
    const all = await Promise.all(
      Array.from({ length: 8 }, () => call('create_issue', { title: 'race' }, { session })),
    );
    expect(all.filter(({ last }) => last.result)).toHaveLength(1);
    expect(server.calls().length).toBe(before + 1);
  });

  test('[approval.denied] a held call that is denied returns a denial, and so does a retry', async () => {
    await configure({ hold: 30 });
    const session = await open();
    const before = server.calls().length;
    const waiting = call('create_issue', held, { session }, { _meta: { progressToken: 'p2' } });
    const pending = await firstPending();
    await vote(pending, 'deny');
    const denied = { code: -32001, data: { reason: 'denied', reviewer: 'alice', envelope_id: pending } };
    expect((await waiting).last.error).toMatchObject(denied);
    expect((await call('create_issue', held, { session })).last.error).toMatchObject(denied);
    expect(server.calls().length).toBe(before);
  });

  test('no call is held open without a progress token', async () => {
    await configure({ hold: 30 });
    expect((await call('create_issue', { title: 'unheld' }, { session: await open() })).last.error.code).toBe(-32002);
  });

  test('[approval.cancelled-hold] cancelling a held call removes it from the pending requests, and it can no longer be approved', async () => {
    await configure({ hold: 40 });
    const session = await open();
    const before = server.calls().length;
    const waiting = send(
      'tools/call',
      { name: 'create_issue', arguments: { title: 'gone' }, _meta: { progressToken: 1 } },
      { session },
    );
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } };
    const pending = await firstPending('gone');
    expect((await http('POST', '/mcp', cancelled, { session })).status).toBe(202);
    expect((await waiting).messages.filter(({ method }: { method?: string }) => method === undefined)).toEqual([]);
    expect(await test_.ports.approvals.get('default', pending)).toMatchObject({
      status: 'denied',
      reason: 'withdrawn',
      reviewer: 'requester',
      comment: 'The caller cancelled the call.',
    });
    expect((await entries(session)).map(({ kind }) => kind)).toEqual(['review', 'deny']);
    expect((await vote(pending, 'approve')).status).toBe(409);
    // The next similar call gets a request of its own.
    await configure();
    const next = await call('create_issue', { title: 'gone' }, { session });
    expect(next.last.error).toMatchObject({ code: -32002 });
    expect(next.last.error.data.envelope_id).not.toBe(pending);
    expect(server.calls().length).toBe(before);
  });

  test('[approval.cancelled-hold] a held call is not made after its session ends, and the client comes back for the approval', async () => {
    await configure({ hold: 40 });
    const session = await open();
    const before = server.calls().length;
    const waiting = call('create_issue', { title: 'ended' }, { session }, { _meta: { progressToken: 1 } });
    const pending = await firstPending('ended');
    expect((await http('DELETE', '/mcp', undefined, { session })).status).toBe(204);
    await waiting;
    await vote(pending, 'approve');
    expect(server.calls().length).toBe(before);
    expect((await call('create_issue', { title: 'ended' }, { session: await open() })).last.result).toBeDefined();
    expect(server.calls().length).toBe(before + 1);
  });

  test('[approval.cancelled-hold] an approved call whose caller has disconnected runs once, when an identical call arrives', async () => {
    await configure({ hold: 40 });
    const session = await open({}, '2025-06-18');
    const before = server.calls().length;
    const left = new AbortController();
    const sent = { session, signal: left.signal };
    const waiting = call('create_issue', { title: 'unfetched' }, sent, { _meta: { progressToken: 1 } });
    const pending = await firstPending('unfetched');
    left.abort();
    const item = async () => (await http('GET', `/admin/v1/approvals/${pending}`, undefined, { key: keys.human })).last;
    while ((await item()).caller_gone_at === undefined) await new Promise(setImmediate);
    expect((await vote(pending, 'approve')).status).toBe(200);
    test_.pass(41);
    expect((await waiting).last.error.data.envelope_id).toBe(pending);
    expect(server.calls().length).toBe(before);

    const again = await call('create_issue', { title: 'unfetched' }, { session });
    expect(again.last.result.content).toEqual([{ type: 'text', text: 'opened unfetched' }]);
    expect(server.calls().length).toBe(before + 1);
    expect((await entries(session)).map(({ kind }) => kind)).toEqual(['review', 'approve', 'allow', 'result']);
  });

  test('[approval.cancelled-hold] a caller that returns while its request is pending is held again, and the approval card does not report it as disconnected', async () => {
    await configure({ hold: 40 });
    const session = await open({}, '2025-06-18');
    const left = new AbortController();
    const first = call(
      'create_issue',
      { title: 'back' },
      { session, signal: left.signal },
      { _meta: { progressToken: 1 } },
    );
    const pending = await firstPending('back');
    const row = () => test_.ports.approvals.get('default', pending);
    left.abort();
    while ((await row())?.caller_gone_at === undefined) await new Promise(setImmediate);
    test_.pass(41);
    await first;
    const second = call('create_issue', { title: 'back' }, { session }, { _meta: { progressToken: 1 } });
    while ((await row())?.caller_gone_at !== undefined) await new Promise(setImmediate);
    await vote(pending, 'approve');
    expect((await second).last.result).toBeDefined();
  });

  test('a 2025-11-25 task is polled, runs once, and its result is stored', async () => {
    const session = await open();
    const created = await call('create_issue', { title: 'task' }, { session }, { task: { ttl: 60_000 } });
    const { taskId, status } = created.last.result.task;
    expect(status).toBe('working');
    expect((await send('tasks/get', { taskId }, { session })).last.result).toMatchObject({ taskId, status: 'working' });
    const foreign = await open({ key: keys.other });
    expect((await send('tasks/get', { taskId }, { session: foreign, key: keys.other })).last.error.code).toBe(-32602);
    await vote(taskId, 'approve');
    const before = server.calls().length;
    const all = await Promise.all(Array.from({ length: 5 }, () => send('tasks/result', { taskId }, { session })));
    for (const { last } of all) {
      expect(last.result).toEqual({
        content: [{ type: 'text', text: 'opened task' }],
        _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
      });
    }
    expect(server.calls().length).toBe(before + 1);
    expect((await send('tasks/get', { taskId }, { session })).last.result.status).toBe('completed');
  });

  test.each([-1, '60000', null])(
    'a task with a ttl of %j is refused before a decision is made on the call',
    async (ttl) => {
      const refused = await call('create_issue', { title: 'ttl' }, { session: await open() }, { task: { ttl } });
      expect(refused.last.error).toMatchObject({
        code: -32602,
        message: 'params.task.ttl must be a number of milliseconds, at least 0.',
      });
    },
  );

  test('a 2026-07-28 task completes after approval, and so does a task that needed no reviewer', async () => {
    const created = await modern(
      'tools/call',
      { name: 'create_issue', arguments: { title: 'new task' } },
      {},
      withTasks,
    );
    expect(created.last.result).toMatchObject({ resultType: 'task', status: 'working', taskId: expect.any(String) });
    const { taskId } = created.last.result;
    await vote(taskId, 'approve');
    await modern('tasks/get', { taskId }, {}, withTasks);
    const done = await modern('tasks/get', { taskId }, {}, withTasks);
    expect(done.last.result).toMatchObject({
      resultType: 'complete',
      status: 'completed',
      result: { content: expect.any(Array) },
    });
    expect((await modern('tasks/result', { taskId }, {}, withTasks)).last.error.code).toBe(-32601);
    const session = await open();
    const over = await call('echo', { e: 1 }, { session }, { task: {} });
    expect(over.last.result.task.status).toBe('completed');
    const kept = await send('tasks/result', { taskId: over.last.result.task.taskId }, { session });
    expect(kept.last.result.content).toEqual([{ type: 'text', text: '{"e":1}' }]);
  });

  test('a task that is cancelled or denied does not run', async () => {
    const session = await open();
    const before = server.calls().length;
    const task = async (title: string) =>
      (await call('create_issue', { title }, { session }, { task: {} })).last.result.task.taskId as string;
    const withdrawn = await task('withdrawn');
    expect((await send('tasks/cancel', { taskId: withdrawn }, { session })).last.result.status).toBe('cancelled');
    expect((await vote(withdrawn, 'approve')).status).toBe(409);
    expect((await send('tasks/cancel', { taskId: withdrawn }, { session })).last.error.code).toBe(-32602);
    const denied = await task('denied');
    await vote(denied, 'deny');
    expect((await send('tasks/result', { taskId: denied }, { session })).last.error).toMatchObject({
      code: -32001,
      data: { reason: 'denied', reviewer: expect.any(String), envelope_id: denied },
    });
    // The caller withdrew the request, and it was not denied, so it may be made again immediately.
    expect(await task('withdrawn')).not.toBe(withdrawn);
    expect(server.calls().length).toBe(before);
  });

  test('[action.large-result] a task with a large result is served; one whose result was removed is an error', async () => {
    await configure({ extra: { tool_policies: { pack: null, default_decision: 'review', rules: [] } } });
    const session = await open();
    const created = await call('huge', { bytes: 3_000_000 }, { session }, { task: {} });
    const { taskId } = created.last.result.task;
    await vote(taskId, 'approve');
    const { result } = (await send('tasks/result', { taskId }, { session })).last;
    expect(result.content[0].text).toHaveLength(3_000_000);
    const again = (await call('huge', { bytes: 3_000_000 }, { session })).last;
    expect(again.result.content).toEqual(result.content); // fetched, not run again

    const emptied = compose({ results: { ...test_.ports.results, get: async () => undefined } });
    const lost = (await send('tasks/result', { taskId }, { session, at: emptied })).last.error;
    expect(lost).toMatchObject({ code: -32000, data: { outcome: 'executed', reason: 'gone' } });
    expect(lost.message).toContain('Do not repeat');
    await emptied.gateway.stop();
  });

  test('[action.large-result] a call that ran returns its response even if its task cannot be stored', async () => {
    const session = await open();
    const down = compose({ results: { ...test_.ports.results, put: () => Promise.reject(new Error('no store')) } });
    const { result } = (await call('huge', { bytes: 100_000 }, { session, at: down }, { task: {} })).last;
    expect(result.content[0].text).toHaveLength(100_000);
    const { body } = (await entries(session)).at(-1)!;
    expect(body).toMatchObject({ outcome: 'executed', result_withheld: 'store_unavailable' });
    await down.gateway.stop();
  });

  test('a call with secrets does not become a task, because only its caller could resend it', async () => {
    const title = `ghp_${'z9Y8'.repeat(9)}`;
    const { last } = await call('create_issue', { title }, { session: await open() }, { task: {} });
    expect(last.error.code).toBe(-32002);
  });
});
async function firstPending(title = 'held'): Promise<string> {
  for (let i = 0; i < 2_000; i++) {
    const { items } = await test_.ports.approvals.list('default', 'pending', { limit: 50 });
    const fresh = items.filter(({ parameters }) => parameters.title === title);
    if (fresh.length > 0) return fresh.at(-1)!.envelope_id;
    await new Promise((turn) => setImmediate(turn));
  }
  throw new Error('nothing is pending');
}
