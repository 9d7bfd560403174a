import type { Signal } from '#core/contracts/behavior.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { TaskManifestBody } from '#core/contracts/task-manifest.ts';
import type { Effects } from '#core/effects/ports.ts';
import { checkManifest, checkManifests, type TaskHistory } from '#core/session/tasks/check.ts';
import { driftVerdict, taskNote } from '#core/session/tasks/decide-manifests.ts';
import { openManifest } from '#core/session/tasks/manifest.ts';
import { replayDrift } from '#core/session/tasks/replay.ts';
import { entryAfter, startMs } from '../risk/play.ts';

const manifest = (body: Partial<TaskManifestBody> = {}, now = startMs) =>
  openManifest({ name: 'docs', risk_tier: 'high', ...body }, 'default', 'alice', now);
const call = (protocol: string, tool: string, target: string, capability: string): ToolCall => ({
  protocol,
  tool,
  target,
  capability,
  parameters: {},
});
const read = call('git', 'scm.get_file_contents', 'acme/web', 'read');
const alone: Effects = { parts: [], carrier: false };
const fresh: TaskHistory = { actions: 0, spent_microusd: 0, score: 0 };
const settings = { kill_switch_score: 80 };

interface Asked {
  readonly call?: ToolCall;
  readonly effects?: Effects;
  readonly signals?: readonly Signal[];
  readonly history?: Partial<TaskHistory>;
  readonly now?: number;
  readonly key?: string;
}

const drift = (body: Partial<TaskManifestBody>, asked: Asked = {}) =>
  checkManifest(
    manifest(body),
    {
      call: asked.call ?? read,
      effects: asked.effects ?? alone,
      session: 's1',
      key_id: asked.key ?? 'k1',
      signals: asked.signals ?? [],
    },
    { ...fresh, ...asked.history },
    settings,
    asked.now ?? startMs,
  ).map(({ kind }) => kind);

const shell = (
  parts: readonly (readonly [tool: string, target: string, capability: string])[],
  more: Partial<Effects> = {},
): Asked => ({
  call: call('shell', 'shell.run', 'rm -rf src', 'execute'),
  effects: {
    parts: parts.map(([tool, target, capability]) => call('shell', tool, target, capability)),
    carrier: true,
    ...more,
  },
});
const signal = (s: Signal['s'], n?: number): Signal => ({ s, x: 'x', h: '000000', ...(n !== undefined && { n }) });

test.each<readonly [string, Partial<TaskManifestBody>, Asked, readonly string[]]>([
  ['nothing declared, nothing to leave', {}, {}, []],
  ['a tool that is declared', { tools: ['scm.get_*'] }, {}, []],
  ['… in other letters', { tools: ['SCM.Get_*'] }, {}, []],
  ['another tool', { tools: ['scm.list_*'] }, {}, ['tool']],
  ['a longer name', { tools: ['scm.get'] }, {}, ['tool']],
  ['a target that is declared', { resources: ['acme/*'] }, {}, []],
  ['another target', { resources: ['acme/docs'] }, {}, ['resource']],
  [
    'a target that climbs out',
    { resources: ['src/**'] },
    { call: call('shell', 'shell.cat', 'src/../.env', 'read') },
    ['resource'],
  ],
  [
    'a target with escapes',
    { resources: ['src/**'] },
    { call: call('mcp', 'fs.read', 'src/%2e%2e/secret', 'read') },
    ['resource'],
  ],
  [
    'a target escaped beyond measure',
    { resources: ['src/**'] },
    { call: call('mcp', 'fs.read', `src/%${'25'.repeat(20)}2e`, 'read') },
    ['resource'],
  ],
  ['a protocol that is declared', { protocols: ['GIT'] }, {}, []],
  ['another protocol', { protocols: ['sql', 'http'] }, {}, ['protocol']],
  ['a verb that is declared', { capabilities: ['read'] }, {}, []],
  ['another verb', { capabilities: ['write'] }, {}, ['capability']],
  [
    'parts within',
    { tools: ['shell.cat', 'shell.rm'], resources: ['src/**'], capabilities: ['delete'] },
    shell([['shell.rm', 'src/a', 'delete']]),
    [],
  ],
  ['the carrier needs no declaration of its own', { tools: ['shell.rm'] }, shell([['shell.rm', 'src', 'delete']]), []],
  [
    'one part outside',
    { tools: ['shell.cat'], resources: ['src/**'] },
    shell([
      ['shell.cat', 'src/a', 'read'],
      ['shell.rm', '/etc', 'delete'],
    ]),
    ['tool', 'resource'],
  ],
  [
    'a part with another verb',
    { capabilities: ['read'] },
    shell([
      ['shell.cat', 'a', 'read'],
      ['shell.rm', 'a', 'delete'],
    ]),
    ['capability'],
  ],
  [
    'a call that cannot be read',
    { tools: ['shell.*'], capabilities: ['read'] },
    shell([['shell.cat', 'a', 'read']], { unclear: 'what $x is' }),
    ['capability', 'unclear'],
  ],
  ['… means nothing where nothing is limited', { max_actions: 5 }, shell([], { unclear: 'what $x is' }), []],
  ['the last action', { max_actions: 3 }, { history: { actions: 2 } }, []],
  ['one action too many', { max_actions: 3 }, { history: { actions: 3 } }, ['count']],
  ['none at all', { max_actions: 0 }, {}, ['count']],
  ['money left', { budget_usd: 1.5 }, { history: { spent_microusd: 1_499_999 } }, []],
  ['money spent', { budget_usd: 1.5 }, { history: { spent_microusd: 1_500_000 } }, ['budget']],
  ['in time', {}, { now: startMs + 24 * 3_600_000 - 1 }, []],
  ['too late', {}, { now: startMs + 24 * 3_600_000 }, ['expired']],
  ['another session', { sessions: ['s2', 's3'] }, {}, ['attachment']],
  ['its session', { sessions: ['s2', 's1'] }, {}, []],
  ['another key', { key_id: 'k2' }, {}, ['attachment']],
  ['a quiet task', { risk_tier: 'low' }, {}, []],
  ['a quiet task that deletes', { risk_tier: 'low' }, { signals: [signal('destroy')] }, ['risk_tier']],
  ['a medium task that deletes', { risk_tier: 'medium' }, { signals: [signal('destroy')] }, []],
  ['a medium task that drops tables', { risk_tier: 'medium' }, { signals: [signal('destroy', 3)] }, ['risk_tier']],
  ['a medium task that takes rights', { risk_tier: 'medium' }, { signals: [signal('privilege')] }, ['risk_tier']],
  ['a high task that takes rights', { risk_tier: 'high' }, { signals: [signal('privilege')] }, []],
  ['a quiet task in a loud session', { risk_tier: 'low' }, { history: { score: 20 } }, ['risk_tier']],
  ['a medium task in a loud session', { risk_tier: 'medium' }, { history: { score: 39 } }, []],
  ['a medium task in a very loud session', { risk_tier: 'medium' }, { history: { score: 40 } }, ['risk_tier']],
])('[manifest.drift] %s', (_name, body, asked, kinds) => {
  expect(drift(body, asked)).toEqual(kinds);
});

