/** A receiver for traces, and spans to send. */
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerId = 'b7ad6b7169203331';
const now = Date.UTC(2026, 0, 1);
export const clock = { now: () => now };
export const nothing = async () => {};

export let receiver: OtlpReceiver;
const startReceiver = async () => {
  receiver = await startOtlpReceiver();
};
beforeEach(startReceiver);
afterEach(() => receiver.stop());

export function telemetryOf() {
  const lines: string[] = [];
  const telemetry = logTelemetry({ clock, write: (line) => void lines.push(line), service: 'test' });
  return { telemetry, lines };
}

export type AnyTelemetry = ReturnType<typeof telemetryOf>['telemetry'];

/** Creates the spans of one chat call. */
export const chatCall = (telemetry: AnyTelemetry) =>
  telemetry.continued({ traceparent: `00-${traceId}-${callerId}-03`, tracestate: 'rojo=1' }, () =>
    telemetry.span('gateway.chat_completion', { tenant_id: 'default', model: 'm', stream: false }, async () => {
      await telemetry.span('policy.check_input', { policy_name: undefined, decision: 'allow' }, nothing);
      await telemetry.span('provider.call', { latency_ms: 1.5 }, () =>
        telemetry.span('provider.openai', { tokens_total: 18 }, async (span) => {
          span.set({ 'gen_ai.response.finish_reasons': ['stop', 'length'] });
        }),
      );
    }),
  );

/** Checks that the same call arrived, whatever the transport. */
export function expectChatCall({ spans }: OtlpReceiver) {
  const named = Object.fromEntries(spans.map((span) => [span.name, span]));
  const chat = named['gateway.chat_completion']!;
  expect(spans).toHaveLength(4);
  for (const span of spans) {
    expect(span.traceId).toBe(traceId);
    expect(span.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(span.traceState).toBe('rojo=1');
    expect(span.endNs).toBeGreaterThanOrEqual(span.startNs);
    expect(Number(span.startNs / 1_000_000n)).toBeGreaterThanOrEqual(now);
    expect(span.failed).toBe(false);
    expect(span.scope).toMatch(/^agent-governance-gateway@\d/);
    expect(span.resource).toEqual({
      'service.name': 'my-gateway',
      'service.version': expect.stringMatching(/^\d/),
      'telemetry.sdk.name': 'agent-governance-gateway',
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.version': expect.stringMatching(/^\d/),
    });
  }
  expect(spans.map(({ name, kind }) => [name, kind])).toEqual([
    ['policy.check_input', 'internal'],
    ['provider.openai', 'client'],
    ['provider.call', 'internal'],
    ['gateway.chat_completion', 'server'],
  ]);
  // The caller's flags, and a flag that shows whether the parent is in another process.
  expect(chat).toMatchObject({ parentSpanId: callerId, flags: 0x303 });
  expect(named['policy.check_input']).toMatchObject({ parentSpanId: chat.spanId, flags: 0x103 });
  expect(named['provider.call']!.parentSpanId).toBe(chat.spanId);
  expect(named['provider.openai']!.parentSpanId).toBe(named['provider.call']!.spanId);
  expect(chat.attributes).toEqual({ tenant_id: 'default', model: 'm', stream: false });
  expect(named['policy.check_input']!.attributes).toEqual({ decision: 'allow' });
  expect(named['provider.call']!.attributes).toEqual({ latency_ms: 1.5 });
  expect(named['provider.openai']!.attributes).toEqual({
    tokens_total: 18,
    'gen_ai.response.finish_reasons': ['stop', 'length'],
  });
}

export const settings = (more: Partial<Configuration['telemetry']> = {}): Configuration['telemetry'] => ({
  service_name: 'my-gateway',
  otlp_protocol: 'grpc',
  genai_metrics: 'both',
  sample_rate: 1,
  slow_ms: 10_000,
  ...more,
});
