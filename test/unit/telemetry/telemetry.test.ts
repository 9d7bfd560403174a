import type { EndedSpan, SpanSink } from '#adapters/telemetry/spans.ts';
import { logTelemetry, type Tracer } from '#adapters/telemetry/telemetry.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { TraceHeaders } from '#core/kernel/ports.ts';

function setting(options: { deployment?: string; tracer?: Tracer } = {}) {
  const lines: string[] = [];
  const time = { ms: Date.UTC(2026, 0, 1) };
  const clock = { now: () => time.ms };
  const telemetry = logTelemetry({ clock, write: (line) => void lines.push(line), service: 'gateway', ...options });
  return { telemetry, lines, time, parsed: () => lines.map((line) => JSON.parse(line)) };
}
const nothing = async () => {};

describe('log lines', () => {
  test('an evaluated action is one line of JSON with the fields of the specification', () => {
    const { telemetry, parsed } = setting();
    const fields = { envelope_id: 'e1', tool: 'scm.get_issue', decision: 'allow', latency_us: 1234 };
    telemetry.log('info', 'action evaluated', fields);
    expect(parsed()).toEqual([
      { ts: '2026-01-01T00:00:00.000Z', level: 'info', msg: 'action evaluated', service: 'gateway', ...fields },
    ]);
  });

  test('a field cannot pass itself off as the time, the level or the message', () => {
    const { telemetry, parsed } = setting();
    telemetry.log('warn', 'true words', { ts: 'then', level: 'debug', msg: 'false words' });
    expect(parsed()[0]).toMatchObject({ ts: '2026-01-01T00:00:00.000Z', level: 'warn', msg: 'true words' });
  });

  test('values under secret names and recognised tokens never reach the log, however deep', () => {
    const { telemetry, lines, parsed } = setting();
    const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    telemetry.log('error', 'failed', {
      password: 'hunter2-hunter2',
      request: { headers: [{ authorization: 'Bearer abcdef' }], max_tokens: 5 },
      tokens: 17,
      error: new Error(`used ${token} in vain`),
    });
    for (const secret of ['hunter2', 'abcdef', token]) expect(lines[0]).not.toContain(secret);
    expect(parsed()[0]).toMatchObject({ password: '[withheld]', tokens: 17, request: { max_tokens: 5 } });
    expect(parsed()[0].error).toContain('in vain');
  });

  test('logging never throws: cycles, bigints, functions', () => {
    const { telemetry, lines } = setting();
    const cycle: Record<string, unknown> = { big: 1n, call: () => 1 };
    cycle.self = cycle;
    telemetry.log('info', 'odd', cycle);
    expect(JSON.parse(lines[0]!)).toMatchObject({ msg: 'odd', big: '1' });
  });
});

