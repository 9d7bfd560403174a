/** Streams of MCP clients, and responses that a client resumes. */
import { streamSlots } from '#adapters/tables/stream-slots.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import { lambdaLimits } from '#core/contracts/host-limits.ts';
import type { HttpEvent } from '#core/contracts/http.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type EventStreamPorts, EventStreams } from '#core/mcp/sessions/event-streams.ts';
import {
  call,
  compose,
  configure,
  entries,
  gateway,
  http,
  id,
  keys,
  modern,
  open,
  server,
  test_,
  useMcpEndpoint,
  vote,
} from '../support/mcp-endpoint.ts';
import { woundTimeouts } from '../support/wound-timeouts.ts';

/** Open streams of MCP clients: availability, duration and maximum number. */
describe('open streams', () => {
  useMcpEndpoint([]);

  const aws = { hostLimits: lambdaLimits };
  const on = { extra: { server: { mcp: { event_streams: 'on', older_transport: 'on' } } } };
  const bounded = (bounds: object) => ({ extra: { server: { mcp: bounds } } });
  const events = { accept: 'text/event-stream' };

  type Process = ReturnType<typeof compose>;

  /** Opens a stream that stays open until it is closed; `status` resolves as soon as it is known. */
  function get(session: string, at: Process, key = keys.agent) {
    const left = new AbortController();
    const ended = http('GET', '/mcp', undefined, { at, key, session, headers: events, signal: left.signal });
    return {
      ended,
      leave: async () => {
        left.abort();
        return (await ended).status;
      },
    };
  }

  describe('[mcp.event-streams] on AWS, where open streams are billed', () => {
    test('GET /mcp returns 405 by default and lists the allowed methods; POST and DELETE keep working', async () => {
      const at = compose(aws);
      const session = await open({ at });
      const refused = await http('GET', '/mcp', undefined, { at, session, headers: events });
      expect([refused.status, refused.headers.allow]).toEqual([405, 'POST, DELETE']);
      expect(refused.last.error.message).toContain('send POST');
      expect((await http('DELETE', '/mcp', undefined, { at, session })).status).toBe(204);
      await at.gateway.stop();
    });

    test('by default, GET /sse returns 404 and subscriptions/listen is unknown; both are available on other hosts', async () => {
      const at = compose(aws);
      expect((await http('GET', '/sse', undefined, { at, headers: events })).status).toBe(404);
      const listen = () => modern('subscriptions/listen', { notifications: {} } as object, { at });
      const refused = await listen();
      expect([refused.status, refused.last.error.code]).toEqual([404, -32601]);
      await configure(on);
      const { configuration } = await test_.ports.snapshots.current();
      expect(at.gateway.eventStreams.offered(configuration, 'older_transport')).toBe(true);
      await configure();
      const standard = (await test_.ports.snapshots.current()).configuration;
      expect(gateway.gateway.eventStreams.offered(standard, 'older_transport')).toBe(true);
      await at.gateway.stop();
    });

    test('a stream enabled in the configuration ends after 25 seconds and may be reopened', async () => {
      await configure(on);
      const timeouts = woundTimeouts();
      const at = compose({ ...aws, timeouts });
      const session = await open({ at });
      for (const _ of [1, 2]) {
        const stream = get(session, at);
        await timeouts.armed(25_000);
        timeouts.pass(25_000);
        expect((await stream.ended).status).toBe(200);
      }
      await at.gateway.stop();
    });
  });

  describe('[mcp.event-streams] open streams', () => {
    const processes = () => {
      const slots = () => streamSlots({ ...test_.ports, ...test_.store });
      return [compose({ streamSlots: slots() } as object), compose({ streamSlots: slots() } as object)] as const;
    };

    test("a session's streams are counted across processes, and a closed stream frees a slot", async () => {
      await configure(bounded({ max_streams_per_session: 2 }));
      const [a, b] = processes();
      const [session, another] = [await open({ at: a }), await open({ at: a })];
      const first = get(session, a);
      const second = get(session, b);
      await until(async () => (await openOf()) === 2);
      const refused = await http('GET', '/mcp', undefined, { at: a, session, headers: events });
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
      expect(refused.last.error.message).toMatch(/session has 2 event streams open.*max_streams_per_session/);
      expect(await get(another, b).leave()).toBe(200);
      await first.leave();
      expect(await get(session, b).leave()).toBe(200);
      await second.leave();
      expect(await openOf()).toBe(0);
      await Promise.all([a.gateway.stop(), b.gateway.stop()]);
    });

    test("a key's streams are also limited within one process, separately from other keys", async () => {
      await configure(bounded({ max_streams_per_key: 1 }));
      const first = get(await open(), gateway);
      const refused = await http('GET', '/mcp', undefined, { session: await open(), headers: events });
      expect([refused.status, refused.last.error.message]).toEqual([429, expect.stringContaining('The key has 1')]);
      const theirs = await open({ key: keys.other });
      expect(await get(theirs, gateway, keys.other).leave()).toBe(200);
      expect(await first.leave()).toBe(200);
    });

    test.each<[string, (session: string, at: Process) => Promise<unknown>]>([
      ['GET /mcp', (session, at) => get(session, at).ended],
      ['subscriptions/listen', (_, at) => modern('subscriptions/listen', { notifications: {} } as object, { at })],
    ])('[auth.revoked-key] %s ends when its key is revoked, and not before', async (_, start) => {
      const timeouts = woundTimeouts();
      let revoked = false;
      const current = async () => {
        const snapshot = await test_.ports.snapshots.current();
        return revoked ? { ...snapshot, identities: { ...snapshot.identities, byKeyId: new Map() } } : snapshot;
      };
      const at = compose({ timeouts, snapshots: { ...test_.ports.snapshots, current } });
      let over = false;
      const stream = start(await open({ at }), at).then(() => {
        over = true;
      });
      const look = async () => {
        await timeouts.armed(4_000);
        timeouts.pass(4_000);
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      };
      await look();
      expect(over).toBe(false);
      revoked = true;
      await look();
      await stream;
      await at.gateway.stop();
    });

    test.each<[string, string, number[]]>([
      ['a token that expires in three seconds', isoTime(3_000), [3_000]],
      ['an expired token', isoTime(-1), [0]],
      ['AWS credentials, which have no token', '9999-12-31T23:59:59.999Z', []],
    ])('[auth.revoked-key] the stream of a caller with %s', async (_, expires_at, ends) => {
      const timeouts = woundTimeouts();
      const delays: number[] = [];
      const after = (ms: number, work: () => void) => {
        delays.push(ms);
        return timeouts.after(ms, work);
      };
      const ports = { ...test_.ports, clock: { now: () => 0 }, hostLimits: undefined, streamSlots: undefined };
      const streams = new EventStreams({ ...ports, timeouts: { ...timeouts, after } } as EventStreamPorts);
      const { configuration } = await test_.ports.snapshots.current();
      const federated = { provider: 'p', issuer: 'https://i', subject: 's', claims: {}, expires_at };
      const owner = { tenant: 'default', key_id: 'k', federated } as unknown as Principal;
      const stream = await streams.open(owner, configuration, 'session', new AbortController().signal);
      expect(delays.filter((ms) => ms !== 4_000)).toEqual(ends);
      expect(stream.signal.aborted).toBe(false);
      for (const ms of ends) timeouts.pass(ms);
      expect(stream.signal.aborted).toBe(ends.length > 0);
      await stream.close();
    });

    test('streams left open by a dead process count until their end time', async () => {
      const slots = streamSlots({ ...test_.ports, ...test_.store });
      const owner = { tenant: 'default', key_id: 'k' };
      const most = { perKey: 1, perSession: 1 };
      const [past, coming] = ['2000-01-01T00:00:00.000Z', '2999-01-01T00:00:00.000Z'];
      expect(await slots.take(owner, { id: 'a', session: 's', until: past }, most)).toBe('taken');
      expect(await slots.take(owner, { id: 'b', session: 't', until: coming }, most)).toBe('taken');
      expect(await slots.take(owner, { id: 'c', session: 'u', until: coming }, most)).toBe('key');
      await slots.give(owner, 'a'); // already gone
      await slots.give(owner, 'b');
      expect(await slots.take(owner, { id: 'c', session: 'u', until: coming }, most)).toBe('taken');
    });

    async function openOf(): Promise<number> {
      const rows = test_.store.scan('mcp').filter(({ id }) => String(id).startsWith('streams#default#'));
      const open = rows.map((row) => row.open as object);
      return open.reduce((sum, streams) => sum + Object.keys(streams).length, 0);
    }
  });

  async function until(holds: () => Promise<boolean>): Promise<void> {
    // The ports' pauses end immediately, so a turn of the event loop lets other work continue.
    while (!(await holds())) await new Promise(setImmediate);
  }

  describe('[cancel.any-process] a tool call running in another process', () => {
    const cancelled = (requestId: unknown, sent: { key?: string; session: string; at: Process }) =>
      http('POST', '/mcp', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }, sent);

    test('is cancelled by notifications/cancelled from its own session, but not from another one', async () => {
      const timeouts = woundTimeouts();
      const [a, b] = [compose({ timeouts }), compose()];
      const session = await open({ at: a });
      const running = call('hang', {}, { session, at: a });
      const requestId = id;
      // A call that the server has not received yet would be cancelled without any effect.
      await until(async () => server.calls().some(([tool]) => tool === 'hang'));
      const lookAgain = async () => {
        await timeouts.armed(1_000);
        timeouts.pass(1_000);
      };

      const theirs = await open({ at: b, key: keys.other });
      expect((await cancelled(requestId, { session: theirs, key: keys.other, at: b })).status).toBe(202);
      expect((await cancelled(requestId, { session: await open({ at: b }), at: b })).status).toBe(202);
      expect((await cancelled(requestId, { session, key: keys.other, at: b })).status).toBe(404);
      await lookAgain();
      await timeouts.armed(1_000);
      expect((await entries(session)).map(({ kind }) => kind)).toEqual(['allow']);

      expect((await cancelled(requestId, { session, at: b })).status).toBe(202);
      await lookAgain();
      // The client gets no response to a request that it cancelled.
      expect(await running).toMatchObject({ messages: [] });
      const [, result] = await entries(session);
      expect(result).toMatchObject({ kind: 'result', body: { outcome: 'unknown', aborted_by: expect.any(String) } });
      expect(result!.body.aborted_by).toBe(result!.actor.key_id);
      await Promise.all([a.gateway.stop(), b.gateway.stop()]);
    });
  });
});

