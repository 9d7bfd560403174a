/** Spans on their way to a collector: gRPC to a real server, HTTP with AWS's signature to one that recomputes it. */
import { createHash, createHmac } from 'node:crypto';
import { signed } from '#adapters/telemetry/aws-signature.ts';
import { followTelemetrySettings } from '#adapters/telemetry/follow-settings.ts';
import { grpcSender } from '#adapters/telemetry/otlp-grpc.ts';
import { httpSender, tracesUrl } from '#adapters/telemetry/otlp-http.ts';
import { resourceAttributes } from '#adapters/telemetry/resource.ts';
import { batchedSink } from '#adapters/telemetry/span-batches.ts';
import type { EndedSpan } from '#adapters/telemetry/spans.ts';
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { signedFor, tracesFromEnvironment } from '#adapters/telemetry/traces-from-environment.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { type OtlpReceiver, type ReceivedRequest, startOtlpReceiver } from '../support/otlp-receiver.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerId = 'b7ad6b7169203331';
const now = Date.UTC(2026, 0, 1);
const clock = { now: () => now };
const nothing = async () => {};

let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await startOtlpReceiver();
});
afterEach(() => receiver.stop());

function telemetryOf() {
  const lines: string[] = [];
  const telemetry = logTelemetry({ clock, write: (line) => void lines.push(line), service: 'test' });
  return { telemetry, lines };
}

type AnyTelemetry = ReturnType<typeof telemetryOf>['telemetry'];

/** The shape of one chat call. */
const chatCall = (telemetry: AnyTelemetry) =>
  telemetry.continued({ traceparent: `00-${traceId}-${callerId}-03`, tracestate: 'rojo=1' }, () =>
    telemetry.span('gateway.chat_completion', { tenant_id: 'default', model: 'm', stream: false }, async () => {
      await telemetry.span('policy.check_input', { policy_name: undefined, decision: 'allow' }, nothing);
      await telemetry.span('provider.call', { latency_ms: 1.5 }, () =>
        telemetry.span('provider.openai', { tokens_total: 18 }, async (span) => {
          span.set({ 'gen_ai.response.finish_reasons': 'stop,length' });
        }),
      );
    }),
  );

