import { logTelemetry, type Tracer } from '#adapters/aws/telemetry.ts';

function setting(options: { emf?: boolean; tracer?: Tracer } = {}) {
  const lines: string[] = [];
  const clock = { now: () => Date.UTC(2026, 0, 1) };
  const telemetry = logTelemetry({ clock, write: (line) => void lines.push(line), service: 'gateway', ...options });
  return { telemetry, lines, parsed: () => lines.map((line) => JSON.parse(line)) };
}
const nothing = async () => {};

describe('log lines', () => {
  test('an evaluated action is one line of JSON with the fields of the specification', () => {
    const { telemetry, parsed } = setting();
    const fields = { envelope_id: 'e1', tool: 'scm.get_issue', decision: 'allow', latency_us: 1234 };
    telemetry.log('info', 'action evaluated', fields);
    expect(parsed()).toEqual([
      { ts: '2026-01-01T00:00:00.000Z', level: 'info', msg: 'action evaluated', service: 'gateway', ...fields },
    ]);
  });

  test('a field cannot pass itself off as the time, the level or the message', () => {
    const { telemetry, parsed } = setting();
    telemetry.log('warn', 'true words', { ts: 'then', level: 'debug', msg: 'false words' });
    expect(parsed()[0]).toMatchObject({ ts: '2026-01-01T00:00:00.000Z', level: 'warn', msg: 'true words' });
  });

  test('values under secret names and recognised tokens never reach the log, however deep', () => {
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

  test('logging never throws: cycles, bigints, functions', () => {
    const { telemetry, lines } = setting();
    const cycle: Record<string, unknown> = { big: 1n, call: () => 1 };
    cycle.self = cycle;
    telemetry.log('info', 'odd', cycle);
    expect(JSON.parse(lines[0]!)).toMatchObject({ msg: 'odd', big: '1' });
  });
});

describe('metrics', () => {
  test('counters and gauges as Prometheus text, labels escaped', () => {
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

  test('nothing counted is an empty text', () => {
    expect(setting().telemetry.metricsText()).toBe('');
  });

  test('label values from outside cannot grow a metric without end, and nothing goes uncounted', () => {
    const { telemetry } = setting();
    for (let i = 0; i < 1000; i++) telemetry.count('c', { protocol: `p${i}` });
    const series = telemetry.metricsText().split('\n').slice(1, -1);
    expect(series.length).toBeLessThanOrEqual(201);
    expect(series.reduce((sum, line) => sum + Number(line.split(' ')[1]), 0)).toBe(1000);
    expect(series.at(-1)).toContain('protocol="other"');
  });

  test('in CloudWatch embedded form each change is a line of its own', () => {
    const { telemetry, parsed } = setting({ emf: true });
    telemetry.count('svc_policy_decisions_total', { decision: 'allow', protocol: 'git' });
    telemetry.gauge('svc_approvals_pending', 3);
    const directive = (names: string[], metric: string) => ({
      Timestamp: Date.UTC(2026, 0, 1),
      CloudWatchMetrics: [{ Namespace: 'AgentGovernance', Dimensions: [names], Metrics: [{ Name: metric }] }],
    });
    expect(parsed()).toEqual([
      {
        _aws: directive(['decision', 'protocol'], 'svc_policy_decisions_total'),
        decision: 'allow',
        protocol: 'git',
        svc_policy_decisions_total: 1,
      },
      { _aws: directive([], 'svc_approvals_pending'), svc_approvals_pending: 3 },
    ]);
  });
});

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

  test('the last 500 traces are kept', async () => {
    const { telemetry } = setting();
    for (let i = 0; i < 503; i++) await telemetry.span(`t${i}`, {}, nothing);
    const traces = telemetry.recentTraces();
    expect(traces).toHaveLength(500);
    expect(traces[0]?.spans[0]?.name).toBe('t3');
  });
});
