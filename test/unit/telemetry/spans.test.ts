/** Spans, those that are exported, and those that the rate leaves out. */
import type { EndedSpan } from '#adapters/telemetry/spans.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { nothing, setting, sinkOf } from './telemetry-setting.ts';

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
