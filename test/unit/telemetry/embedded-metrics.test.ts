/** Metrics in CloudWatch's embedded metric format. */
import { setting } from './telemetry-setting.ts';

describe('CloudWatch embedded metrics', () => {
  const Namespace = 'AgentGovernance';

  test('metrics are written when an invocation ends, and those with the same dimension values share a line', async () => {
    const { telemetry, lines, parsed } = setting({ deployment: 'team-b' });
    telemetry.count('svc_chat_requests_total', { outcome: 'completed' });
    telemetry.count('svc_chat_tokens_total', { direction: 'input' }, 11);
    telemetry.count('svc_chat_tokens_total', { direction: 'output' }, 7);
    telemetry.count('svc_chat_tokens_total', { direction: 'output' }, 2);
    telemetry.observe('svc_chat_latency_ms', 40, {});
    telemetry.observe('svc_chat_latency_ms', 60, {});
    telemetry.gauge('svc_breaker_open', 2);
    telemetry.gauge('svc_breaker_open', 1);
    expect(lines).toEqual([]);
    await telemetry.flush();
    const line = (...CloudWatchMetrics: object[]) => ({
      _aws: {
        Timestamp: Date.UTC(2026, 0, 1),
        CloudWatchMetrics: CloudWatchMetrics.map((each) => ({ Namespace, ...each })),
      },
      deployment: 'team-b',
    });
    const tokens = { Dimensions: [['deployment', 'direction']], Metrics: [{ Name: 'svc_chat_tokens_total' }] };
    expect(parsed()).toEqual([
      {
        ...line({ Dimensions: [['deployment', 'outcome']], Metrics: [{ Name: 'svc_chat_requests_total' }] }, tokens, {
          Dimensions: [['deployment']],
          Metrics: [{ Name: 'svc_chat_latency_ms', Unit: 'Milliseconds' }, { Name: 'svc_breaker_open' }],
        }),
        outcome: 'completed',
        direction: 'input',
        svc_chat_requests_total: 1,
        svc_chat_tokens_total: 11,
        svc_chat_latency_ms: [40, 60],
        svc_breaker_open: 1,
      },
      { ...line(tokens), direction: 'output', svc_chat_tokens_total: 9 },
    ]);
    await telemetry.flush();
    expect(lines).toHaveLength(2);
  });

  test('every hundredth change causes a flush without an explicit call', () => {
    const { telemetry, parsed } = setting({ deployment: 'team-b' });
    for (let i = 0; i < 250; i++) telemetry.count('c', {});
    expect(parsed().map(({ c }) => c)).toEqual([100, 100]);
  });

  test('a change one second after the first also causes a flush, and the line has the time of the first change', () => {
    const { telemetry, parsed, time } = setting({ deployment: 'team-b' });
    telemetry.count('c', {});
    time.ms += 999;
    telemetry.count('c', {});
    time.ms += 1;
    telemetry.count('c', {});
    expect(parsed()).toMatchObject([{ c: 2, _aws: { Timestamp: Date.UTC(2026, 0, 1) } }]);
  });

  test('an empty dimension value, which CloudWatch ignores, is written as none', async () => {
    const { telemetry, parsed } = setting({ deployment: 'team-b' });
    telemetry.count('svc_provider_errors_total', { provider: '' });
    await telemetry.flush();
    expect(parsed()[0]).toMatchObject({ provider: 'none', svc_provider_errors_total: 1 });
  });
});
