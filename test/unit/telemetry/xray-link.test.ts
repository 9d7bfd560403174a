/** Links to X-Ray traces. */
import { logTelemetry } from '#adapters/telemetry/telemetry.ts';
import { xrayLink } from '#adapters/telemetry/xray-link.ts';
import { mergeTraces } from '#core/observatory/traces.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const root = '1-67891233-abcdef012345678912345678';
const header = `Root=${root};Parent=53995c3f42cd8ad8;Sampled=1`;
const otlp = 'https://xray.eu-west-1.amazonaws.com/v1/traces';
const link = (host: string, region: string, id: string) =>
  `https://${region}.${host}/cloudwatch/home?region=${region}#xray:traces/${id}`;
/** Returns the environment of a function in a region, with its X-Ray trace id. */
const traced = (AWS_REGION: string, _X_AMZN_TRACE_ID = header) => ({ AWS_REGION, _X_AMZN_TRACE_ID });
const exported = (OTLP_TRACES_URL: string) => ({ AWS_REGION: 'eu-west-1', OTLP_TRACES_URL });
const ofSpans = link('console.aws.amazon.com', 'eu-west-1', '1-0af76519-16cd43dd8448eb211c80319c');

describe('[trace.routes] the link to a trace in X-Ray', () => {
  test.each([
    ['spans by OTLP have their own id', exported(otlp), false, ofSpans],
    [
      'subsegments have the trace of the function',
      traced('eu-west-1'),
      true,
      link('console.aws.amazon.com', 'eu-west-1', root),
    ],
    [
      'another partition has another console',
      traced('cn-north-1'),
      true,
      link('console.amazonaws.cn', 'cn-north-1', root),
    ],
    [
      'so have government regions',
      traced('us-gov-west-1'),
      true,
      link('console.amazonaws-us-gov.com', 'us-gov-west-1', root),
    ],
    ['a header without a trace gives no link', traced('eu-west-1', 'Root=1-x'), true, undefined],
    ['a function without X-Ray gives no link', traced('eu-west-1'), false, undefined],
    ['spans for another collector give no link', exported('https://collector.example/v1/traces'), false, undefined],
    ['outside of AWS is no link', {}, true, undefined],
  ])('%s', (_, environment, subsegments, url) => {
    expect(xrayLink(environment, subsegments)?.(traceId)).toBe(url);
  });

  test('is stored with the trace, even if parts of the trace were recorded separately', async () => {
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
    expect(mergeTraces([unlinked, trace!])).toMatchObject([{ xray_url: `x:${trace!.trace_id}`, spans: [{}, {}] }]);
  });
});
