/** Clients and servers that violate MCP, votes at the wrong moment, and limits on lists and responses. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sweepApprovals } from '#core/approvals/sweep.ts';
import { stepPorts } from '#lambdas/step-ports.ts';
import {
  call,
  compose,
  configure,
  entries,
  gateway,
  http,
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
import { plainTool, startRecordingServer } from '../support/recording-mcp-server.ts';
import { serve } from '../support/serve.ts';
import { useStarted } from '../support/use-started.ts';

/** Clients and servers that violate MCP, and votes at the wrong moment. */
describe('bad input', () => {
  useMcpEndpoint([{ protocol: 'mcp', tool: 'create_issue', decision: 'review' }]);

  let made = 0;
  const issue = () => ({ title: `bad input ${++made}` });

  describe('[auth.tenant-isolation] ids that belong to another key', () => {
    test.each(['tasks/get', 'tasks/result', 'tasks/cancel'])(
      '%s on a task that belongs to another key is not found, whether the task is waiting or finished',
      async (method) => {
        const [own, foreign] = [await open(), await open({ key: keys.other })];
        const waiting = (await call('create_issue', issue(), { session: own }, { task: {} })).last.result.task.taskId;
        const over = (await call('echo', {}, { session: own }, { task: {} })).last.result.task.taskId;
        for (const taskId of [
          waiting,
          over,
          '00000000-0000-4000-8000-000000000000',
          `done-${'0'.repeat(64)}`,
          '../x',
          '',
        ]) {
          const { error } = (await send(method, { taskId }, { session: foreign, key: keys.other })).last;
          expect(error).toMatchObject({ code: -32602, message: 'Task not found.' });
        }
        expect((await test_.ports.approvals.find(waiting))!.status).toBe('pending');
      },
    );

    test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
      '%s on a 2026-07-28 task that belongs to another key is not found either',
      async (method) => {
        const envelope = {
          ...meta,
          'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
        };
        const { taskId } = (await modern('tools/call', { name: 'create_issue', arguments: issue() }, {}, envelope)).last
          .result;
        const { error } = (await modern(method, { taskId }, { key: keys.other }, envelope)).last;
        expect(error).toMatchObject({ code: -32602, message: 'Task not found.' });
        expect((await test_.ports.approvals.find(taskId))!.status).toBe('pending');
      },
    );

    test.each(['POST', 'GET', 'DELETE'])(
      '%s on a session that belongs to another key is not found, and the session stays open for its owner',
      async (method) => {
        const session = await open();
        const body = method === 'POST' ? { jsonrpc: '2.0', id: 1, method: 'ping' } : undefined;
        const answer = await http(method, '/mcp', body, { session, key: keys.other });
        expect([answer.status, answer.last.error.code]).toEqual([404, -32001]);
        expect((await send('ping', {}, { session })).last.result).toEqual({});
      },
    );
  });

  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

  test.each<[string, Record<string, string>, number]>([
    ['compressed', { 'content-encoding': 'gzip' }, 415],
    ['of an unknown encoding', { 'content-encoding': 'x-own' }, 415],
    ['of another type', { 'content-type': 'text/plain' }, 415],
    ['in another charset', { 'content-type': 'application/json; charset=latin1' }, 415],
    ['uncompressed, which its header says', { 'content-encoding': 'identity' }, 200],
    ['with its charset', { 'content-type': 'application/json; charset=utf-8' }, 200],
  ])('[error.not-found] a message %s', async (_, headers, status) => {
    const reply = await http('POST', '/mcp', ping, { headers });
    expect(reply.status).toBe(status);
    if (status === 415) expect(reply.last.error.data).toEqual({ type: 'unsupported_media_type' });
    else expect(reply.last).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  });

  test("[limit.body] a message above its tenant's limit is refused, and one at the limit is answered", async () => {
    const size = JSON.stringify(ping).length;
    await configure({ bodyBytes: size });
    expect((await http('POST', '/mcp', ping)).last).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    expect((await http('POST', '/mcp', { ...ping, id: 12 })).status).toBe(413);
    await configure();
  });

  describe('[mcp.upstream-error] a server that responds with garbage', () => {
    type Answer = (response: ServerResponse, id: unknown) => void;
    const json = (response: ServerResponse, value: unknown, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof value === 'string' ? value : JSON.stringify(value));
    };
    const events = (response: ServerResponse, text: string) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(text);
    };
    /** Behaviour of each server, the reported reason, and the recorded outcome of the call. */
    const behaviours: Readonly<Record<string, readonly [Answer, string, string]>> = {
      no_json: [(response) => json(response, '{"jsonrpc":'), 'garbage', 'unknown'],
      no_object: [(response) => json(response, 'null'), 'garbage', 'unknown'],
      html: [
        (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
        'garbage',
        'unknown',
      ],
      another_id: [(response) => json(response, { jsonrpc: '2.0', id: 'x', result: {} }), 'garbage', 'unknown'],
      result_is_text: [(response, id) => json(response, { jsonrpc: '2.0', id, result: 'done' }), 'garbage', 'unknown'],
      empty: [(response) => response.writeHead(200).end(), 'garbage', 'unknown'],
      only_accepted: [(response) => response.writeHead(202).end(), 'garbage', 'unknown'],
      no_event_json: [(response) => events(response, 'data: {oops\n\n'), 'garbage', 'unknown'],
      no_answer: [(response) => events(response, ': nothing\n\n'), 'broken', 'unknown'],
      cut: [(response) => response.destroy(), 'broken', 'unknown'],
      cut_within: [
        (response) => {
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
          response.write('{', () => response.destroy());
        },
        'broken',
        'unknown',
      ],
      fails: [(response) => response.writeHead(500).end('oops at 10.0.0.9'), 'broken', 'unknown'],
      moved: [
        (response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
        'unreachable',
        'failed',
      ],
      unknown_path: [(response) => response.writeHead(404).end(), 'unreachable', 'failed'],
    };
    let calls: string[] = [];

    const odd = useStarted(() => serve((request, response) => void answered(request, response)));

    async function answered(request: IncomingMessage, response: ServerResponse): Promise<void> {
      let body = '';
      for await (const chunk of request) body += chunk;
      const { id, method, params } = JSON.parse(body || '{}');
      const reply = (result: object) => json(response, { jsonrpc: '2.0', id, result });
      const tools = Object.keys(behaviours).map((name) => ({ name, inputSchema: { type: 'object' } }));
      if (method === 'initialize') {
        const serverInfo = { name: 'odd', version: '1' };
        reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo });
      } else if (method === 'tools/list') reply({ tools });
      else if (method === 'tools/call') {
        calls.push(params.name);
        behaviours[params.name]![0](response, id);
      } else response.writeHead(method === undefined ? 405 : 202).end();
    }

    test.each(Object.entries(behaviours))('%s', async (name, [, reason, outcome]) => {
      await configure({ upstreams: [{ name: 'odd', url: `${odd.url}/mcp` }] });
      calls = [];
      const session = await open();
      const { error } = (await call(name, {}, { session })).last;
      expect(error).toMatchObject({
        code: -32000,
        data: { tool: name, upstream: 'odd', reason, hint: expect.any(String) },
      });
      expect(error.message).not.toMatch(/127\.0\.0\.1|10\.0\.0\.9/);
      expect((await entries(session)).at(-1)!.body).toMatchObject({ outcome });
      // The call is not retried.
      expect(calls).toEqual([name]);
    });
  });

  describe('[approval.used-once] interruptions between the vote, the call and the record of its outcome', () => {
    test('a task cancelled while it is being approved has a single outcome, and runs only if it was approved', async () => {
      const session = await open();
      for (let round = 0; round < 8; round++) {
        const calls = server.calls().length;
        const { taskId } = (await call('create_issue', issue(), { session }, { task: {} })).last.result.task;
        const [cancelled, voted] = await Promise.all([
          send('tasks/cancel', { taskId }, { session }),
          vote(taskId, 'approve'),
        ]);
        const approved = voted.status === 200;
        expect(cancelled.last.error === undefined).toBe(!approved);
        const { result, error } = (await send('tasks/result', { taskId }, { session })).last;
        expect([result !== undefined, error !== undefined]).toEqual([approved, !approved]);
        expect(server.calls().length).toBe(calls + (approved ? 1 : 0));
      }
    });

    test('if a gateway dies after the call but before recording it, the outcome is unknown, and the call is not repeated', async () => {
      const { ledger } = test_.ports;
      const reached = Promise.withResolvers<void>();
      const dying = compose({
        ledger: {
          ...ledger,
          commit: (step) => {
            if (step.draft.kind !== 'result') return ledger.commit(step);
            reached.resolve();
            return new Promise(() => {});
          },
        },
      });
      const session = await open();
      const args = issue();
      const id = (await call('create_issue', args, { session })).last.error.data.envelope_id;
      await vote(id, 'approve');
      const calls = server.calls().length;
      void call('create_issue', args, { session, at: dying });
      await reached.promise;
      expect(server.calls().length).toBe(calls + 1);
      test_.pass(121);
      expect(await sweepApprovals(stepPorts(test_.ports))).toMatchObject({ leases_ended: 1 });
      expect(await test_.ports.approvals.find(id)).toMatchObject({ status: 'consumed', outcome: 'unknown' });
      const again = (await call('create_issue', args, { session, at: gateway })).last.error;
      expect(again).toMatchObject({ code: -32002, data: { reason: 'already_used' } });
      expect(again.data.envelope_id).not.toBe(id);
      expect(server.calls().length).toBe(calls + 1);
    });
  });
});

