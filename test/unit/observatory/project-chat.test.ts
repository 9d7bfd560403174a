/** Usage and analytics of a chat call. */

import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { chatRecordOf } from '#core/observatory/chat-record.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { requestRowOf } from '#core/observatory/request-row.ts';
import { sampleChat, sampleEntry } from './sample.ts';

describe('the projection of a chat call', () => {
  const failed = (...names: string[]) => names.map((provider) => ({ provider, error: 'x' }));
  const finding = (policy: string, action: string, over: object = {}) => ({
    policy,
    action,
    type: 'keyword',
    phase: 'input',
    count: 1,
    ...over,
  });

  test('a call counts for its model, with tokens, cost and outcome, and its row has no content', () => {
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
    expect(projection.request).toMatchObject({
      at: entry.timestamp,
      envelope_id: 'e0',
      request_id: 'r0',
      session_id: 's1',
      key_id: 'k1',
      model: 'mock',
      provider: 'mock',
      tokens: { input: 100, output: 20 },
      cost_usd: 0.00025,
      latency_ms: 120,
      first_token_ms: 40,
    });
  });

  test('[admin.usage] findings that block, review or warn are violations, strictest first; redact and log findings are only counted', () => {
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

  test('a session stopped for its behaviour is a violation, and an exhausted budget is not', () => {
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

  test('[admin.requests-filters] the row of a call that got no response names the last provider that was called', () => {
    const unanswered = { provider: undefined, outcome: 'failed' };
    const row = (record: object) => projectEntry(sampleChat(0, record)).request;
    const attempts = failed('a', 'b');
    expect(row({ ...unanswered, attempts })).toMatchObject({ provider: 'b' });
    expect(row(unanswered)).not.toHaveProperty('provider');
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
      { attempts: [...failed('a', 'a'), ...failed('b')] },
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
  ])('a call that was %s counts for the providers that were called', (_, record, expected) => {
    expect(providers(record)).toEqual(expected);
  });

  test('latency is recorded for responses but not for refusals', () => {
    const point = (record: object) => projectEntry(sampleChat(0, record)).points?.[0];
    expect(point({})?.measures).toMatchObject({ 'ms:240': 1 });
    expect(Object.keys(point({ outcome: 'refused' })?.measures ?? {}).filter((name) => name.startsWith('ms:'))).toEqual(
      [],
    );
  });

  test('a body of any shape can be projected', () => {
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

const rowOf = (body: EvidenceEntry['body']) => {
  const entry = {
    timestamp: '2026-01-01T00:00:00.000Z',
    envelope_id: 'e',
    session_id: 's',
    actor: { key_id: 'k' },
    body,
  };
  return requestRowOf(entry as EvidenceEntry, chatRecordOf({ body }));
};

test('[chat.refused-recorded] the row of a refused call shows the reason, and the row of a completed call has none', () => {
  const refused = {
    operation: 'messages',
    outcome: 'refused',
    status: 400,
    error: 'invalid_request',
    reason: 'messages is missing',
  };
  expect(rowOf(refused)).toMatchObject({ outcome: 'refused', error: 'invalid_request', reason: 'messages is missing' });
  expect(rowOf({ operation: 'messages', outcome: 'completed' })).not.toHaveProperty('reason');
});
