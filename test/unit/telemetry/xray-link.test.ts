/** Where a trace stands in X-Ray. */
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { xrayLink } from '#adapters/telemetry/xray-link.ts';
import { merged } from '#core/observatory/traces.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const root = '1-67891233-abcdef012345678912345678';
const header = `Root=${root};Parent=53995c3f42cd8ad8;Sampled=1`;
const otlp = 'https://xray.eu-west-1.amazonaws.com/v1/traces';
const at = (host: string, region: string, id: string) =>
  `https://${region}.${host}/cloudwatch/home?region=${region}#xray:traces/${id}`;

describe('[trace.xray-link] the address of a trace', () => {
  test.each([
    [
      'spans by OTLP stand under their own id',
      { AWS_REGION: 'eu-west-1', OTLP_TRACES_URL: otlp },
      false,
      at('console.aws.amazon.com', 'eu-west-1', '1-0af76519-16cd43dd8448eb211c80319c'),
    ],
    [
      'subsegments stand under the trace of the function',
      { AWS_REGION: 'eu-west-1', _X_AMZN_TRACE_ID: header },
      true,
      at('console.aws.amazon.com', 'eu-west-1', root),
    ],
    [
      'another partition has another console',
      { AWS_REGION: 'cn-north-1', _X_AMZN_TRACE_ID: header },
      true,
      at('console.amazonaws.cn', 'cn-north-1', root),
    ],
    [
      'government regions too',
      { AWS_REGION: 'us-gov-west-1', _X_AMZN_TRACE_ID: header },
      true,
      at('console.amazonaws-us-gov.com', 'us-gov-west-1', root),
    ],
    [
      'a header that names no trace gives none',
      { AWS_REGION: 'eu-west-1', _X_AMZN_TRACE_ID: 'Root=1-x' },
      true,
      undefined,
    ],
    ['a function without X-Ray gives none', { AWS_REGION: 'eu-west-1', _X_AMZN_TRACE_ID: header }, false, undefined],
    [
      'spans that go to another collector give none',
      { AWS_REGION: 'eu-west-1', OTLP_TRACES_URL: 'https://collector.example/v1/traces' },
      false,
      undefined,
    ],
    ['nothing outside of AWS', {}, true, undefined],
  ])('%s', (_, environment, subsegments, url) => {
    expect(xrayLink(environment, subsegments)?.(traceId)).toBe(url);
  });

  test('a trace keeps it, also when its parts were recorded apart', async () => {
    const telemetry = logTelemetry({
      clock: { now: () => 0 },
      write: () => {},
      service: 'test',
      link: (id) => `x:${id}`,
    });
    await telemetry.span('gateway.chat_completion', {}, async () => undefined);
    const [trace] = telemetry.recentTraces();
    expect(trace).toMatchObject({ xray_url: `x:${trace!.trace_id}` });
    const { xray_url: _, ...unlinked } = { ...trace!, spans: [{ ...trace!.spans[0]!, span_id: 'ffffffffffffffff' }] };
    expect(merged([unlinked, trace!])).toMatchObject([{ xray_url: `x:${trace!.trace_id}`, spans: [{}, {}] }]);
  });
});