/** Limits on lists and responses of MCP servers, and fair scheduling of other requests. */
describe('bounds', () => {
  useMcpEndpoint([{ protocol: 'mcp', tool: '*', decision: 'allow' }], 'none');

  const upstream = useStarted(() => startRecordingServer([]));
  afterEach(() => upstream.answer(undefined));

  let run = 0;
  const upstreams = (more: object = {}) => [{ name: `bounded${++run}`, url: upstream.url, ...more }];
  const offer = (many: number) => upstream.offer(Array.from({ length: many }, (_, n) => plainTool(`tool_${n}`)));

  test.each([
    ['one server', false],
    ['several servers', true],
  ])(
    '[mcp.answer-bounds] a server with more tools than max_tools is refused, and the error gives the limit: %s',
    async (_, several) => {
      const own = upstreams({ max_tools: 3 });
      upstream.clear();
      offer(4);
      await configure({ upstreams: several ? [...own, ...upstreams({ max_tools: 3 })] : own });
      const session = await open();
      const { error } = (await send('tools/list', {}, { session })).last;
      expect(error.message).toContain('more than 3 tools (max_tools)');
      expect((await call('tool_1', {}, { session })).last.error.message).toContain('max_tools');
      expect(upstream.received()).toEqual([]);

      offer(3);
      await configure({ upstreams: upstreams({ max_tools: 3 }) });
      expect((await send('tools/list', {}, { session: await open() })).last.result.tools).toHaveLength(3);
    },
  );

  test('[mcp.answer-bounds] a long list is hashed, checked and returned in slices so that other requests get a turn', async () => {
    let turns = 0;
    offer(640);
    await configure({ upstreams: upstreams({ drift: 'block' }) });
    const at = compose({ pause: async () => void turns++ });
    const { tools } = (await send('tools/list', {}, { session: await open({ at }), at })).last.result;
    expect(tools).toHaveLength(640);
    expect(turns).toBe(30); // 640 / 64, for fingerprints, rules and accepted definitions
  });

  describe('[mcp.answer-bounds] an answer', () => {
    const answered = async (more: object, structuredContent: object) => {
      offer(1);
      upstream.answer({ content: [], structuredContent: structuredContent as never });
      await configure({ upstreams: upstreams(more) });
      return (await call('tool_0', {}, { session: await open() })).last;
    };
    const nested = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`) as object;

    test('a result with more values than max_result_values is refused without being parsed, and the error gives the limit', async () => {
      const parse = jest.spyOn(JSON, 'parse');
      const { error } = await answered({ max_result_values: 2_000 }, { list: Array(3_000).fill(1) });
      expect(error.message).toContain('more than 2000 values (max_result_values)');
      expect(error.data.reason).toBe('too-large');
      const long = parse.mock.calls.filter(
        ([text]) => String(text).length > 6_000 && String(text).startsWith('{"jsonrpc"'),
      );
      parse.mockRestore();
      expect(long).toHaveLength(0);
      expect((await answered({ max_result_values: 4_000 }, { list: Array(3_000).fill(1) })).result).toBeDefined();
    });

    test('members of null are left out, because strict clients would refuse the result; false stays', async () => {
      offer(1);
      await configure({ upstreams: upstreams({}) });
      const session = await open();
      const content = { type: 'text', text: 'done' };
      const nulls = { structuredContent: null, _meta: null };
      upstream.answer({ ...nulls, isError: null, content: [{ ...content, annotations: null }] } as never);
      expect((await call('tool_0', {}, { session })).last.result).toEqual({ content: [content] });
      upstream.answer({ ...nulls, isError: false, content: [content], structuredContent: { a: null } } as never);
      const { result } = (await call('tool_0', {}, { session })).last;
      expect(result).toEqual({ isError: false, content: [content], structuredContent: { a: null } });
    });

    test('a result nested deeper than 256 levels is refused; a shallower one passes', async () => {
      expect((await answered({}, nested(300))).error.message).toContain('deeper than 256 levels');
      expect((await answered({}, nested(40))).result.structuredContent).toEqual(nested(40));
    });
  });

  test('[mcp.answer-bounds] the log contains no gateway errors for these results', () => {
    expect(test_.lines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });
});
