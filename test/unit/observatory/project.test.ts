import type { Projection } from '#core/observatory/project.ts';
import { projectEntry } from '#core/observatory/project.ts';
import { rebuild } from '#core/observatory/rebuild.ts';
import { hoursOf, UsageSums } from '#core/observatory/usage.ts';
import { sampleBlock, sampleEntry } from './sample.ts';

describe('what an entry adds', () => {
  test.each(['allow', 'review'] as const)('a decision to %s counts by protocol and tool', (kind) => {
    const entry = sampleEntry(0, { kind });
    expect(projectEntry(entry)).toEqual({
      tenant: 'default',
      hash: entry.hash,
      timestamp: entry.timestamp,
      counter: { kind, protocol: 'git', tool: 'scm.get_issue' },
    });
  });

  test('a block also counts by rule and is a violation; its parameters are not copied', () => {
    const entry = sampleBlock(0, { body: { parameters: { path: '/etc' } } });
    const projection = projectEntry(entry);
    expect(projection.counter).toEqual({ kind: 'block', protocol: 'shell', tool: 'shell.rm', rule: 'shell:shell.rm' });
    expect(projection.violation).toEqual({
      at: entry.timestamp,
      envelope_id: 'e0',
      session_id: 's1',
      key_id: 'k1',
      agent: 'writer',
      protocol: 'shell',
      tool: 'shell.rm',
      target: 'acme/web',
      capability: 'read',
      policy: 'pr-writer',
      matched_rule: 'shell:shell.rm',
      reason: 'destructive',
    });
  });

  test.each(['approve', 'deny', 'result', 'admin', 'credential'] as const)('%s counts as its kind alone', (kind) => {
    expect(projectEntry(sampleEntry(0, { kind })).counter).toEqual({ kind });
  });

  test('a body without the usual fields, or with others in their place, projects all the same', () => {
    const { violation } = projectEntry(sampleBlock(0, { body: { tool: { a: 1 }, target: null, reason: 7 } }));
    expect(violation).toMatchObject({ tool: '', target: '' });
    expect(violation).not.toHaveProperty('reason');
  });
});

describe('usage', () => {
  test('sums by decision, protocol, tool and rule; names of Object.prototype are names like any other', () => {
    const sums = new UsageSums();
    sums.add({ kind: 'allow', protocol: 'git', tool: 'constructor', count: 2 });
    sums.add({ kind: 'allow', protocol: 'git', tool: '__proto__', count: 3 });
    sums.add({ kind: 'block', protocol: 'shell', tool: 'constructor', rule: 'r', count: 1 });
    sums.add({ kind: 'result', count: 9 });
    const usage = sums.of('default', {});
    expect(usage).toMatchObject({ total: 6, decisions: { allow: 5, block: 1 }, protocols: { git: 5, shell: 1 } });
    expect(Object.entries(usage.tools)).toEqual([
      ['constructor', 3],
      ['__proto__', 3],
    ]);
    expect(usage.blocked_by_rule).toEqual({ r: 1 });
  });

  test.each([
    [{}, { first: '0000', last: '9999' }],
    [{ from: '2026-01-01' }, { first: '2026-01-01T00', last: '9999' }],
    [
      { from: '2026-01-01T10:59:59Z', to: '2026-01-01T12:00:00+01:00' },
      { first: '2026-01-01T10', last: '2026-01-01T11' },
    ],
  ])('%j reaches over %j', (query, hours) => {
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

test('rebuilding goes through every entry of every session once', async () => {
  const applied: Projection[] = [];
  const kept: string[] = [];
  const sessions = (cursor?: string) => ({
    items: [{ session_id: cursor ?? 's1' }] as never,
    ...(cursor === undefined && { cursor: 's2' }),
  });
  const count = await rebuild(
    {
      evidence: {
        sessions: async (_tenant, { cursor }) => sessions(cursor),
        async *entries(_tenant, session_id) {
          for (const n of [0, 1]) yield sampleEntry(n, { session_id });
        },
      },
      observations: { apply: async (projections) => void applied.push(...projections) },
      archive: { keep: async ({ hash }) => void kept.push(hash) },
    },
    'default',
  );
  expect(count).toBe(4);
  expect(new Set(applied.map(({ hash }) => hash)).size).toBe(4);
  expect(kept).toEqual(applied.map(({ hash }) => hash));
});
