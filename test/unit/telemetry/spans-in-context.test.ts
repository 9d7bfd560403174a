/** Trace context: received from a caller, and passed to a callee. */
import type { EndedSpan } from '#adapters/telemetry/spans.ts';
import type { TraceHeaders } from '#core/kernel/ports.ts';
import { nothing, setting, sinkOf } from './telemetry-setting.ts';

describe('trace context', () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const caller = 'b7ad6b7169203331';
  const traceparent = `00-${trace}-${caller}-01`;

  /** Returns the spans of one call, and the headers that it would send from inside the inner span. */
  async function called(from: TraceHeaders, telemetry = setting().telemetry) {
    const ended: EndedSpan[] = [];
    telemetry.exportTo(sinkOf(ended));
    const sent = await telemetry.continued(from, () =>
      telemetry.span('outer', {}, () => telemetry.span('inner', {}, async () => telemetry.outgoing())),
    );
    const [inner, outer] = ended;
    return { inner: inner!, outer: outer!, sent, traces: telemetry.recentTraces() };
  }

  test('[trace.routes] a leaf span is a child of its caller’s span, or a root span if there is no caller', async () => {
    const { telemetry } = setting();
    const ended: EndedSpan[] = [];
    telemetry.exportTo(sinkOf(ended));
    await telemetry.span('outer', {}, () => telemetry.leafSpan('leaf', { a: 1 }, async (span) => span.set({ b: 2 })));
    await telemetry.leafSpan('alone', {}, async () => expect(telemetry.outgoing()).toHaveProperty('traceparent'));
    const [leaf, outer, alone] = ended;
    expect(leaf).toMatchObject({ name: 'leaf', attributes: { a: 1, b: 2 }, parentId: outer!.spanId });
    expect(alone).toMatchObject({ name: 'alone', parentId: undefined });
  });

  test('tracestate is forwarded with the gateway’s member first', async () => {
    const { inner, sent } = await called({ traceparent, tracestate: 'rojo=1,congo=2' });
    expect(sent.tracestate).toBe(`agg=${inner.spanId},rojo=1,congo=2`);
  });

  test('a malformed header starts a new, random trace and drops tracestate', async () => {
    const { outer, sent } = await called({ traceparent: `${traceparent}-x`, tracestate: 'rojo=1' });
    expect(outer.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(outer.traceId).not.toBe(trace);
    expect(outer.parentId).toBeUndefined();
    expect(sent).toEqual({ traceparent: expect.stringMatching(new RegExp(`^00-${outer.traceId}-[0-9a-f]{16}-03$`)) });
  });

  test('an unsampled trace is continued and kept in memory but not exported', async () => {
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

  test('the sampling rate applies to traces that start here, and a caller’s decision applies to the caller’s traces', async () => {
    const { telemetry } = setting();
    const ended: EndedSpan[] = [];
    telemetry.exportTo(sinkOf(ended, 0));
    await telemetry.span('ours', {}, nothing);
    await telemetry.continued({ traceparent }, () => telemetry.span('theirs', {}, nothing));
    expect(ended.map(({ name }) => name)).toEqual(['theirs']);
  });

  test("the function's X-Ray trace is used, from header or environment", async () => {
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

  test('spans of one request share a trace even without a common parent', async () => {
    const { telemetry } = setting();
    await telemetry.continued({}, async () => {
      await telemetry.span('a', {}, nothing);
      await telemetry.span('b', {}, nothing);
    });
    const [a, b, ...others] = telemetry.recentTraces();
    expect(others).toEqual([]);
    expect(a?.trace_id).toBe(b?.trace_id);
  });

  test('a request without headers continues the current span', async () => {
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
});
