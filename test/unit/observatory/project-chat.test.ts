/** What a chat call adds to usage and analytics. */
import { projectEntry } from '#core/observatory/project.ts';
import { sampleChat, sampleEntry } from './sample.ts';

describe('what a chat call adds', () => {
  const finding = (policy: string, action: string, over: object = {}) => ({
    policy,
    action,
    type: 'keyword',
    phase: 'input',
    count: 1,
    ...over,
  });

  test('a call counts for its model, with tokens, cost and outcome; its line has no content', () => {
    const entry = sampleChat(0, { first_token_ms: 40 });
    const projection = projectEntry(entry);
    expect(projection.counter).toEqual({ kind: 'chat', model: 'mock' });
    expect({ ...projection.measures }).toEqual({
      requests: 1,
      input_tokens: 100,
      output_tokens: 20,
      cost_microusd: 250,
      'outcome:completed': 1,
      'cache:MISS': 1,
    });
    expect(projection).not.toHaveProperty('violations');
    expect(projection.request).toEqual({
      at: entry.timestamp,
      envelope_id: 'e0',
      request_id: 'r0',
      request_sha256: 'ab'.repeat(32),
      session_id: 's1',
      key_id: 'k1',
      operation: 'chat.completions',
      model: 'mock',
      resolved_model: 'mock',
      provider: 'mock',
      stream: false,
      status: 200,
      outcome: 'completed',
      decision: 'allow',
      tokens: { input: 100, output: 20 },
      cost_microusd: 250,
      cost_usd: 0.00025,
      latency_ms: 120,
      first_token_ms: 40,
      cache: 'MISS',
    });
  });

  test('[admin.violations] findings that block, hold or warn are violations, the strictest first; redact and log count', () => {
    const findings = [
      finding('a', 'warn', { type: 'pii', count: 3, detail: 'email' }),
      finding('b', 'redact'),
      finding('c', 'log'),
      finding('d', 'review', { phase: 'output' }),
      finding('e', 'block'),
    ];
    const { violations, measures } = projectEntry(sampleChat(0, { findings, outcome: 'blocked', decision: 'block' }));
    expect(violations?.map((each) => ['action' in each && each.action, each.policy, each.matched_rule])).toEqual([
      ['block', 'e', 'content:e'],
      ['review', 'd', 'content:d'],
      ['warn', 'a', 'content:a'],
    ]);
    expect(violations?.[2]).toMatchObject({ type: 'pii', phase: 'input', count: 3, detail: 'email', model: 'mock' });
    expect(measures).toMatchObject({ 'finding:redact:b': 1, 'finding:log:c': 1, 'finding:block:e': 1 });
  });

  test('a session stopped for its behaviour is a violation; a budget that is used up is none', () => {
    const stopped = {
      outcome: 'refused',
      decision: 'block',
      matched_rule: 'behavior:kill-switch',
      provider: undefined,
    };
    expect(projectEntry(sampleChat(0, stopped)).violations).toMatchObject([
      { action: 'block', type: 'behavior', policy: 'behavior:kill-switch', matched_rule: 'behavior:kill-switch' },
    ]);
    const spent = { outcome: 'refused', decision: 'block', matched_rule: 'budget:tenant' };
    expect(projectEntry(sampleChat(0, spent))).not.toHaveProperty('violations');
  });

  test('[admin.requests-provider] the row of a call that no provider answered names the one that was asked last', () => {
    const failed = { provider: undefined, outcome: 'failed' };
    const row = (record: object) => projectEntry(sampleChat(0, record)).request;
    const attempts = [
      { provider: 'a', error: 'x' },
      { provider: 'b', error: 'unreachable' },
    ];
    expect(row({ ...failed, attempts })).toMatchObject({ provider: 'b' });
    expect(row(failed)).not.toHaveProperty('provider');
    expect(row({ attempts })).toMatchObject({ provider: 'mock' });
  });

  const providers = (record: object) =>
    projectEntry(sampleChat(0, record))
      .points?.filter(({ dimension }) => dimension.startsWith('provider:'))
      .map(({ dimension, measures }) => [dimension.slice('provider:'.length), measures.requests, measures.errors ?? 0]);

  test.each<[string, object, unknown]>([
    ['answered', {}, [['mock', 1, 0]]],
    ['failed', { outcome: 'failed' }, [['mock', 1, 1]]],
    [
      'answered by the third',
      {
        attempts: [
          { provider: 'a', error: 'x' },
          { provider: 'a', error: 'y' },
          { provider: 'b', error: 'z' },
        ],
      },
      [
        ['a', 2, 2],
        ['b', 1, 1],
        ['mock', 1, 0],
      ],
    ],
    ['answered from the cache', { outcome: 'cached', cache: 'HIT' }, []],
    ['refused', { outcome: 'refused' }, []],
    ['blocked before it was sent', { outcome: 'blocked', findings: [finding('a', 'block')] }, []],
    [
      'blocked on its way back',
      { outcome: 'blocked', findings: [finding('a', 'block', { phase: 'output' })] },
      [['mock', 1, 0]],
    ],
  ])('a call that was %s tells of the providers that were asked', (_, record, expected) => {
    expect(providers(record)).toEqual(expected);
  });

  test('latency is that of answers: what was refused at once makes no provider look fast', () => {
    const point = (record: object) => projectEntry(sampleChat(0, record)).points?.[0];
    expect(point({})?.measures).toMatchObject({ 'ms:240': 1 });
    expect(Object.keys(point({ outcome: 'refused' })?.measures ?? {}).filter((name) => name.startsWith('ms:'))).toEqual(
      [],
    );
  });

  test('a body of any shape projects', () => {
    const odd = {
      usage: 'many',
      cost_microusd: -5,
      latency_ms: Number.MAX_VALUE,
      findings: [null, 3, { policy: 1 }],
      attempts: {},
      outcome: 7,
    };
    const { measures, request } = projectEntry(sampleChat(0, odd));
    expect(measures).toMatchObject({ requests: 1, input_tokens: 0, cost_microusd: 0, 'outcome:failed': 1 });
    expect(request).toMatchObject({ outcome: 'failed', tokens: { input: 0, output: 0 } });
    const bare = sampleEntry(0, { kind: 'chat' });
    expect(projectEntry(bare).counter).toEqual({ kind: 'chat', model: '' });
  });
});
