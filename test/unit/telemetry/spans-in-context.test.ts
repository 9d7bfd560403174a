/** The context of a trace: taken from a caller, given to a callee. */
import type { EndedSpan } from '#adapters/telemetry/spans.ts';
import type { TraceHeaders } from '#core/kernel/ports.ts';
import { nothing, setting, sinkOf } from './telemetry-setting.ts';

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
