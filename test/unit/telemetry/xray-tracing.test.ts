import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { tracerOver, xrayTracer } from '#adapters/telemetry/xray-tracing.ts';

interface Segment {
  readonly name: string;
  readonly parent: string | undefined;
  closed: boolean;
  metadata?: unknown;
  error?: unknown;
}

/** Returns a fake of the part of the X-Ray SDK that the gateway uses, which records its calls. */
function fakeProvider() {
  const segments: Segment[] = [];
  let open: string | undefined;
  const captureAsyncFunc = async (name: string, work: (subsegment: never) => unknown) => {
    const segment: Segment = { name, parent: open, closed: false };
    segments.push(segment);
    open = name;
    const subsegment = {
      addMetadata: (_key: string, value: unknown) => {
        segment.metadata = value;
      },
      addError: (error: unknown) => {
        segment.error = error;
      },
      close: () => {
        segment.closed = true;
        open = segment.parent;
      },
    };
    return work(subsegment as never);
  };
  return { segments, provider: { captureAsyncFunc } };
}

const telemetryWith = (tracer: ReturnType<typeof tracerOver>) =>
  logTelemetry({ clock: { now: () => 0 }, write: () => {}, service: 'test', tracer });

test('every span becomes a subsegment of its parent, with its attributes', async () => {
  const { segments, provider } = fakeProvider();
  const telemetry = telemetryWith(tracerOver(async () => provider));
  const value = await telemetry.span('mcpgw.tool_call', { tool: 't' }, async (span) => {
    span.set({ decision: 'allow' });
    return telemetry.span('evidence.record', {}, async () => 42);
  });
  expect(value).toBe(42);
  expect(segments).toEqual([
    { name: 'mcpgw.tool_call', parent: undefined, closed: true, metadata: { tool: 't', decision: 'allow' } },
    { name: 'evidence.record', parent: 'mcpgw.tool_call', closed: true, metadata: {} },
  ]);
});

test('an error is recorded and rethrown', async () => {
  const { segments, provider } = fakeProvider();
  const telemetry = telemetryWith(tracerOver(async () => provider));
  const failure = new Error('no key');
  await expect(telemetry.span('credential.issue', {}, () => Promise.reject(failure))).rejects.toBe(failure);
  expect(segments[0]).toMatchObject({ closed: true, error: failure });
});

test('the traced function still runs if X-Ray is not available', async () => {
  const telemetry = telemetryWith(tracerOver(() => Promise.reject(new Error('not installed'))));
  expect(await telemetry.span('policy.evaluate', {}, async () => 'done')).toBe('done');
});

test.each([
  [{}, false],
  [{ AWS_XRAY_DAEMON_ADDRESS: '169.254.79.129:2000' }, true],
  [{ AWS_XRAY_DAEMON_ADDRESS: '169.254.79.129:2000', POWERTOOLS_TRACE_ENABLED: 'false' }, false],
  [{ POWERTOOLS_TRACE_ENABLED: 'true' }, true],
  [{ POWERTOOLS_TRACE_ENABLED: 'true', OTLP_TRACES_URL: 'https://xray.eu-west-1.amazonaws.com/v1/traces' }, false],
])('%j enables tracing: %s', (environment, asked) => {
  expect(xrayTracer(environment) !== undefined).toBe(asked);
});
