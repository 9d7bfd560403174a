/** Traces over HTTP: content, visibility, filters and pages. */

import { tracesTable } from '#adapters/tables/traces-table.ts';
import { mergeTraces, type RecordedSpan, type RecordedTrace, summaryOf } from '#core/observatory/traces.ts';
import { caller } from '../support/call-endpoint.ts';
import type { Loose } from '../support/loose.ts';
import { keys } from '../support/ports.ts';
import { useGateway } from '../support/use-gateway.ts';

const admin = 'admin-token-1';
const gateway = useGateway({ extra: 'providers: [{ name: mock, type: mock, models: [mock] }]' });
const { call } = gateway;

const get = async (path: string, key = admin) => (await call('GET', `/admin/v1/traces${path}`, { key })).body;
const chat = (session: string, key = keys.agent) =>
  call('POST', '/v1/chat/completions', {
    key,
    headers: { 'x-session-id': session },
    body: { model: 'mock', messages: [{ role: 'user', content: `a secret question of ${session}` }] },
  });
const act = (session: string, tool = 'scm.get_file_contents') =>
  gateway.act({ protocol: 'git', tool, target: 'acme/web', capability: 'read', actor: { session } });

test('[trace.routes] a chat call and an action produce traces with the right spans and parents, and without content', async () => {
  await chat('traced-chat');
  await act('traced-action');
  const { traces } = await get('?session=traced-chat');
  expect(traces).toEqual([
    expect.objectContaining({
      root: 'gateway.chat_completion',
      status: 'ok',
      tenant: 'default',
      session_id: 'traced-chat',
      model: 'mock',
    }),
  ]);
  const { spans } = await get(`/${traces[0].trace_id}`);
  const names = spans.map(({ name }: RecordedSpan) => name);
  expect(names[0]).toBe('gateway.chat_completion');
  expect(names).toEqual(expect.arrayContaining(['provider.call', 'provider.mock', 'evidence.record']));
  const byId = new Map(spans.map((span: RecordedSpan) => [span.span_id, span.name]));
  const parents = Object.fromEntries(
    spans.map((span: RecordedSpan) => [span.name, byId.get(span.parent_id as string) ?? null]),
  );
  expect(parents).toMatchObject({
    'gateway.chat_completion': null,
    'provider.call': 'gateway.chat_completion',
    'provider.mock': 'provider.call',
  });
  const provider = spans.find(({ name }: RecordedSpan) => name === 'provider.mock');
  expect(provider.attributes).toMatchObject({ 'gen_ai.response.finish_reasons': ['stop'] });
  expect(JSON.stringify(spans)).not.toContain('secret question');
  const actions = await get('?session=traced-action&tool=scm.get_file_contents&decision=allow');
  expect(actions.traces[0]).toMatchObject({ root: 'mcpgw.tool_call', session_id: 'traced-action', decision: 'allow' });
});

test("[trace.caller] the caller's trace continues through an action; a malformed trace does not", async () => {
  const [trace, parent] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const actWith = (session: string, traceparent: string) =>
    call('POST', '/admin/v1/test-action', {
      key: keys.agent,
      headers: { traceparent },
      body: {
        protocol: 'git',
        tool: 'scm.get_file_contents',
        target: 'acme/web',
        capability: 'read',
        actor: { session },
      },
    });
  await actWith('continued-action', `00-${trace}-${parent}-01`);
  const { spans } = await get(`/${trace}`);
  expect(spans[0]).toMatchObject({ name: 'mcpgw.tool_call', parent_id: parent });
  await actWith('malformed-trace', `00-${trace}-${parent}`);
  const { traces } = await get('?session=malformed-trace');
  expect(traces).toHaveLength(1);
  expect(traces[0].trace_id).not.toBe(trace);
});

const idOf = ({ trace_id }: RecordedTrace) => trace_id;
test('[trace.routes] filters and pages', async () => {
  for (const n of [1, 2, 3, 4, 5]) {
    await chat(`page-${n}`);
    gateway.pass(1);
  }
  const all: RecordedTrace[] = (await get('?limit=200')).traces;
  const times = (all as Loose[]).map(({ started_at }) => started_at);
  expect(times).toEqual(times.toSorted().reverse());
  const paged: string[] = [];
  let cursor = '';
  do {
    const page = await get(`?limit=2${cursor && `&cursor=${cursor}`}`);
    expect(page.traces.length).toBeLessThanOrEqual(2);
    paged.push(...page.traces.map(idOf));
    cursor = page.next ?? '';
  } while (cursor);
  expect(paged).toEqual(all.map(idOf));
  expect((await get('?model=none')).traces).toEqual([]);
  expect((await get('?min_ms=600000')).traces).toEqual([]);
  expect((await get(`?from=${times[0]}`)).traces).toHaveLength(1);
  expect((await get('?status=error')).traces).toEqual([]);
});