describe('metrics', () => {
  test('counters and gauges as Prometheus text, labels escaped', () => {
    const { telemetry } = setting();
    telemetry.count('svc_policy_decisions_total', { decision: 'allow', protocol: 'git' });
    telemetry.count('svc_policy_decisions_total', { decision: 'allow', protocol: 'git' }, 2);
    telemetry.count('svc_policy_decisions_total', { decision: 'block', protocol: 'a"b\\c\nd' });
    telemetry.gauge('svc_approvals_pending', 4);
    telemetry.gauge('svc_approvals_pending', 3);
    expect(telemetry.metricsText()).toBe(
      [
        '# TYPE svc_policy_decisions_total counter',
        'svc_policy_decisions_total{decision="allow",protocol="git"} 3',
        'svc_policy_decisions_total{decision="block",protocol="a\\"b\\\\c\\nd"} 1',
        '# TYPE svc_approvals_pending gauge',
        'svc_approvals_pending 3',
        '',
      ].join('\n'),
    );
  });

  test('nothing counted is an empty text', () => {
    expect(setting().telemetry.metricsText()).toBe('');
  });

  test('label values from outside cannot grow a metric without end, and nothing goes uncounted', () => {
    const { telemetry } = setting();
    for (let i = 0; i < 1000; i++) telemetry.count('c', { protocol: `p${i}` });
    const series = telemetry.metricsText().split('\n').slice(1, -1);
    expect(series.length).toBeLessThanOrEqual(201);
    expect(series.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0)).toBe(1000);
    expect(series.at(-1)).toContain('protocol="other"');
  });

  test('frozen labels of a caller are written and bounded as those of a single call', () => {
    const { telemetry } = setting();
    const kept = Array.from({ length: 300 }, (_, i) => Object.freeze({ model: `m"${i}` }));
    for (const labels of kept) telemetry.count('c', labels);
    telemetry.count('c', kept[0]!);
    telemetry.count('c', { model: 'm"0' });
    const text = telemetry.metricsText();
    expect(text).toContain('c{model="m\\"0"} 3\n');
    expect(text).toContain('c{model="other"} 100\n');
  });

  test('a histogram has cumulative buckets by its unit, a sum and a count', () => {
    const { telemetry } = setting();
    for (const ms of [3, 40, 40, 999_999]) telemetry.observe('svc_chat_latency_ms', ms, {});
    const lines = telemetry.metricsText().split('\n');
    expect(lines[0]).toBe('# TYPE svc_chat_latency_ms histogram');
    expect(lines).toContain('svc_chat_latency_ms_bucket{le="2"} 0');
    expect(lines).toContain('svc_chat_latency_ms_bucket{le="5"} 1');
    expect(lines).toContain('svc_chat_latency_ms_bucket{le="50"} 3');
    expect(lines).toContain('svc_chat_latency_ms_bucket{le="60000"} 3');
    expect(lines).toContain('svc_chat_latency_ms_bucket{le="+Inf"} 4');
    expect(lines).toContain('svc_chat_latency_ms_sum 1000082');
    expect(lines).toContain('svc_chat_latency_ms_count 4');
  });

  test('an observation on an edge belongs to the bucket of that edge', () => {
    const { telemetry } = setting();
    telemetry.observe('svc_x_ms', 5, {});
    expect(telemetry.metricsText()).toContain('svc_x_ms_bucket{le="2"} 0\nsvc_x_ms_bucket{le="5"} 1\n');
  });

  test('dotted names and labels are written as OpenTelemetry writes them for Prometheus', () => {
    const { telemetry } = setting();
    const labels = { 'gen_ai.token.type': 'input' };
    telemetry.observe('gen_ai.client.token.usage', 67_108_864, labels);
    telemetry.observe('gen_ai.client.operation.duration', 0.3, {});
    telemetry.count('gen_ai.client.inference.usage.input_tokens', {}, 9);
    const text = telemetry.metricsText();
    const edges = [...text.matchAll(/gen_ai_client_token_usage_bucket\{gen_ai_token_type="input",le="(\d+)"\} (\d)/g)];
    expect(edges.map(([, edge]) => Number(edge))).toEqual(Array.from({ length: 14 }, (_, power) => 4 ** power));
    expect(edges.map(([, , count]) => Number(count))).toEqual([...Array(13).fill(0), 1]);
    expect(text).toContain('gen_ai_client_operation_duration_seconds_bucket{le="0.32"} 1\n');
    expect(text).toContain('gen_ai_client_inference_usage_input_tokens_total 9\n');
  });

  test('series of a histogram are bounded as those of a counter', () => {
    const { telemetry } = setting();
    for (let i = 0; i < 1000; i++) telemetry.observe('h_ms', 1, { model: `m${i}` });
    const counts = telemetry.metricsText().match(/^h_ms_count.*$/gm) ?? [];
    expect(counts.length).toBeLessThanOrEqual(201);
    expect(counts.at(-1)).toBe('h_ms_count{model="other"} 800');
  });
});