/** Responses sent as events by the endpoint: a client that lost its connection gets the rest of its response. */
describe('resumed answers', () => {
  useMcpEndpoint([{ protocol: 'mcp', tool: 'create_issue', decision: 'review' }]);

  /** Opens a reply whose events are read by hand, as on a connection that may end at any time. */
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
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-api-key': key,
      'mcp-session-id': session,
      ...(last !== undefined && { 'last-event-id': last }),
    };
    const event = {
      httpMethod: method,
      path: '/mcp',
      resource: '/mcp',
      pathParameters: {},
      headers,
      multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
      multiValueQueryStringParameters: {},
      body: body ? JSON.stringify(body) : null,
      isBase64Encoded: false,
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
    jsonrpc: '2.0',
    id: 7,
    method: 'tools/call',
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

  test('[mcp.event-streams] a held call continues after its connection is lost, and a returning client gets its response', async () => {
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

    // A client that has received the end is told not to reconnect.
    const ended = await connect('GET', session, { last: [...text.matchAll(/^id: (.+)$/gm)].at(-1)![1]! });
    expect([ended.status, await ended.next()]).toEqual([204, '']);

    // Lost events are sent again; the call is not repeated.
    const third = await connect('GET', session, { last: idIn(priming)! });
    expect(await third.next()).toBe(progress);
    expect(server.calls().length).toBe(before + 1);
  });

  test('[mcp.event-streams] another session, another key and an unknown event id are refused without revealing any content', async () => {
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
  ])('[mcp.event-streams] %s receives events without ids', async (_, start) => {
    await configure({ hold: 30 });
    const { session, at } = await start();
    const stream = await connect('POST', session, { body: issue(`plain ${session}`), at });
    const first = await stream.next();
    expect(first).toMatch(/^event: message\ndata: .*Waiting/);
    await vote(await pendingId(), 'deny');
    await stream.leave();
    if (at !== gateway) await at.gateway.stop();
  });
});
