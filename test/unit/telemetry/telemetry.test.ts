/** Log lines and metrics. */
import { setting } from './telemetry-setting.ts';

describe('log lines', () => {
  test('an evaluated action is logged as one line of JSON with the required fields', () => {
    const { telemetry, parsed } = setting();
    const fields = { envelope_id: 'e1', tool: 'scm.get_issue', decision: 'allow', latency_us: 1234 };
    telemetry.log('info', 'action evaluated', fields);
    expect(parsed()).toEqual([
      { ts: '2026-01-01T00:00:00.000Z', level: 'info', msg: 'action evaluated', service: 'gateway', ...fields },
    ]);
  });

  test('a field cannot overwrite the time, level or message', () => {
    const { telemetry, parsed } = setting();
    telemetry.log('warn', 'true words', { ts: 'then', level: 'debug', msg: 'false words' });
    expect(parsed()[0]).toMatchObject({ ts: '2026-01-01T00:00:00.000Z', level: 'warn', msg: 'true words' });
  });

  test('values under secret names and recognised tokens are kept out of the log at any depth', () => {
    const { telemetry, lines, parsed } = setting();
    const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    telemetry.log('error', 'failed', {
      password: 'hunter2-hunter2',
      request: { headers: [{ authorization: 'Bearer abcdef' }], max_tokens: 5 },
      tokens: 17,
      error: new Error(`used ${token} in vain`),
    });
    for (const secret of ['hunter2', 'abcdef', token]) expect(lines[0]).not.toContain(secret);
    expect(parsed()[0]).toMatchObject({ password: '[withheld]', tokens: 17, request: { max_tokens: 5 } });
    expect(parsed()[0].error).toContain('in vain');
  });

  test('logging never throws, even for cycles, bigints and functions', () => {
    const { telemetry, lines } = setting();
    const cycle: Record<string, unknown> = { big: 1n, call: () => 1 };
    cycle.self = cycle;
    telemetry.log('info', 'odd', cycle);
    expect(JSON.parse(lines[0]!)).toMatchObject({ msg: 'odd', big: '1' });
  });
});
describe('metrics', () => {
  test('counters and gauges are written as Prometheus text with escaped labels', () => {
    const { telemetry } = setting();
    telemetry.count('svc_policy_decisions_total', { decision: 'allow', protocol: 'git' });
    telemetry.count('svc_policy_decisions_total', { decision: 'allow', protocol: 'git' }, 2);
    telemetry.count('svc_policy_decisions_total', { decision: 'block', protocol: 'a"b\\c\nd' });
    telemetry.gauge('svc_approvals_pending', 4);
    telemetry.gauge('svc_approvals_pending', 3);
    expect(telemetry.metricsText()).toBe(
      [
        '# TYPE svc_policy_decisions_total counter',
        'svc_policy_decisions_total{decision="allow",protocol="git"} 3',
        'svc_policy_decisions_total{decision="block",protocol="a\\"b\\\\c\\nd"} 1',
        '# TYPE svc_approvals_pending gauge',
        'svc_approvals_pending 3',
        '',
      ].join('\n'),
    );
  });

  test('the number of label values from callers is limited, and no count is lost', () => {
    const { telemetry } = setting();
    for (let i = 0; i < 1000; i++) telemetry.count('c', { protocol: `p${i}` });
    const series = telemetry.metricsText().split('\n').slice(1, -1);
    expect(series.length).toBeLessThanOrEqual(201);
    expect(series.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0)).toBe(1000);
    expect(series.at(-1)).toContain('protocol="other"');
  });

  test('a histogram has cumulative buckets suited to its unit, a sum and a count', () => {
    const { telemetry } = setting();
    for (const ms of [3, 40, 40, 999_999]) telemetry.observe('svc_chat_latency_ms', ms, {});
    const lines = telemetry.metricsText().split('\n');
    expect(lines[0]).toBe('# TYPE svc_chat_latency_ms histogram');
    expect(lines).toContain('svc_chat_latency_ms_bucket{le="2"} 0');
    expect(lines).toContain('svc_chat_latency_ms_bucket{le="5"} 1');
    expect(lines).toContain('svc_chat_latency_ms_bucket{le="50"} 3');
    expect(lines).toContain('svc_chat_latency_ms_bucket{le="60000"} 3');
    expect(lines).toContain('svc_chat_latency_ms_bucket{le="+Inf"} 4');
    expect(lines).toContain('svc_chat_latency_ms_sum 1000082');
    expect(lines).toContain('svc_chat_latency_ms_count 4');
  });

  test('an observation on a bucket boundary is counted in the bucket with that upper bound', () => {
    const { telemetry } = setting();
    telemetry.observe('svc_x_ms', 5, {});
    expect(telemetry.metricsText()).toContain('svc_x_ms_bucket{le="2"} 0\nsvc_x_ms_bucket{le="5"} 1\n');
  });

  test('dotted names and labels are written for Prometheus the way OpenTelemetry does', () => {
    const { telemetry } = setting();
    const labels = { 'gen_ai.token.type': 'input' };
    telemetry.observe('gen_ai.client.token.usage', 67_108_864, labels);
    telemetry.observe('gen_ai.client.operation.duration', 0.3, {});
    telemetry.count('gen_ai.client.inference.usage.input_tokens', {}, 9);
    const text = telemetry.metricsText();
    const edges = [...text.matchAll(/gen_ai_client_token_usage_bucket\{gen_ai_token_type="input",le="(\d+)"\} (\d)/g)];
    expect(edges.map(([, edge]) => Number(edge))).toEqual(Array.from({ length: 14 }, (_, power) => 4 ** power));
    expect(edges.map(([, , count]) => Number(count))).toEqual([...Array(13).fill(0), 1]);
    expect(text).toContain('gen_ai_client_operation_duration_seconds_bucket{le="0.32"} 1\n');
    expect(text).toContain('gen_ai_client_inference_usage_input_tokens_total 9\n');
  });
});