test('[trace.isolation] other tenants and roles below operator cannot see any traces', async () => {
  await chat('mine');
  const { traces } = await get('?session=mine');
  expect((await call('GET', '/admin/v1/traces', { key: keys.viewer })).status).toBe(403);
  expect((await call('GET', '/admin/v1/traces', { key: keys.agent })).status).toBe(403);
  const elsewhere = await call('GET', `/admin/v1/traces/${traces[0].trace_id}`, {
    key: admin,
    headers: { 'x-tenant-id': 'elsewhere' },
  });
  expect(elsewhere.status).toBe(200); // the platform token is used
  const own = await call('GET', '/admin/v1/traces?session=mine', { key: keys.human });
  expect(own.body.traces).toHaveLength(1);
  const ports = {
    ...gateway.ports,
    recentTraces: async () => [
      { trace_id: 'f'.repeat(32), spans: [{ ...span('x', 0), attributes: { tenant_id: 'elsewhere' } }] },
    ],
  };
  const asDefault = caller(ports);
  expect((await asDefault('GET', '/admin/v1/traces', { key: keys.human })).body.traces).toEqual([]);
  expect((await asDefault('GET', `/admin/v1/traces/${'f'.repeat(32)}`, { key: keys.human })).status).toBe(404);
});

test('[trace.isolation] the same trace id in calls from two tenants results in one trace for each, and each tenant sees only its own spans', async () => {
  const trace_id = 'c'.repeat(32);
  const of = (tenant_id: string, id: string, ms: number, parent_id?: string): RecordedSpan => ({
    ...span(id, ms, parent_id),
    attributes: { tenant_id, session_id: `session-of-${tenant_id}` },
  });
  const parts = [
    { trace_id, spans: [of('elsewhere', 'theirs', 5, 'edge-theirs')] },
    { trace_id, spans: [span('edge-theirs', 4)] },
    { trace_id, spans: [span('inner', 11, 'ours-1'), of('default', 'ours-1', 10)] },
    { trace_id, spans: [of('default', 'ours-2', 20, 'edge-ours')] },
    { trace_id, spans: [span('edge-ours', 19)] },
    { trace_id, spans: [span('nobody', 30)] },
  ];
  const seen = async (key: string, listed = parts) => {
    const asked = caller({ ...gateway.ports, recentTraces: async () => listed });
    const { traces } = (await asked('GET', '/admin/v1/traces', { key })).body;
    const one = await asked('GET', `/admin/v1/traces/${trace_id}`, { key });
    const spans = one.status === 404 ? one.status : one.body.spans.map((each: RecordedSpan) => each.span_id);
    return { spans, sessions: traces.map((each: { session_id?: string }) => each.session_id) };
  };
  const ours = { spans: ['ours-1', 'inner', 'edge-ours', 'ours-2'], sessions: ['session-of-default'] };
  expect(await seen(keys.human)).toEqual(ours);
  expect(await seen(keys.human, parts.toReversed())).toEqual(ours);
  expect(await seen(keys.human, parts.slice(0, 2))).toEqual({ spans: 404, sessions: [] });
  // The platform sees both, and the traces without a tenant.
  expect(await seen(admin)).toEqual({
    spans: ['edge-theirs', 'theirs', ...ours.spans, 'nobody'],
    sessions: [undefined, 'session-of-default', 'session-of-elsewhere'],
  });
});

test('[trace.isolation] a tenant with many traces displaces only its own traces, both in this process and in the shared ring', async () => {
  const { clock, ids } = gateway.ports;
  const of = (tenant_id: string, n: number): RecordedTrace => ({
    trace_id: `${tenant_id}-${n}`,
    spans: [{ ...span(`${tenant_id}-${n}`, n), attributes: { tenant_id } }],
  });
  const quiet = Array.from({ length: 3 }, (_, n) => of('quiet', n));
  const loud = Array.from({ length: 5_000 }, (_, n) => of('loud', 10 + n));
  const kept = mergeTraces([...quiet, ...loud]);
  expect(kept).toHaveLength(500);
  expect(kept.filter(({ trace_id }) => trace_id.startsWith('quiet'))).toHaveLength(3);
  expect(kept[0]?.trace_id).toBe('loud-5009');

  const traceRing = tracesTable(gateway.store);
  await traceRing.put('quiet', quiet, ids.randomHex(8), clock.now());
  for (let digit = 0; digit < 16; digit++)
    await traceRing.put('loud', loud.slice(0, 600), `0${digit.toString(16)}`, clock.now() + 1 + digit);
  const recent = await traceRing.recent(['quiet'], 500, clock.now() + 50);
  expect(recent.filter(({ trace_id }) => trace_id.startsWith('quiet'))).toEqual(quiet);
  expect(recent.filter(({ trace_id }) => trace_id.startsWith('loud'))).toEqual([]);
  expect(mergeTraces(await traceRing.recent(['quiet', 'loud'], 500, clock.now() + 50))).toHaveLength(500);
});

