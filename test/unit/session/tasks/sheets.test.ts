/** Task manifests: affected calls, requests with names, acceptance. They only make decisions more severe. */
import fc from 'fast-check';
import * as z from 'zod';
import type { Drift } from '#core/contracts/drift.ts';
import { type Decision, decisions } from '#core/contracts/envelope.ts';
import { addVerdict, type Verdict } from '#core/policy/rules/verdict.ts';
import { acceptedAfter, driftKey, isEachDriftShown } from '#core/session/tasks/accepted.ts';
import { checkManifest } from '#core/session/tasks/check.ts';
import { driftVerdict } from '#core/session/tasks/decide-manifests.ts';
import { sheetOfRequest } from '#core/session/tasks/from-request.ts';
import { openManifest } from '#core/session/tasks/manifest.ts';
import { recipientsOf } from '#core/session/tasks/recipients.ts';
import { readCases } from '../../../support/yaml.ts';

const parameters = z.record(z.string(), z.unknown());
const cases = readCases(
  'test/unit/session/tasks/sheets.yaml',
  z.strictObject({ recipients: z.array(z.tuple([parameters, z.array(z.string())])), objects: z.array(parameters) }),
);

const maxAccepted = 64;

const nowMs = Date.UTC(2026, 5, 1);
const call = (parameters: Record<string, unknown>, target = '', tool = 'mail.send') => ({
  protocol: 'mcp',
  tool,
  target,
  capability: 'write',
  parameters,
});
const found = (parameters: Record<string, unknown>, target = '') => recipientsOf([call(parameters, target)]).found;

test.each(cases.recipients)('[manifest.recipients] %j reaches %j', (parameters, expected) => {
  expect(found(parameters)).toEqual(expect.arrayContaining(expected));
  if (expected.length === 0) expect(found(parameters)).toEqual([]);
});

test.each(cases.objects)(
  '[manifest.recipients] a recipient given as an object is counted once, by its address: %j',
  (parameters) => {
    expect(found(parameters)).toEqual(['a@b.example']);
  },
);

test('[manifest.recipients] a target that is an address is a recipient, and arguments that are too many or too deep are not read', () => {
  expect(found({}, 'eve@evil.example')).toEqual(['eve@evil.example']);
  expect(recipientsOf([call({ to: Array.from({ length: 600 }, (_, i) => `a${i}@b.example`) })]).unread).toBe(true);
  let deep: Record<string, unknown> = { to: 'eve@evil.example' };
  for (let level = 0; level < 40; level++) deep = { deep };
  expect(recipientsOf([call(deep)]).unread).toBe(true);
});

const driftOf = (
  body: object,
  parameters: Record<string, unknown>,
  accepted: readonly string[] = [],
  tool?: string,
) => {
  const manifest = openManifest({ name: 'task', risk_tier: 'high', ...body }, 'default', 'alice', nowMs);
  const asked = { call: call(parameters, '', tool), effects: { parts: [], carrier: false }, session: 's', key_id: 'k' };
  const history = { actions: 0, spent_microusd: 0, score: 0, accepted };
  return checkManifest(manifest, { ...asked, signals: [] }, history, { kill_switch_score: 80 }, nowMs);
};

test('[manifest.recipients] a recipient that matches no glob is drift, and an empty list allows no recipients', () => {
  const kinds = (recipients: string[], to: string) => driftOf({ recipients }, { to }).map(({ kind }) => kind);
  expect(kinds(['*@acme.example'], 'Bob@ACME.example')).toEqual([]);
  for (const to of ['bob@acme.example.evil.example', 'bob@acme.example, eve@evil.example', 'bob@acme.exаmple'])
    expect(kinds(['*@acme.example'], to)).toEqual(['recipient']);
  expect(kinds([], 'bob@acme.example')).toEqual(['recipient']);
});

test('[manifest.drift] accepted deviations are treated as declared, and new ones are still reported', () => {
  const sheet = { recipients: ['a@b.example'] };
  const first = driftOf(sheet, { to: 'x@y.example' });
  const keys = acceptedAfter(undefined, { kind: 'allow', body: { accepts_drift: true, drift: first } })!;
  expect(driftOf(sheet, { to: 'x@y.example' }, keys)).toEqual([]);
  expect(driftOf(sheet, { to: ['x@y.example', 'eve@evil.example'] }, keys)[0]).toMatchObject({
    found: 'eve@evil.example',
  });
  expect(driftOf({ ...sheet, name: 'another task' }, { to: 'x@y.example' }, keys)).toHaveLength(1);
  expect(driftOf({ tools: ['chat.*'] }, {}, keys)).toHaveLength(1);
});

test('[manifest.drift] each deviation is listed separately, so that accepted ones are not reviewed again', () => {
  const sheet = { recipients: ['a@b.example'] };
  const to = ['x@y.example', 'a@b.example', 'eve@evil.example', 'X@Y.example'];
  const first = driftOf(sheet, { to });
  expect(first.map((each) => each.found)).toEqual(['x@y.example', 'eve@evil.example']);
  const keys = acceptedAfter(undefined, { kind: 'allow', body: { accepts_drift: true, drift: first } })!;
  expect(driftOf(sheet, { to: 'eve@evil.example' }, keys)).toEqual([]);
  const many = driftOf(sheet, { to: Array.from({ length: 40 }, (_, at) => `x${at}@y.example`) });
  expect(many).toHaveLength(8);
});