describe('CloudWatch embedded metrics', () => {
  const Namespace = 'AgentGovernance';

  test('what one invocation counts leaves at its end in as few lines as names and dimensions allow', async () => {
    const { telemetry, lines, parsed } = setting({ deployment: 'team-b' });
    telemetry.count('svc_chat_requests_total', { outcome: 'completed' });
    telemetry.count('svc_chat_tokens_total', { direction: 'input' }, 11);
    telemetry.count('svc_chat_tokens_total', { direction: 'output' }, 7);
    telemetry.count('svc_chat_tokens_total', { direction: 'output' }, 2);
    telemetry.observe('svc_chat_latency_ms', 40, {});
    telemetry.observe('svc_chat_latency_ms', 60, {});
    telemetry.gauge('svc_breaker_open', 2);
    telemetry.gauge('svc_breaker_open', 1);
    expect(lines).toEqual([]);
    await telemetry.flush();
    expect(parsed()).toEqual([
      {
        _aws: {
          Timestamp: Date.UTC(2026, 0, 1),
          CloudWatchMetrics: [
            { Namespace, Dimensions: [['deployment', 'outcome']], Metrics: [{ Name: 'svc_chat_requests_total' }] },
            { Namespace, Dimensions: [['deployment', 'direction']], Metrics: [{ Name: 'svc_chat_tokens_total' }] },
            {
              Namespace,
              Dimensions: [['deployment']],
              Metrics: [{ Name: 'svc_chat_latency_ms', Unit: 'Milliseconds' }, { Name: 'svc_breaker_open' }],
            },
          ],
        },
        deployment: 'team-b',
        outcome: 'completed',
        direction: 'input',
        svc_chat_requests_total: 1,
        svc_chat_tokens_total: 11,
        svc_chat_latency_ms: [40, 60],
        svc_breaker_open: 1,
      },
      {
        _aws: {
          Timestamp: Date.UTC(2026, 0, 1),
          CloudWatchMetrics: [
            { Namespace, Dimensions: [['deployment', 'direction']], Metrics: [{ Name: 'svc_chat_tokens_total' }] },
          ],
        },
        deployment: 'team-b',
        direction: 'output',
        svc_chat_tokens_total: 9,
      },
    ]);
    await telemetry.flush();
    expect(lines).toHaveLength(2);
  });

  test('without a call of flush, a hundred changes flush', () => {
    const { telemetry, parsed } = setting({ deployment: 'team-b' });
    for (let i = 0; i < 250; i++) telemetry.count('c', {});
    expect(parsed().map(({ c }) => c)).toEqual([100, 100]);
  });

  test('and a change that comes a second after the first; each line bears the time of its first', () => {
    const { telemetry, parsed, time } = setting({ deployment: 'team-b' });
    telemetry.count('c', {});
    time.ms += 999;
    telemetry.count('c', {});
    time.ms += 1;
    telemetry.count('c', {});
    expect(parsed()).toMatchObject([{ c: 2, _aws: { Timestamp: Date.UTC(2026, 0, 1) } }]);
  });

  test('an empty dimension, which CloudWatch ignores, is written as none', async () => {
    const { telemetry, parsed } = setting({ deployment: 'team-b' });
    telemetry.count('svc_provider_errors_total', { provider: '' });
    await telemetry.flush();
    expect(parsed()[0]).toMatchObject({ provider: 'none', svc_provider_errors_total: 1 });
  });

  test('elsewhere nothing of it is written', async () => {
    const { telemetry, lines } = setting();
    telemetry.count('c', {});
    await telemetry.flush();
    expect(lines).toEqual([]);
  });
});

describe('spans', () => {
  test('nest into one trace, keep what stages add, and end when their work fails', async () => {
    const { telemetry, parsed } = setting();
    const work = telemetry.span('mcpgw.tool_call', { tool: 'scm.get_issue' }, async (span) => {
      await telemetry.span('policy.evaluate', {}, nothing);
      telemetry.log('info', 'inside');
      span.set({ decision: 'allow' });
      await telemetry.span('credential.issue', { scope: 'contents:read' }, async () => {
        throw new Error('no key');
      });
    });
    await expect(work).rejects.toThrow('no key');
    const [trace, ...others] = telemetry.recentTraces();
    expect(others).toEqual([]);
    expect(trace?.spans.map(({ name, depth, failed }) => [name, depth, failed])).toEqual([
      ['policy.evaluate', 1, false],
      ['credential.issue', 1, true],
      ['mcpgw.tool_call', 0, true],
    ]);
    expect(trace?.spans[2]).toMatchObject({
      attributes: { tool: 'scm.get_issue', decision: 'allow' },
      started_at: '2026-01-01T00:00:00.000Z',
      duration_us: expect.any(Number),
    });
    expect(parsed()[0].trace_id).toBe(trace?.trace_id);
  });

  test('of concurrent actions do not mix', async () => {
    const { telemetry } = setting();
    const action = (name: string) =>
      telemetry.span(name, {}, async () => {
        await Promise.resolve();
        await telemetry.span(`${name}.inner`, {}, nothing);
      });
    await Promise.all([action('a'), action('b')]);
    expect(telemetry.recentTraces().map(({ spans }) => spans.map(({ name }) => name))).toEqual([
      ['a.inner', 'a'],
      ['b.inner', 'b'],
    ]);
  });

  test('[trace.ring] the last 500 traces are kept', async () => {
    const { telemetry } = setting();
    for (let i = 0; i < 503; i++) await telemetry.span(`t${i}`, {}, nothing);
    const traces = telemetry.recentTraces();
    expect(traces).toHaveLength(500);
    expect(traces[0]?.spans[0]?.name).toBe('t3');
  });

  test('an answer of the gateway to a fault of the caller is not a failure of the span; both say what it was', async () => {
    const { telemetry } = setting();
    const ended: EndedSpan[] = [];
    telemetry.exportTo(sinkOf(ended));
    for (const thrown of [new GatewayError('policy_violation', 'no'), new GatewayError('provider_error', 'no'), 'odd'])
      await telemetry.span('s', {}, () => Promise.reject(thrown)).catch(() => {});
    expect(ended.map(({ end, attributes }) => [end, attributes['error.type']])).toEqual([
      ['refused', 'policy_violation'],
      ['failed', 'provider_error'],
      ['failed', 'string'],
    ]);
  });
});