test.each(['?status=bad', '?decision=maybe', '?min_ms=-1', '?from=yesterday', '?limit=0', '?cursor=x', '?unknown=1'])(
  '[trace.routes] %s is 400',
  async (query) => {
    expect((await call('GET', `/admin/v1/traces${query}`, { key: admin })).status).toBe(400);
  },
);

const span = (span_id: string, ms: number, parent_id?: string): RecordedSpan => ({
  name: `span.${span_id}`,
  span_id,
  attributes: {},
  failed: false,
  duration_us: 1_000,
  started_at: new Date(ms).toISOString(),
  ...(parent_id !== undefined && { parent_id }),
});

test('[trace.caller] edge and gateway spans with the same id form one trace with the edge as its root', () => {
  const [trace] = mergeTraces([
    { trace_id: 't', spans: [span('gateway', 5, 'edge')] },
    { trace_id: 't', spans: [span('edge', 4)] },
  ]);
  expect(trace!.spans.map(({ span_id }) => span_id)).toEqual(['edge', 'gateway']);
  expect(summaryOf(trace!)).toMatchObject({ root: 'span.edge', spans: 2, status: 'ok' });
});

test('[trace.routes] spans in the same millisecond are ordered by stage and come after their parents', () => {
  // In the order in which a process records them, by their end.
  const spans = [
    ...[span('check_input', 5, 'chat'), span('mock', 5, 'call'), span('call', 5, 'chat')],
    ...[span('check_output', 5, 'chat'), { ...span('record', 5, 'chat'), duration_us: 9_000 }, span('chat', 5)],
  ];
  const [trace] = mergeTraces([{ trace_id: 't', spans }]);
  expect(trace!.spans.map(({ span_id }) => span_id)).toEqual([
    ...['chat', 'check_input', 'call', 'mock', 'check_output', 'record'],
  ]);
});

test('[trace.routes] traces from several processes are listed once for a day, up to the newest 500', async () => {
  const { clock, ids } = gateway.ports;
  const traceRing = tracesTable(gateway.store);
  const started = clock.now();
  const at = (index: number, ms = started + index) => [{ trace_id: `shared-${index}`, spans: [span(`s${index}`, ms)] }];
  await Promise.all(Array.from({ length: 40 }, (_, i) => traceRing.put('', at(i), ids.randomHex(8), started + i)));
  await traceRing.put('', at(7), ids.randomHex(8), started);
  await traceRing.put(
    '',
    [{ trace_id: 'shared-7', spans: [span('other', started + 8, 's7')] }],
    ids.randomHex(8),
    started,
  );

  const recent = mergeTraces(await traceRing.recent([], 500, started + 50));
  expect(recent.map(({ trace_id }) => trace_id)).toEqual(Array.from({ length: 40 }, (_, i) => `shared-${39 - i}`));
  expect(recent.find(({ trace_id }) => trace_id === 'shared-7')?.spans.map(({ span_id }) => span_id)).toEqual([
    's7',
    'other',
  ]);
  const many = Array.from({ length: 600 }, (_, i) => at(i)[0]!);
  expect(mergeTraces(many)).toHaveLength(500);
  expect(await traceRing.recent([], 500, started + 24 * 3_600_000 + 100)).toEqual([]);
});

test('[trace.no-content] spans contain no secrets from a target and only valid model names', async () => {
  const token = `ghp_${'a1B2'.repeat(9)}`;
  const spansOf = async (traceId: string, path: string, body: object) => {
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    await call('POST', path, { key: keys.agent, headers, body });
    const { spans } = await get(`/${traceId}`);
    expect(JSON.stringify(spans)).not.toContain(token);
    return spans[0].attributes;
  };
  const action = { protocol: 'git', tool: 'scm.get_file_contents', capability: 'read', actor: { session: 'targets' } };
  const targets = [
    ['1', 'acme/web', 'acme/web'],
    ['2', `acme/${token}`, '[withheld]'],
  ] as const;
  for (const [n, target, shown] of targets)
    expect(await spansOf(n.repeat(32), '/admin/v1/test-action', { ...action, target })).toMatchObject({
      target: shown,
    });
  const run = { ...action, protocol: 'shell', tool: 'shell.run', target: `curl -u me:${token} x.example` };
  expect(await spansOf('3'.repeat(32), '/admin/v1/test-action', run)).toMatchObject({ target: '[withheld]' });
  const messages = [{ role: 'user', content: 'hi' }];
  const models = [
    ['4', { prompt: token }, 'unknown'],
    ['5', undefined, 'unknown'],
    ['6', token, '[withheld]'],
    ['7', 'm'.repeat(9_000), 'm'.repeat(256)],
  ] as const;
  for (const [n, model, shown] of models)
    expect(await spansOf(n.repeat(32), '/v1/chat/completions', { model, messages })).toMatchObject({ model: shown });
});
