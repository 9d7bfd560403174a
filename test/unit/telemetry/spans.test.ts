/** Spans that are exported, and spans omitted by the sampling rate. */
import type { EndedSpan } from '#adapters/telemetry/spans.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { nothing, setting, sinkOf } from './telemetry-setting.ts';

describe('spans', () => {
  test('spans of concurrent actions do not mix', async () => {
    const { telemetry, parsed } = setting();
    const action = (name: string) =>
      telemetry.span(name, {}, async () => {
        await Promise.resolve();
        telemetry.log('info', name);
        await telemetry.span(`${name}.inner`, {}, nothing);
      });
    await Promise.all([action('a'), action('b')]);
    expect(parsed().map(({ trace_id }) => trace_id)).toEqual(telemetry.recentTraces().map(({ trace_id }) => trace_id));
    expect(telemetry.recentTraces().map(({ spans }) => spans.map(({ name }) => name))).toEqual([
      ['a.inner', 'a'],
      ['b.inner', 'b'],
    ]);
  });

  test('[trace.routes] only the last 500 traces are kept', async () => {
    const { telemetry } = setting();
    for (let i = 0; i < 503; i++) await telemetry.span(`t${i}`, {}, nothing);
    const traces = telemetry.recentTraces();
    expect(traces).toHaveLength(500);
    expect(traces[0]?.spans[0]?.name).toBe('t3');
  });

  test('a refused request does not mark the span as failed, but refusals and failures both have an error type', async () => {
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
describe('traces that were not sampled', () => {
  const fail = () => Promise.reject(new GatewayError('provider_timeout', 'late'));

  function unsampled(slowMs?: number) {
    const { telemetry } = setting();
    const ended: EndedSpan[] = [];
    telemetry.exportTo(sinkOf(ended, 0, slowMs));
    return { telemetry, names: () => ended.map(({ name, sampled }) => [name, sampled]) };
  }

  test('[trace.export] are exported in full if one of their spans failed', async () => {
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

  test('[trace.export] are exported if they were slow, but not just because a call was refused', async () => {
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

  test('[trace.export] are exported together with the outer spans of the listener if an inner call failed', async () => {
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

  test('[trace.export] are not exported if the caller chose not to sample', async () => {
    const { telemetry, names } = unsampled(0);
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00`;
    await telemetry.continued({ traceparent }, () => telemetry.span('theirs', {}, fail)).catch(nothing);
    expect(names()).toEqual([]);
  });
});