/** The same call, as it has to arrive whatever carried it. */
function expectChatCall({ spans }: OtlpReceiver) {
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
  // The caller's flags, and whether the parent is in another process.
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

const settings = (more: Partial<Configuration['telemetry']> = {}): Configuration['telemetry'] => ({
  service_name: 'my-gateway',
  otlp_protocol: 'grpc',
  genai_metrics: 'both',
  sample_rate: 1,
  slow_ms: 10_000,
  ...more,
});

/** A configuration and a timer, both changed by hand. */
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
    /** Whatever waits for five seconds happens. */
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
  test('[trace.export] sends spans over gRPC every five seconds, whole', async () => {
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

  test('sends what still waits when it stops, and no more', async () => {
    const { telemetry, following, settled } = followed(settings({ otlp_endpoint: receiver.grpcUrl }));
    await settled();
    await chatCall(telemetry);
    await following.stop();
    expect(receiver.spans).toHaveLength(4);
    await chatCall(telemetry);
    await telemetry.flush();
    expect(receiver.spans).toHaveLength(4);
  });

  test('follows the configuration: on, another service name, another rate, off', async () => {
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

  test.each(['grpc', 'http'] as const)('goes on when the collector refuses over %s, and says so once', async (kind) => {
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
  });

  test('no collector at the address: nothing is thrown, the stop ends', async () => {
    const { telemetry, following, settled, lines } = followed(settings({ otlp_endpoint: receiver.grpcUrl }));
    await settled();
    await receiver.stop();
    await chatCall(telemetry);
    await following.stop();
    expect(lines).toHaveLength(1);
    receiver = await startOtlpReceiver();
  });
});

describe('what a span came to', () => {
  const senders = {
    grpc: () => grpcSender({ endpoint: receiver.grpcUrl, resource: resourceAttributes('s') }),
    http: () => httpSender({ url: `${receiver.httpUrl}/v1/traces`, resource: () => resourceAttributes('s') }),
  };

  test.each(['grpc', 'http'] as const)('arrives over %s: well, refused, failed', async (kind) => {
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
    // Roots, in traces of their own.
    expect(receiver.spans.map(({ parentSpanId, flags }) => [parentSpanId, flags])).toEqual(
      Array(3).fill([undefined, 0x103]),
    );
    expect(new Set(receiver.spans.map((span) => span.traceId)).size).toBe(3);
  });
});

describe('a function', () => {
  const environment = {
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    AWS_SESSION_TOKEN: 'the-session-token',
    AWS_LAMBDA_FUNCTION_NAME: 'chat-completions',
    AWS_REGION: 'eu-west-1',
    AWS_LAMBDA_LOG_GROUP_NAME: '/aws/lambda/chat',
  };

  test('[trace.export] sends spans signed for X-Ray, in gzipped JSON: AWS would accept the signature', async () => {
    const { telemetry } = telemetryOf();
    const url = `${receiver.httpUrl}/v1/traces`;
    const sign = (request: Parameters<typeof signed>[0]) =>
      signed(request, { region: 'eu-west-1', service: 'xray', environment, clock });
    const sender = httpSender({ url, resource: () => resourceAttributes('my-gateway'), sign });
    telemetry.exportTo(batchedSink({ sender, telemetry, clock }));
    await chatCall(telemetry);
    await telemetry.flush();
    expectChatCall(receiver);
    const [request] = receiver.requests;
    expect(request!.headers).toMatchObject({
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'x-amz-date': '20260101T000000Z',
      'x-amz-security-token': environment.AWS_SESSION_TOKEN,
    });
    const { scope, signedHeaders, signature } = authorizationOf(request!);
    expect(scope).toBe('AKIDEXAMPLE/20260101/eu-west-1/xray/aws4_request');
    for (const name of ['host', 'x-amz-date', 'x-amz-security-token', 'content-type', 'content-encoding'])
      expect(signedHeaders).toContain(name);
    expect(signature).toBe(signatureOf(request!, signedHeaders, environment.AWS_SECRET_ACCESS_KEY));
  });

  test('without credentials nothing leaves, and the log says why', async () => {
    const { telemetry, lines } = telemetryOf();
    const sign = (request: Parameters<typeof signed>[0]) =>
      signed(request, { region: 'eu-west-1', service: 'xray', environment: {}, clock });
    const sender = httpSender({ url: `${receiver.httpUrl}/v1/traces`, resource: () => resourceAttributes('s'), sign });
    telemetry.exportTo(batchedSink({ sender, telemetry, clock }));
    await chatCall(telemetry);
    await telemetry.flush();
    expect(receiver.requests).toHaveLength(0);
    expect(lines[0]).toContain('AWS_ACCESS_KEY_ID');
  });

  test('reads from its environment where to send and what it is, and sends nothing before it flushes', async () => {
    const { telemetry } = telemetryOf();
    const url = `${receiver.httpUrl}/v1/traces`;
    telemetry.exportTo(tracesFromEnvironment({ ...environment, OTLP_TRACES_URL: url }, { telemetry, clock }));
    await chatCall(telemetry);
    expect(receiver.requests).toHaveLength(0);
    await telemetry.flush();
    expect(receiver.spans).toHaveLength(4);
    expect(receiver.spans[0]?.resource).toMatchObject({
      'service.name': 'agent-governance-gateway',
      'cloud.provider': 'aws',
      'cloud.platform': 'aws_lambda',
      'cloud.region': 'eu-west-1',
      'faas.name': 'chat-completions',
      'aws.log.group.names': ['/aws/lambda/chat'],
    });
    // Not AWS: our credentials are none of its business.
    expect(receiver.requests[0]?.headers.authorization).toBeUndefined();
  });

  test('follows name and rate of the configuration', async () => {
    const { telemetry } = telemetryOf();
    const configuration = { telemetry: settings({ sample_rate: 0 }) };
    const snapshots = { current: async () => ({ configuration }) as unknown as Snapshot };
    const url = `${receiver.httpUrl}/v1/traces`;
    telemetry.exportTo(tracesFromEnvironment({ OTLP_TRACES_URL: url }, { telemetry, snapshots, clock }));
    await telemetry.flush();
    await telemetry.span('ours', {}, nothing);
    await chatCall(telemetry);
    await telemetry.flush();
    expect(receiver.spans).toHaveLength(4);
    expect(receiver.spans[0]?.resource['service.name']).toBe('my-gateway');
  });

  test.each([
    ['https://xray.eu-west-1.amazonaws.com/v1/traces', { service: 'xray', region: 'eu-west-1' }],
    ['https://xray.cn-north-1.amazonaws.com.cn/v1/traces', { service: 'xray', region: 'cn-north-1' }],
    ['http://xray.eu-west-1.amazonaws.com/v1/traces', undefined],
    ['https://xray.eu-west-1.amazonaws.com.example.org/v1/traces', undefined],
    ['https://xray.eu-west-1.amazonaws.com@example.org/v1/traces', undefined],
    ['https://example.org/https://xray.eu-west-1.amazonaws.com/', undefined],
  ])('%s is signed for %j', (url, scope) => {
    expect(signedFor(url)).toEqual(scope);
  });

  test('without an address has nothing to send to', () => {
    expect(tracesFromEnvironment({}, telemetryOf())).toBeUndefined();
  });
});

test.each([
  ['http://127.0.0.1:4318', 'http://127.0.0.1:4318/v1/traces'],
  ['http://127.0.0.1:4318/', 'http://127.0.0.1:4318/v1/traces'],
  ['https://otel.example/base', 'https://otel.example/base/v1/traces'],
  ['https://otel.example/v1/traces', 'https://otel.example/v1/traces'],
])('the traces of %s go to %s', (endpoint, url) => {
  expect(tracesUrl(endpoint)).toBe(url);
});

test('the first batch of a sender that cannot be reached fails, the process does not', async () => {
  const sender = grpcSender({ endpoint: 'http://127.0.0.1:1', resource: {} });
  const span = { name: 's', traceId, spanId: callerId, attributes: {}, startMs: 0, endMs: 0, end: 'well' };
  await expect(sender.send([span as unknown as EndedSpan])).rejects.toThrow(/UNAVAILABLE|connect/i);
  await sender.close();
});

function authorizationOf({ headers }: ReceivedRequest) {
  const [, scope, names, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    )!;
  return { scope, signedHeaders: names!.split(';'), signature };
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();

/** Signature Version 4 as AWS describes it, from what arrived. */
function signatureOf({ path, headers, body }: ReceivedRequest, signedHeaders: readonly string[], secret: string) {
  const lines = signedHeaders.map((name) => `${name}:${headers[name]}\n`).join('');
  const canonical = ['POST', path, '', lines, signedHeaders.join(';'), sha256(body)].join('\n');
  const scope = '20260101/eu-west-1/xray/aws4_request';
  const toSign = ['AWS4-HMAC-SHA256', '20260101T000000Z', scope, sha256(canonical)].join('\n');
  const key = ['20260101', 'eu-west-1', 'xray', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return hmac(key, toSign).toString('hex');
}