test('[manifest.recipients] a message has no target, so its recipients determine whether it stays within the task', () => {
  const sheet = { resources: ['/srv/reports/**'], recipients: ['a@b.example'] };
  const kinds = (parameters: Record<string, unknown>) => driftOf(sheet, parameters).map(({ kind }) => kind);
  expect(kinds({ to: 'a@b.example' })).toEqual([]);
  expect(kinds({ to: 'x@y.example' })).toEqual(['recipient']);
  expect(kinds({ text: 'hello' })).toEqual(['resource']);
  expect(driftOf({ resources: sheet.resources }, { to: 'a@b.example' }).map(({ kind }) => kind)).toEqual(['resource']);
});

test('[manifest.drift] accepting a call without a target does not accept a different tool', () => {
  const sheet = { resources: ['/srv/reports/**'] };
  const first = driftOf(sheet, {}, [], 'mail.read');
  expect(first).toMatchObject([{ kind: 'resource', found: 'mail.read without a target' }]);
  const keys = acceptedAfter(undefined, { kind: 'allow', body: { accepts_drift: true, drift: first } })!;
  expect(driftOf(sheet, {}, keys, 'mail.read')).toEqual([]);
  expect(driftOf(sheet, {}, keys, 'mail.delete_all')).toHaveLength(1);
});

test('[manifest.drift] drift is accepted only if the approver saw it, and deviations without a key are reviewed each time', () => {
  const named: Drift = { manifest_id: 'task-1', kind: 'recipient', found: 'x@y.example', allowed: 'none' };
  const count: Drift = { ...named, kind: 'count', found: 'action 5' };
  const long: Drift = { ...named, found: `${'a'.repeat(199)}…` };
  expect(isEachDriftShown([named], [named, count])).toBe(true);
  expect(isEachDriftShown([named], [])).toBe(false);
  expect(isEachDriftShown([], [named])).toBe(false);
  expect([count, long].map((each) => [driftKey(each), isEachDriftShown([each], [each])])).toEqual([
    [undefined, false],
    [undefined, false],
  ]);
  const entry = (kind: string, body: object) => acceptedAfter(undefined, { kind, body } as never);
  expect(entry('allow', { drift: [named] })).toBeUndefined();
  expect(entry('review', { accepts_drift: true, drift: [named] })).toBeUndefined();
  const many = Array.from({ length: 80 }, (_, i) => ({ ...named, found: `x${i}@y.example` }));
  expect(entry('allow', { accepts_drift: true, drift: many })).toHaveLength(maxAccepted);
});

test('[manifest.drift] a task sheet never makes a decision less strict', () => {
  const drift = fc.array(
    fc.record({
      manifest_id: fc.constantFrom('task-1', 'task-2'),
      kind: fc.constantFrom('tool', 'recipient', 'resource', 'count', 'expired', 'unclear'),
      found: fc.string(),
      allowed: fc.string(),
    }) as fc.Arbitrary<Drift>,
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(
      fc.constantFrom<Decision>(...decisions),
      drift,
      fc.constantFrom('warn', 'review', 'enforce'),
      (decision, left, enforcement_mode) => {
        const before: Verdict = { decision, matched_rule: 'mcp:*' };
        const after = addVerdict(before, driftVerdict(left, { enforcement_mode } as never) ?? {});
        expect(decisions.indexOf(after.decision!)).toBeGreaterThanOrEqual(decisions.indexOf(decision));
        if (left.length === 0 || enforcement_mode === 'warn' || decision === 'block') expect(after).toEqual(before);
        else expect(after.decision).not.toBe('allow');
      },
    ),
  );
});

test('[manifest.drift] a recipient outside the sheet always adds drift, and accepted keys never do', () => {
  const text = fc.constantFrom('a@b.example', 'x@y.example', 'eve@evil.example', 'general', '');
  fc.assert(
    fc.property(fc.array(text), fc.uniqueArray(text.filter(Boolean)), fc.array(text), (to, recipients, settled) => {
      const without = driftOf({ recipients }, { to });
      const id = openManifest({ name: 'task', risk_tier: 'high', recipients }, 'default', 'alice', nowMs).id;
      const keys = settled.flatMap((each) => driftKey({ manifest_id: id, kind: 'recipient', found: each }) ?? []);
      expect(driftOf({ recipients }, { to }, keys).length).toBeLessThanOrEqual(without.length);
      const outside = to.filter((each) => each !== '' && !recipients.includes(each) && !settled.includes(each));
      expect(driftOf({ recipients }, { to }, keys).length > 0).toBe(outside.length > 0);
    }),
  );
});

test('[manifest.recipients] a sheet contains the recipients and resources of the request but none of its text', () => {
  const base = { name: 'task', risk_tier: 'high' } as const;
  const request = 'Summarise https://docs.example.com/a and src/app/, then mail it to Anna@example.com.';
  const sheet = sheetOfRequest({ ...base, request });
  expect(sheet).not.toHaveProperty('request');
  expect(sheet.recipients).toEqual(['anna@example.com']);
  expect(sheet.resources).toEqual(
    expect.arrayContaining(['https://docs.example.com/a', 'https://docs.example.com/a/**', 'src/app', 'src/app/**']),
  );
  expect(sheetOfRequest({ ...base, request: 'Tidy up.' })).toEqual({ ...base, recipients: [] });
  expect(sheetOfRequest({ ...base, request, recipients: ['*@acme.example'] }).recipients).toEqual(['*@acme.example']);
  expect(sheetOfRequest({ ...base, request: 'Write to *@evil.example and a{b}@x.example' }).recipients).toEqual([]);
  expect(sheetOfRequest(base)).toEqual(base);
});