test('[manifest.drift] of several manifests each counts, so another one can only narrow', () => {
  const manifests = [
    manifest({ tools: ['scm.*'] }),
    manifest({ tools: ['scm.list_*'] }),
    manifest({ resources: ['acme/docs'] }),
  ];
  const asked = { call: read, effects: alone, session: 's1', key_id: 'k1', signals: [] };
  const found = checkManifests({ manifests, unknown: 'task-none' }, asked, fresh, settings, startMs);
  expect(found.map(({ kind, manifest_id }) => [kind, manifest_id])).toEqual([
    ['unknown', 'task-none'],
    ['tool', manifests[1]!.id],
    ['resource', manifests[2]!.id],
  ]);
  expect(driftVerdict(found, { enforcement_mode: 'enforce' })?.matched_rule).toBe('manifest:task-none');
});

test('the name of a manifest is the digest of what it says', () => {
  const one = manifest({ tools: ['a', 'b'] });
  expect(manifest({ tools: ['a', 'b'] }).id).toBe(one.id);
  expect(manifest({ tools: ['b', 'a'] }).id).not.toBe(one.id);
  expect(
    openManifest({ name: 'docs', risk_tier: 'high', tools: ['a', 'b'] }, 'elsewhere', 'alice', startMs).id,
  ).not.toBe(one.id);
  expect(() => manifest({ tools: ['{a'] })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

test('[manifest.drift] [evidence.secrets-derived] an action whose effects are masked is partly checked', async () => {
  const body = {
    protocol: 'shell',
    tool: 'shell.run',
    target: '',
    capability: 'execute',
    withheld: ['$.parameters.cmd'],
  };
  const partly = async (x: string) => {
    const { entry } = entryAfter(undefined, 'allow', { ...body, effects: [{ t: 'shell.cat', c: 'read', x }] }, startMs);
    return (await replayDrift(manifest({ tools: ['shell.cat'] }), 's1', [entry])).partly_checked;
  };
  expect([await partly('src/a'), await partly('src/[withheld]')]).toEqual([0, 1]);
});

test('[manifest.drift] the history tells what a live check found: effects are kept beside the decision', async () => {
  const declared = manifest({ tools: ['shell.cat'], capabilities: ['read'], max_actions: 2, budget_usd: 0.5 });
  const { effects } = shell([
    ['shell.cat', 'a', 'read'],
    ['shell.rm', 'a', 'delete'],
  ]);
  const many: Effects = {
    parts: Array.from({ length: 40 }, (_, i) => call('shell', 'shell.cat', `f${i}`, 'read')),
    carrier: true,
  };
  const bodies = [
    ['allow', { protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', ...taskNote(effects!) }],
    ['result', { tool: 'shell.run', outcome: 'executed' }],
    ['chat', { decision: 'allow', cost_microusd: 600_000 }],
    ['review', { operation: 'chat' }],
    ['allow', { protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', ...taskNote(many) }],
    [
      'block',
      {
        protocol: 'shell',
        tool: 'shell.cat',
        target: { redacted: 'sha256-salted' },
        withheld: ['$.target'],
        capability: 'read',
      },
    ],
  ] as const;
  let head: Parameters<typeof entryAfter>[0];
  const entries = bodies.map(([kind, body]) => {
    const next = entryAfter(head, kind, body, startMs);
    head = next.head;
    return next.entry;
  });
  expect(head?.spent_microusd).toBe(600_000);
  const report = await replayDrift(declared, 's1', entries);
  expect(report).toMatchObject({ entries: 6, actions: 3, total_drifted: 3, partly_checked: 2 });
  expect(report.drifted.map(({ index, drift }) => [index, drift.map(({ kind }) => kind)])).toEqual([
    [0, ['tool', 'capability']],
    [4, ['budget']],
    [5, ['count', 'budget']],
  ]);
});