function sinkOf(ended: EndedSpan[], rate = 1, slowMs = Number.POSITIVE_INFINITY): SpanSink {
  const push = (span: EndedSpan) => void ended.push(span);
  return { sampleRate: () => rate, slowMs: () => slowMs, push, flush: nothing, stop: nothing };
}

describe('traces that the rate leaves out', () => {
  const fail = () => Promise.reject(new GatewayError('provider_timeout', 'late'));

  function unsampled(slowMs?: number) {
    const { telemetry } = setting();
    const ended: EndedSpan[] = [];
    telemetry.exportTo(sinkOf(ended, 0, slowMs));
    return { telemetry, names: () => ended.map(({ name, sampled }) => [name, sampled]) };
  }

  test('[trace.sampling] are exported whole when a span of theirs failed', async () => {
    const { telemetry, names } = unsampled();
    await telemetry.span('call', {}, async () => {
      await telemetry.span('before', {}, nothing);
      await telemetry.span('provider', {}, fail).catch(nothing);
      expect(names()).toEqual([]);
    });
    expect(names()).toEqual([
      ['before', true],
      ['provider', true],
      ['call', true],
    ]);
    await telemetry.span('next', {}, nothing);
    expect(names()).toHaveLength(3);
  });

  test('[trace.sampling] are exported when they were slow, and not when a caller was refused', async () => {
    const slow = unsampled(0);
    await slow.telemetry.span('call', {}, () => slow.telemetry.span('inner', {}, nothing));
    expect(slow.names()).toEqual([
      ['inner', true],
      ['call', true],
    ]);
    const quick = unsampled();
    const refusal = () => Promise.reject(new GatewayError('policy_violation', 'no'));
    await quick.telemetry.span('call', {}, refusal).catch(nothing);
    expect(quick.names()).toEqual([]);
  });

  test('[trace.sampling] are exported with what stands before and behind the listener that failed', async () => {
    const { telemetry, names } = unsampled();
    const through = (work: () => Promise<never>) =>
      telemetry.continued({}, () =>
        telemetry.span('edge.request', {}, async () => {
          const headers = telemetry.outgoing();
          expect(headers.traceparent).toMatch(/-02$/);
          await telemetry.continued(headers, () => telemetry.span('gateway.chat_completion', {}, work)).catch(nothing);
        }),
      );
    await through(fail);
    expect(names()).toEqual([
      ['gateway.chat_completion', true],
      ['edge.request', true],
    ]);
  });

  test('[trace.sampling] stay out where the caller said so, whatever happens', async () => {
    const { telemetry, names } = unsampled(0);
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
    await telemetry.continued({ traceparent }, () => telemetry.span('theirs', {}, fail)).catch(nothing);
    expect(names()).toEqual([]);
  });
});

