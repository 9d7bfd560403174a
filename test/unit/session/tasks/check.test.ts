import * as z from 'zod';
import type { Signal } from '#core/contracts/behavior.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { TaskManifestBody } from '#core/contracts/task-manifest.ts';
import type { Effects } from '#core/effects/ports.ts';
import { checkManifest, checkManifests, type TaskHistory } from '#core/session/tasks/check.ts';
import { driftVerdict, taskNote } from '#core/session/tasks/decide-manifests.ts';
import { openManifest } from '#core/session/tasks/manifest.ts';
import { replayDrift } from '#core/session/tasks/replay.ts';
import { readCases } from '../../../support/yaml.ts';
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
}

const drift = (body: Partial<TaskManifestBody>, asked: Asked = {}) =>
  checkManifest(
    manifest(body),
    {
      call: asked.call ?? read,
      effects: asked.effects ?? alone,
      session: 's1',
      key_id: 'k1',
      signals: asked.signals ?? [],
    },
    { ...fresh, ...asked.history },
    settings,
    asked.now ?? startMs,
  ).map(({ kind }) => kind);

const shell = (
  parts: readonly (readonly [tool: string, target: string, capability: string])[],
  more: Partial<Effects> = {},
) => ({
  call: call('shell', 'shell.run', 'rm -rf src', 'execute'),
  effects: {
    parts: parts.map(([tool, target, capability]) => call('shell', tool, target, capability)),
    carrier: true,
    ...more,
  },
});

const word = z.string();
const asked = z.strictObject({
  call: z.tuple([word, word, word, word]).optional(),
  parts: z.array(z.tuple([word, word, word])).optional(),
  unclear: word.optional(),
  signals: z.array(z.tuple([z.enum(['destroy', 'privilege'])], z.number())).optional(),
  history: z.strictObject({ actions: z.number(), spent_microusd: z.number(), score: z.number() }).partial().optional(),
  now: z.number().optional(),
});
const cases = readCases(
  'test/unit/session/tasks/check.yaml',
  z.strictObject({ drift: z.array(z.tuple([word, z.record(word, z.unknown()), asked, z.array(word)])) }),
);

test.each(cases.drift)(
  '[manifest.drift] %s',
  (_name, body, { call: named, parts, unclear, signals, now = 0, history }, kinds) => {
    const asked: Asked = {
      ...(named && { call: call(...named) }),
      ...(parts && shell(parts, unclear === undefined ? {} : { unclear })),
      ...(signals && { signals: signals.map(([s, n]) => ({ s, x: 'x', h: '000000', ...(n !== undefined && { n }) })) }),
      ...(history && { history: history as Partial<TaskHistory> }),
      now: startMs + now,
    };
    expect(drift(body, asked)).toEqual(kinds);
  },
);

test('[manifest.drift] if there are several manifests, all of them apply, so adding one can only narrow the task', () => {
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

test('a manifest’s id is the digest of its content', () => {
  const one = manifest({ tools: ['a', 'b'] });
  expect(manifest({ tools: ['a', 'b'] }).id).toBe(one.id);
  expect(manifest({ tools: ['b', 'a'] }).id).not.toBe(one.id);
  expect(
    openManifest({ name: 'docs', risk_tier: 'high', tools: ['a', 'b'] }, 'elsewhere', 'alice', startMs).id,
  ).not.toBe(one.id);
  expect(() => manifest({ tools: ['{a'] })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
});

test('[manifest.drift] [evidence.secrets-redacted] an action whose effects are redacted is only partly checked', async () => {
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

test('[manifest.drift] replaying the history gives the same drift as the live check, because effects are stored with the decision', async () => {
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
