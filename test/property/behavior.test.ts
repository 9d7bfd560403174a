/** Session risk: recomputed from evidence it equals the value in the head; it is bounded, and it decays. */
import fc from 'fast-check';
import {
  maxCounted,
  type RiskRecord,
  type RiskSettings,
  riskSettingsOf,
  type Signal,
  signalKinds,
} from '#core/contracts/behavior.ts';
import { behaviorSchema } from '#core/contracts/behavior-schema.ts';
import type { EntryKind } from '#core/contracts/entry-kinds.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { keyRiskAfter } from '#core/session/risk/assess.ts';
import { differingSettings, releaseAction, replayRisk, riskAfter, settingsOf } from '#core/session/risk/replay.ts';
import { scoreAt } from '#core/session/risk/score.ts';
import { stateOf } from '#core/session/risk/state.ts';
import { runs } from '../support/extent.ts';
import { entryAfter, startMs } from '../unit/session/risk/play.ts';

interface Happening {
  readonly kind: EntryKind;
  readonly body: Record<string, unknown>;
  /** Milliseconds since the previous event; the clocks of instances may go backwards. */
  readonly after: number;
}

const signal = fc.record({
  s: fc.constantFrom(...signalKinds),
  x: fc.constantFrom('shell:delete', 'git:write', 'chat', 'x'),
  h: fc.integer({ min: 0, max: 40 }).map((n) => n.toString(16).padStart(6, '0')),
  n: fc.constantFrom(undefined, 3),
}) as fc.Arbitrary<Signal>;

const settings: fc.Arbitrary<RiskSettings> = fc
  .record({
    kill_switch_score: fc.integer({ min: 20, max: 200 }),
    window_minutes: fc.integer({ min: 1, max: 60 }),
    exfiltration: fc.record({ points: fc.integer({ min: 0, max: 60 }) }),
    credential_abuse: fc.record({ secrets: fc.integer({ min: 2, max: maxCounted.secrets }) }),
    fan_out: fc.record({ places: fc.integer({ min: 2, max: maxCounted.places }) }),
    destructive_sequence: fc.record({ deletes: fc.integer({ min: 2, max: maxCounted.deletes }) }),
    repeated_escalation: fc.record({ attempts: fc.integer({ min: 2, max: maxCounted.attempts }) }),
  })
  .map((given) => riskSettingsOf(behaviorSchema.parse(given)));

const decisions = fc.constantFrom('allow', 'allow', 'allow', 'block', 'review');
const happening = (numbers: RiskSettings): fc.Arbitrary<Happening> => {
  const named = differingSettings(numbers);
  const note = fc.array(signal, { maxLength: 6 }).map((signals) => ({ signals, ...(named && { settings: named }) }));
  const after = fc.oneof(fc.integer({ min: -5_000, max: 20_000 }), fc.integer({ min: 0, max: 3_600_000 }));
  const decided = fc.tuple(decisions, note, fc.boolean(), fc.integer({ min: 0, max: 3 })).map(
    ([kind, behavior, approved, digest]) =>
      ({
        kind,
        body: { behavior, call_digest: `${digest}-digest`, ...(approved && { approval_ref: 'e' }) },
      }) as const,
  );
  const others: fc.Arbitrary<{ kind: EntryKind; body: Record<string, unknown> }> = fc.oneof(
    fc.constant({ kind: 'deny' as const, body: { call_digest: 'digest-d' } }),
    fc.constant({ kind: 'deny' as const, body: { reason: 'timeout' } }),
    fc.constant({ kind: 'result' as const, body: { outcome: 'executed' } }),
    note.map((behavior) => ({ kind: 'chat' as const, body: { decision: 'block', request_sha256: 'r', behavior } })),
  );
  const release = fc.constant({ kind: 'admin' as const, body: { action: releaseAction } });
  return fc
    .tuple(
      fc.oneof({ weight: 12, arbitrary: decided }, { weight: 3, arbitrary: others }, { weight: 1, arbitrary: release }),
      after,
    )
    .map(([what, ms]) => ({ ...what, after: ms }));
};

const course = (usual?: RiskSettings) =>
  (usual ? fc.constant(usual) : settings).chain((numbers) =>
    fc.tuple(fc.constant(numbers), fc.array(happening(numbers), { minLength: 1, maxLength: 60 })),
  );