describe('trace context', () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const caller = 'b7ad6b7169203331';
  const traceparent = `00-${trace}-${caller}-01`;

  /** The spans of one call, and what it would send on, from within the inner one. */
  async function called(from: TraceHeaders, telemetry = setting().telemetry) {
    const ended: EndedSpan[] = [];
    telemetry.exportTo(sinkOf(ended));
    const sent = await telemetry.continued(from, () =>
      telemetry.span('outer', {}, () => telemetry.span('inner', {}, async () => telemetry.outgoing())),
    );
    const [inner, outer] = ended;
    return { inner: inner!, outer: outer!, sent, traces: telemetry.recentTraces() };
  }

  test('[chat.traceparent] the caller’s trace goes on: same trace, its span is the parent, ours is sent on', async () => {
    const { inner, outer, sent, traces } = await called({ traceparent });
    expect(outer).toMatchObject({ traceId: trace, parentId: caller, parentIsRemote: true, sampled: true });
    expect(inner).toMatchObject({ traceId: trace, parentId: outer.spanId, parentIsRemote: false });
    expect(outer.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(sent).toEqual({ traceparent: `00-${trace}-${inner.spanId}-01` });
    expect(traces).toMatchObject([
      {
        trace_id: trace,
        spans: [
          { name: 'inner', span_id: inner.spanId, parent_id: outer.spanId, depth: 1 },
          { name: 'outer', span_id: outer.spanId, parent_id: caller, depth: 0 },
        ],
      },
    ]);
  });

  test('tracestate travels on behind our member', async () => {
    const { inner, sent } = await called({ traceparent, tracestate: 'rojo=1,congo=2' });
    expect(sent.tracestate).toBe(`agg=${inner.spanId},rojo=1,congo=2`);
  });

  test('a malformed header begins a new, random trace and drops tracestate', async () => {
    const { outer, sent } = await called({ traceparent: `${traceparent}-x`, tracestate: 'rojo=1' });
    expect(outer.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(outer.traceId).not.toBe(trace);
    expect(outer.parentId).toBeUndefined();
    expect(sent).toEqual({ traceparent: expect.stringMatching(new RegExp(`^00-${outer.traceId}-[0-9a-f]{16}-03$`)) });
  });

  test('an unsampled trace is continued and not exported, but still in the ring', async () => {
    const { telemetry } = setting();
    const ended: EndedSpan[] = [];
    telemetry.exportTo(sinkOf(ended));
    await telemetry.continued({ traceparent: `00-${trace}-${caller}-00` }, () =>
      telemetry.span('s', {}, async () => {
        expect(telemetry.outgoing().traceparent).toMatch(/-00$/);
      }),
    );
    expect(ended).toEqual([]);
    expect(telemetry.recentTraces()).toHaveLength(1);
  });

  test('of traces that begin here the rate decides; of a caller’s the caller', async () => {
    const { telemetry } = setting();
    const ended: EndedSpan[] = [];
    telemetry.exportTo(sinkOf(ended, 0));
    await telemetry.span('ours', {}, nothing);
    await telemetry.continued({ traceparent }, () => telemetry.span('theirs', {}, nothing));
    expect(ended.map(({ name }) => name)).toEqual(['theirs']);
  });

  test('the function’s X-Ray trace stands in, as header or environment', async () => {
    const xray = `Root=1-${trace.slice(0, 8)}-${trace.slice(8)};Parent=${caller};Sampled=1`;
    expect((await called({ xray })).outer).toMatchObject({ traceId: trace, parentId: caller });
    process.env._X_AMZN_TRACE_ID = xray;
    try {
      expect((await called({})).outer).toMatchObject({ traceId: trace, parentId: caller });
      const { telemetry } = setting();
      await telemetry.span('of a function without HTTP', {}, nothing);
      expect(telemetry.recentTraces()[0]?.trace_id).toBe(trace);
    } finally {
      delete process.env._X_AMZN_TRACE_ID;
    }
  });

  test('spans of one request share a trace though none of them contains the others', async () => {
    const { telemetry } = setting();
    await telemetry.continued({}, async () => {
      await telemetry.span('a', {}, nothing);
      await telemetry.span('b', {}, nothing);
    });
    const [a, b, ...others] = telemetry.recentTraces();
    expect(others).toEqual([]);
    expect(a?.trace_id).toBe(b?.trace_id);
  });

  test('a request without headers stays within the span at hand', async () => {
    const { telemetry } = setting();
    await telemetry.span('edge.request', {}, () =>
      telemetry.continued({}, () => telemetry.span('inside', {}, nothing)),
    );
    expect(telemetry.recentTraces().map(({ spans }) => spans.map(({ name, depth }) => [name, depth]))).toEqual([
      [
        ['inside', 1],
        ['edge.request', 0],
      ],
    ]);
  });

  test('outside of a span nothing is sent on', async () => {
    const { telemetry } = setting();
    expect(telemetry.outgoing()).toEqual({});
    expect(await telemetry.continued({ traceparent }, async () => telemetry.outgoing())).toEqual({});
  });

  test('a child lies within its parent, to the microsecond', async () => {
    const { inner, outer } = await called({});
    expect(inner.startMs).toBeGreaterThanOrEqual(outer.startMs);
    expect(inner.endMs).toBeGreaterThanOrEqual(inner.startMs);
    expect(outer.endMs).toBeGreaterThanOrEqual(inner.endMs - 0.001);
  });
});
