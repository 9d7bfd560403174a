import { projectEntry } from '#core/observatory/project.ts';
import type { Projection } from '#core/observatory/projection.ts';
import { providerHealth } from '#core/observatory/provider-health.ts';
import { rebuild } from '#core/observatory/rebuild.ts';
import { hoursOf, UsageSums } from '#core/observatory/usage.ts';
import { sampleBlock, sampleEntry } from './sample.ts';

describe('how an entry is counted', () => {
  test.each(['allow', 'review'] as const)('a decision to %s is counted by protocol and tool', (kind) => {
    const entry = sampleEntry(0, { kind });
    const { points: _points, ...rest } = projectEntry(entry);
    expect(rest).toEqual({
      tenant: 'default',
      hash: entry.hash,
      timestamp: entry.timestamp,
      counter: { kind, protocol: 'git', tool: 'scm.get_issue' },
    });
  });

  test.each([
    [{ matched_rule: 'git:*', rule_sha256: 'ab'.repeat(32) }, 'ab'.repeat(32)],
    [{ matched_rule: 'guard:secret-files' }, 'guard:secret-files'],
    [{ matched_rule: 'default' }, 'default'],
    [{ matched_rule: 'approved:e1' }, undefined],
    [{ matched_rule: 'behavior:fan-out' }, undefined],
  ])('[admin.usage] a decision is counted under the rule that made it: %j', (more, decider) => {
    for (const kind of ['allow', 'review', 'block'] as const) {
      const { body } = sampleEntry(0);
      expect(projectEntry(sampleEntry(0, { kind, body: { ...body, ...more } })).counter.decider).toBe(decider);
    }
  });

  test('a protocol is counted under a single spelling, the one that rules match', () => {
    const { body } = sampleEntry(0);
    expect(projectEntry(sampleEntry(0, { body: { ...body, protocol: 'GIT' } })).counter.protocol).toBe('git');
  });

  test('a block is also counted by rule and policy and is a violation, and its parameters are not copied', () => {
    const entry = sampleBlock(0, { body: { parameters: { path: '/etc' } } });
    const { counter, violations, ...rest } = projectEntry(entry);
    expect(counter).toMatchObject({ kind: 'block', rule: 'shell:shell.rm', policy: 'pr-writer' });
    expect(violations).toMatchObject([
      {
        at: entry.timestamp,
        envelope_id: 'e0',
        session_id: 's1',
        key_id: 'k1',
        agent: 'writer',
        target: 'acme/web',
        tool: 'shell.rm',
        policy: 'pr-writer',
        matched_rule: 'shell:shell.rm',
        reason: 'destructive',
      },
    ]);
    expect(JSON.stringify([violations, rest])).not.toContain('/etc');
  });

  test.each(['approve', 'deny', 'result', 'admin', 'credential'] as const)('%s is counted by kind only', (kind) => {
    expect(projectEntry(sampleEntry(0, { kind })).counter).toEqual({ kind });
  });

  test('a body with missing fields or fields of the wrong type can still be projected', () => {
    const entry = sampleBlock(0, { body: { tool: { a: 1 }, target: null, reason: 7 } });
    const violation = projectEntry(entry).violations?.[0];
    expect(violation).toMatchObject({ tool: '', target: '' });
    expect(violation).not.toHaveProperty('reason');
  });
});
describe('usage', () => {
  test('usage is summed by decision, protocol, tool and rule, and names from Object.prototype are ordinary names', () => {
    const sums = new UsageSums();
    sums.add({ kind: 'allow', protocol: 'git', tool: 'constructor', count: 2 });
    sums.add({ kind: 'allow', protocol: 'git', tool: '__proto__', count: 3 });
    sums.add({ kind: 'block', protocol: 'shell', tool: 'constructor', rule: 'r', policy: 'p', count: 1 });
    sums.add({ kind: 'block', protocol: 'shell', tool: 'x', rule: 'behavior:fan-out', count: 1 });
    sums.add({ kind: 'result', count: 9 });
    const usage = sums.of('default', {});
    expect(usage).toMatchObject({ total: 7, decisions: { allow: 5, block: 2 }, protocols: { git: 5, shell: 2 } });
    expect(Object.entries(usage.tools)).toEqual([
      ['constructor', 3],
      ['__proto__', 3],
      ['x', 1],
    ]);
    sums.add({ kind: 'allow', protocol: 'git', tool: 'a', decider: 'r1', count: 2 });
    sums.add({ kind: 'block', protocol: 'git', tool: 'b', rule: 'git:*', decider: 'r1', count: 3 });
    expect(sums.of('default', {}).decided_by_rule).toEqual({ r1: 5 });
    expect(usage.blocked_by_rule).toEqual({ r: 1, 'behavior:fan-out': 1 });
    expect(usage.blocked_by_policy).toEqual({ p: 1, 'behavior:fan-out': 1 });
  });

  test.each([
    [{}, { first: '0000', last: '9999' }],
    [{ from: '2026-01-01' }, { first: '2026-01-01T00', last: '9999' }],
    [
      { from: '2026-01-01T10:59:59Z', to: '2026-01-01T12:00:00+01:00' },
      { first: '2026-01-01T10', last: '2026-01-01T11' },
    ],
  ])('query %j covers hours %j', (query, hours) => {
    expect(hoursOf(query)).toEqual(hours);
  });

  test.each([
    { from: 'yesterday' },
    { to: '' },
    { to: '+275760-09-13T00:00:00Z' },
    { from: '2026-02-01', to: '2026-01-01' },
  ])('%j is refused', (query) => {
    expect(() => hoursOf(query)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
test('a provider’s health is based on its error rate', () => {
  const sums = (requests: number, errors: number) => [{ at: '', measures: { requests, errors } }];
  expect(providerHealth(sums(100, 1))).toMatchObject({ health: 'healthy', error_rate: 0.01 });
  expect(providerHealth(sums(100, 20)).health).toBe('degraded');
  expect(providerHealth(sums(2, 1)).health).toBe('unhealthy');
  expect(providerHealth([]).health).toBe('unknown');
});
describe('[admin.analytics] how an entry is counted in its minute', () => {
  const pointsOf = (entry: Parameters<typeof projectEntry>[0]) =>
    Object.fromEntries((projectEntry(entry).points ?? []).map(({ dimension, measures }) => [dimension, measures]));

  test('a decision counts globally and for its tenant and tool, and its execution counts by outcome', () => {
    expect(pointsOf(sampleBlock(0))['tool:shell.rm']).toEqual({ requests: 1, blocked: 1 });
    expect(pointsOf(sampleEntry(0, { kind: 'review' }))['tool:scm.get_issue']).toEqual({ requests: 1, reviewed: 1 });
    const chat = { protocol: 'llm', tool: 'chat.completions', target: 'mock' };
    expect(pointsOf(sampleEntry(0, { kind: 'review', body: chat }))).toMatchObject({
      global: { reviewed: 1 },
      'tenant:default': { reviewed: 1 },
      'model:mock': { requests: 1, reviewed: 1 },
    });
    // The call that was allowed has a separate entry.
    expect(pointsOf(sampleEntry(0, { kind: 'allow', body: chat }))['model:mock']).toBeUndefined();
    const result = (body: object) =>
      pointsOf(sampleEntry(0, { kind: 'result', body: { tool: 't', ...body } }))['tool:t'];
    expect(result({ outcome: 'executed', latency_ms: 0 })).toEqual({ 'ms:z': 1 });
    expect(result({ outcome: 'failed', latency_ms: 1 })).toEqual({ errors: 1, 'ms:0': 1 });
    expect(result({ outcome: 'unknown' })).toEqual({ errors: 1 });
    expect(result({ outcome: 'not_executed' })).toBeUndefined();
    expect(result({ outcome: 'executed', latency_ms: 'soon' })).toBeUndefined();
    expect(projectEntry(sampleEntry(0, { kind: 'approve' }))).not.toHaveProperty('points');
  });

  test('[admin.status] an upstream is charged only with its own errors', () => {
    const at = (kind: 'result' | 'block', body: object) =>
      pointsOf(sampleEntry(0, { kind, body: { tool: 't', upstream: 'files', ...body } }))['upstream:files'];
    expect(at('result', { outcome: 'executed', latency_ms: 0 })).toEqual({ requests: 1, 'ms:z': 1 });
    expect(at('result', { outcome: 'failed', upstream_down: true })).toEqual({ requests: 1, errors: 1 });
    expect(at('result', { outcome: 'failed' })).toEqual({ requests: 1 });
    expect(at('result', { outcome: 'not_executed' })).toBeUndefined();
    expect(at('block', { matched_rule: 'upstream:unreachable' })).toEqual({ requests: 1, errors: 1 });
    expect(at('block', { matched_rule: 'mcp:t' })).toBeUndefined();
  });
});

test('a rebuild in batches reads each entry exactly once, for sessions of any length', async () => {
  const lengths = [3, 0, 7, 1];
  const applied: string[] = [];
  const ports = {
    evidence: {
      sessions: async (_tenant: string, { cursor }: { cursor?: string }) => {
        const at = Number(cursor ?? 0);
        const items = lengths.slice(at, at + 2).map((_, n) => ({ session_id: `s${at + n}`, updated_at: '2026' }));
        return { items: items as never, ...(at + 2 < lengths.length && { cursor: String(at + 2) }) };
      },
      async *rows(_tenant: string, session_id: string, from = 0) {
        const length = lengths[Number(session_id.slice(1))]!;
        for (let n = from; n < length; n++) yield sampleEntry(n, { session_id });
      },
    },
    observations: { apply: async (all: readonly Projection[]) => void applied.push(...all.map(({ hash }) => hash)) },
  };
  let [cursor, entries, sessions, pieces]: [string | undefined, number, number, number] = [undefined, 0, 0, 0];
  do {
    const piece = await rebuild(ports, 'default', { atMost: 2, ...(cursor && { cursor }) });
    entries += piece.entries;
    sessions += piece.sessions;
    cursor = piece.cursor;
    expect(++pieces).toBeLessThan(20);
  } while (cursor !== undefined);
  expect([entries, sessions, applied.length, new Set(applied).size]).toEqual([11, 4, 11, 11]);
  await expect(rebuild(ports, 'default', { cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_request' });
});
