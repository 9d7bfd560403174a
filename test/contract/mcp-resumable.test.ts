/** Answers as events over the endpoint: a client that lost its connection gets the rest of its answer. */
import { lambdaLimits } from '#core/contracts/host-limits.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import {
  compose,
  configure,
  gateway,
  keys,
  open,
  server,
  test_,
  useMcpEndpoint,
  vote,
} from '../support/mcp-endpoint.ts';

useMcpEndpoint([{ protocol: 'mcp', tool: 'create_issue', decision: 'review' }]);

/** A reply whose events are read by hand, as a connection that may end at any time. */
async function connect(
  method: 'GET' | 'POST',
  session: string,
  {
    body,
    last,
    key = keys.agent,
    at = gateway,
  }: { body?: object; last?: string; key?: string; at?: typeof gateway } = {},
) {
  const headers: Record<string, string> = {
    ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'x-api-key': key },
    'mcp-session-id': session,
    ...(last !== undefined && { 'last-event-id': last }),
  };
  const event = {
    ...{ httpMethod: method, path: '/mcp', resource: '/mcp', pathParameters: {}, headers },
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    ...{ multiValueQueryStringParameters: {}, body: body ? JSON.stringify(body) : null, isBase64Encoded: false },
    requestContext: { requestId: 'r' },
  } as unknown as HttpEvent;
  const reply = await at.handlers.mcp!(event, { awsRequestId: 'r' });
  const chunks = (
    typeof reply.body === 'string' ? [reply.body].values() : reply.body[Symbol.asyncIterator]()
  ) as AsyncIterator<string>;
  return {
    status: reply.statusCode,
    next: async () => (await chunks.next()).value as string | undefined,
    leave: () => chunks.return?.(),
  };
}

const issue = (title: string) => ({
  ...{ jsonrpc: '2.0', id: 7, method: 'tools/call' },
  params: { name: 'create_issue', arguments: { title }, _meta: { progressToken: 'p' } },
});
const idIn = (text: string | undefined) => /^id: (.+)$/m.exec(text ?? '')?.[1];
const pendingId = async () => {
  for (;;) {
    const { items } = await test_.ports.approvals.list('default', 'pending', { limit: 1 });
    if (items[0]) return items[0].envelope_id;
    await new Promise((resolve) => setImmediate(resolve));
  }
};

test('[mcp.event-streams] a held call continues without its connection, and a returning client gets its answer', async () => {
  await configure({ hold: 30 });
  const session = await open();
  const first = await connect('POST', session, { body: issue('held') });
  const priming = await first.next();
  expect(priming).toMatch(/^id: [0-9a-f]{24}-0\nretry: 1000\ndata: \n\n$/);
  const progress = await first.next();
  expect(progress).toMatch(/^id: [0-9a-f]{24}-1\nevent: message\ndata: .*Waiting for approval/);
  await first.leave();

  const before = server.calls().length;
  await vote(await pendingId(), 'approve');
  const second = await connect('GET', session, { last: idIn(progress)! });
  expect(second.status).toBe(200);
  let text = '';
  for (let chunk = await second.next(); chunk !== undefined; chunk = await second.next()) text += chunk;
  expect(text).toContain('opened held');
  expect(text.match(/"id":7/g)).toHaveLength(1);
  expect(text).not.toContain(idIn(progress)!);
  expect(server.calls().length).toBe(before + 1);

  // What was lost on the way is given again; the call is not made again.
  const third = await connect('GET', session, { last: idIn(priming)! });
  expect(await third.next()).toBe(progress);
  expect(server.calls().length).toBe(before + 1);
});

test('[mcp.event-streams] another session, another key and an unknown event are refused without content', async () => {
  await configure({ hold: 30 });
  const session = await open();
  const first = await connect('POST', session, { body: issue('mine') });
  const last = idIn(await first.next())!;
  expect((await connect('GET', session, { last, key: keys.other })).status).toBe(404);
  expect((await connect('GET', await open(), { last })).status).toBe(400);
  const unknown = await connect('GET', session, { last: 'nothing' });
  expect([unknown.status, await unknown.next()]).toEqual([400, expect.stringMatching(/Send the request again/)]);
  await vote(await pendingId(), 'deny');
  const own = await connect('GET', session, { last });
  expect(own.status).toBe(200);
  await own.leave();
});

test.each([
  ['an older revision', async () => ({ session: await open({}, '2025-06-18'), at: gateway })],
  [
    'a host of many processes',
    async () => {
      const at = compose({ hostLimits: lambdaLimits });
      return { session: await open({ at }), at };
    },
  ],
])('[mcp.event-streams] %s gets events without ids', async (_, start) => {
  await configure({ hold: 30 });
  const { session, at } = await start();
  const stream = await connect('POST', session, { body: issue(`plain ${session}`), at });
  const first = await stream.next();
  expect(first).toMatch(/^event: message\ndata: .*Waiting/);
  await vote(await pendingId(), 'deny');
  await stream.leave();
  if (at !== gateway) await at.gateway.stop();
});
