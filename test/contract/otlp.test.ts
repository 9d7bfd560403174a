/** Export of spans to a collector: gRPC to a real server, HTTP with an AWS signature to a server that recomputes it. */
import { followTelemetrySettings } from '#adapters/telemetry/follow-settings.ts';
import { grpcSender } from '#adapters/telemetry/otlp-grpc.ts';
import { httpSender, tracesUrl } from '#adapters/telemetry/otlp-http.ts';
import { resourceAttributes } from '#adapters/telemetry/resource.ts';
import { batchedSink } from '#adapters/telemetry/span-batches.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { chatCall, clock, expectChatCall, nothing, receiver, settings, telemetryOf } from './otlp-setting.ts';

/** Returns a configuration and a timer, both controlled by hand. */
function followed(first: Configuration['telemetry']) {
  const { telemetry, lines } = telemetryOf();
  let current = first;
  const due = new Set<{ readonly ms: number; readonly work: () => void }>();
  const timeouts = {
    after(ms: number, work: () => void) {
      const timer = { ms, work };
      due.add(timer);
      return () => void due.delete(timer);
    },
  };
  let looks = 0;
  const snapshots = {
    current: async () => {
      looks++;
      return { configuration: { telemetry: current } } as unknown as Snapshot;
    },
  };
  const following = followTelemetrySettings(telemetry, snapshots, { clock, timeouts });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    telemetry,
    lines,
    following,
    settled,
    looks: () => looks,
    change: (next: Configuration['telemetry']) => {
      current = next;
    },
    /** Runs all timers that are due after five seconds. */
    async tick() {
      for (const timer of [...due].filter(({ ms }) => ms === 5_000)) {
        due.delete(timer);
        timer.work();
      }
      await settled();
    },
  };
}
describe('the local run', () => {
  test('[trace.export] sends complete spans over gRPC every five seconds', async () => {
    const { telemetry, following, settled, tick } = followed(settings({ otlp_endpoint: receiver.grpcUrl }));
    await settled();
    await chatCall(telemetry);
    expect(receiver.spans).toHaveLength(0);
    await tick();
    await receiver.received(4);
    expectChatCall(receiver);
    expect(receiver.batches).toEqual([4]);
    await following.stop();
  });

  test('sends the same spans over plain HTTP', async () => {
    const { telemetry, following, settled } = followed(
      settings({ otlp_endpoint: receiver.httpUrl, otlp_protocol: 'http' }),
    );
    await settled();
    await chatCall(telemetry);
    await telemetry.flush();
    expectChatCall(receiver);
    expect(receiver.requests[0]).toMatchObject({ path: '/v1/traces' });
    expect(receiver.requests[0]?.headers.authorization).toBeUndefined();
    await following.stop();
  });

  test('follows configuration changes: enabled, renamed, with another rate, disabled', async () => {
    const { telemetry, following, settled, tick, change, looks } = followed(settings());
    await settled();
    const seen = async () => {
      await telemetry.span('s', {}, nothing);
      await telemetry.flush();
      return receiver.spans.map(({ resource }) => resource['service.name']);
    };
    expect(await seen()).toEqual([]);
    change(settings({ otlp_endpoint: receiver.grpcUrl }));
    await tick();
    expect(await seen()).toEqual(['my-gateway']);
    change(settings({ otlp_endpoint: receiver.grpcUrl, service_name: 'renamed' }));
    await tick();
    expect(await seen()).toEqual(['my-gateway', 'renamed']);
    change(settings({ otlp_endpoint: receiver.grpcUrl, service_name: 'renamed', sample_rate: 0 }));
    await tick();
    expect(await seen()).toHaveLength(2);
    change(settings({ otlp_endpoint: receiver.grpcUrl, service_name: 'renamed' }));
    await tick();
    expect(await seen()).toHaveLength(3);
    change(settings());
    await tick();
    expect(await seen()).toHaveLength(3);
    expect(looks()).toBe(6);
    await following.stop();
  });

  test.each(['grpc', 'http'] as const)(
    'continues when the collector rejects exports over %s, and reports this once',
    async (kind) => {
      const url = kind === 'grpc' ? receiver.grpcUrl : receiver.httpUrl;
      const { telemetry, following, settled, lines } = followed(settings({ otlp_endpoint: url, otlp_protocol: kind }));
      await settled();
      receiver.refuse(true);
      await chatCall(telemetry);
      await telemetry.flush();
      await chatCall(telemetry);
      await telemetry.flush();
      expect(receiver.refused()).toBe(2);
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([
        { level: 'warn', msg: 'spans were not delivered', spans: 4, error: expect.stringMatching(/enough|429/) },
      ]);
      expect(telemetry.metricsText()).toContain('svc_spans_dropped_total{reason="not_delivered"} 8');
      receiver.refuse(false);
      await chatCall(telemetry);
      await telemetry.flush();
      expect(receiver.spans).toHaveLength(4);
      await following.stop();
    },
  );
});
describe('the outcome on a span', () => {
  const senders = {
    grpc: () => grpcSender({ endpoint: receiver.grpcUrl, resource: resourceAttributes('s') }),
    http: () => httpSender({ url: `${receiver.httpUrl}/v1/traces`, resource: () => resourceAttributes('s') }),
  };

  test.each(['grpc', 'http'] as const)('arrives over %s for a success, a refusal and a failure', async (kind) => {
    const { telemetry } = telemetryOf();
    const sink = batchedSink({ sender: senders[kind](), telemetry, clock });
    telemetry.exportTo(sink);
    await telemetry.span('well', { yes: true, no: undefined, minus: -1, part: 0.25, big: 2 ** 40 }, nothing);
    for (const code of ['policy_violation', 'provider_timeout'] as const)
      await telemetry.span(code, {}, () => Promise.reject(new GatewayError(code, 'secret words'))).catch(nothing);
    await sink.stop();
    expect(receiver.spans.map(({ name, failed, attributes }) => [name, failed, attributes])).toEqual([
      ['well', false, { yes: true, minus: -1, part: 0.25, big: 2 ** 40 }],
      ['policy_violation', false, { 'error.type': 'policy_violation' }],
      ['provider_timeout', true, { 'error.type': 'provider_timeout' }],
    ]);
    // Root spans, each in a trace of its own.
    expect(receiver.spans.map(({ parentSpanId, flags }) => [parentSpanId, flags])).toEqual(
      Array(3).fill([undefined, 0x103]),
    );
    expect(new Set(receiver.spans.map((span) => span.traceId)).size).toBe(3);
  });
});
test.each([
  ['http://127.0.0.1:4318', 'http://127.0.0.1:4318/v1/traces'],
  ['http://127.0.0.1:4318/', 'http://127.0.0.1:4318/v1/traces'],
  ['https://otel.example/base', 'https://otel.example/base/v1/traces'],
  ['https://otel.example/v1/traces', 'https://otel.example/v1/traces'],
])('traces for %s are sent to %s', (endpoint, url) => {
  expect(tracesUrl(endpoint)).toBe(url);
});