function live(happenings: readonly Happening[]) {
  let head: SessionHead | undefined;
  let now = startMs;
  const entries: EvidenceEntry[] = [];
  const heads: SessionHead[] = [];
  for (const { kind, body, after } of happenings) {
    now += after;
    const next = entryAfter(head, kind, body, now);
    head = next.head;
    entries.push(next.entry);
    heads.push(next.head);
  }
  return { entries, heads, head: head! };
}

const numRuns = runs(300, 60);

test('[behavior.rules] the risk record in the session head matches a replay of the evidence, entry by entry', async () => {
  await fc.assert(
    fc.asyncProperty(course(), async ([, happenings]) => {
      const { entries, heads, head } = live(happenings);
      expect((await replayRisk(entries)).record).toEqual(head.risk);
      const half = Math.floor(entries.length / 2);
      expect((await replayRisk(entries.slice(0, half))).record).toEqual(heads[half - 1]?.risk);
      // Only the content of the entries counts, as written and read back.
      const again = JSON.parse(JSON.stringify(entries)) as EvidenceEntry[];
      expect((await replayRisk(again)).record).toEqual(head.risk);
    }),
    { numRuns },
  );
});

test('the score is the sum of the alerts within the window, each of which cites existing entries', async () => {
  await fc.assert(
    fc.asyncProperty(course(), async ([numbers, happenings]) => {
      const { entries, head } = live(happenings);
      const released = entries.findLastIndex(({ kind }) => kind === 'admin');
      const since = entries.slice(released + 1);
      const { alerts } = await replayRisk(since);
      for (const { cites, points } of alerts) {
        expect(points).toBeGreaterThan(0);
        expect(cites.length).toBeGreaterThan(0);
        for (const cite of cites) expect(since.some(({ index }) => index === cite)).toBe(true);
        expect([...cites].sort((a, b) => Number(a) - Number(b))).toEqual(cites);
      }
      const state = stateOf(head.risk);
      if (!state || state.tripped) return;
      // Only points that have left the window are missing.
      const total = alerts.reduce((sum, { points }) => sum + points, 0);
      const faded = alerts.filter(({ at }) => at <= latest(since) - numbers.window_minutes * 60);
      expect(head.risk?.score).toBeLessThanOrEqual(total);
      if (faded.length === 0) expect(head.risk?.score).toBe(total);
    }),
    { numRuns },
  );
});

const latest = (entries: readonly EvidenceEntry[]) =>
  Math.max(...entries.map(({ timestamp }) => Date.parse(timestamp) / 1000));

test('the record stays small: about 1 kB with default settings, and at most 2 kB', () => {
  const usual = riskSettingsOf(behaviorSchema.parse({}));
  const most = (course: readonly Happening[]) =>
    Math.max(...live(course).heads.map(({ risk }) => risk?.state?.length ?? 0));
  fc.assert(
    fc.property(course(usual), ([, happenings]) => expect(most(happenings)).toBeLessThan(1_250)),
    { numRuns },
  );
  fc.assert(
    fc.property(course(), ([, happenings]) => expect(most(happenings)).toBeLessThan(2_048)),
    { numRuns },
  );
});

test('points expire at the end of the window, unless the kill switch has tripped', () => {
  fc.assert(
    fc.property(course(), ([numbers, happenings]) => {
      const { head } = live(happenings);
      const state = stateOf(head.risk);
      const afterwards = Date.parse(head.updated_at) + 3_600_000 + numbers.window_minutes * 60_000;
      const { score } = scoreAt(state, afterwards, numbers);
      if (state?.tripped) expect(score).toBe(head.risk?.score);
      else expect(score).toBe(0);
    }),
    { numRuns },
  );
});

test('a release clears all points, and each entry contains the settings used for its score', () => {
  fc.assert(
    fc.property(course(), ([numbers, happenings]) => {
      const { head, entries } = live(happenings);
      const { entry } = entryAfter(head, 'admin', { action: releaseAction }, startMs);
      expect(riskAfter(head.risk, entry)).toBeUndefined();
      for (const each of entries) if (each.body.behavior) expect(settingsOf(each)).toEqual(numbers);
    }),
    { numRuns },
  );
});

test("[behavior.rules] a key's record includes the activity of all its sessions, and names them", () => {
  fc.assert(
    fc.property(course(), ([, happenings]) => {
      const { entries } = live(happenings);
      let record: RiskRecord | undefined;
      for (const entry of entries) record = keyRiskAfter(record, entry);
      for (const { cites } of stateOf(record)?.alerts ?? []) for (const cite of cites) expect(cite).toMatch(/^s1#\d+$/);
    }),
    { numRuns },
  );
});
