/**
 * Rules that change while a request is pending: requirements only grow, and votes resolve the request if and only if
 * they satisfy both the old and the new rules.
 */
import fc from 'fast-check';
import { applyTerms, type CurrentTerms } from '#core/approvals/terms.ts';
import { decideApproval } from '#core/approvals/vote.ts';
import { missingOf } from '#core/configuration/identity/separation-rules.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Ballot, Requirement } from '#core/contracts/separation.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { runs } from '../support/extent.ts';
import { approvalRow, approvalsWorld, at } from '../unit/approvals/sample.ts';

const teams = ['acme/web', 'acme/security'];
const requirement: fc.Arbitrary<Requirement> = fc
  .record({ approvals: fc.integer({ min: 1, max: 3 }), team: fc.option(fc.constantFrom(...teams), { nil: undefined }) })
  .map(({ approvals, team }) => ({
    rule: `${approvals} of ${team ?? 'all'}`,
    approvals,
    ...(team && { from_teams: [team] }),
  }));
const requirements = fc.array(requirement, { maxLength: 2 });
const terms: fc.Arbitrary<CurrentTerms | undefined> = fc.option(
  fc
    .record({
      require_passkey: fc.boolean(),
      seconds: fc.option(fc.integer({ min: 1, max: 3_600 }), { nil: undefined }),
      requires: requirements,
    })
    .map(({ require_passkey, seconds, requires }) => ({
      version: 2,
      require_passkey,
      requires,
      ...(seconds !== undefined && { expires_at: at(seconds) }),
    })),
  { nil: undefined },
);
const queued: fc.Arbitrary<ApprovalRow> = fc
  .record({ passkey: fc.boolean(), seconds: fc.integer({ min: 1, max: 3_600 }), requires: requirements })
  .map(({ passkey, seconds, requires }) =>
    approvalRow({
      expires_at: at(seconds),
      vote_count: 0,
      ...(passkey && { require_passkey: true as const }),
      ...(requires.length > 0 && { requires }),
    }),
  );
const cast = fc.record({
  person: fc.constantFrom('ann', 'bob', 'cas', 'dee'),
  teams: fc.subarray(teams),
  signed: fc.boolean(),
  after: fc.integer({ min: 0, max: 900 }),
  terms,
});
type Cast = typeof cast extends fc.Arbitrary<infer C> ? C : never;

const named = (requires: readonly Requirement[] = []) => new Set(requires.map((each) => JSON.stringify(each)));

test('[approval.strictest-terms] no term of a queued request is removed, whatever the current configuration', () => {
  fc.assert(
    fc.property(queued, terms, terms, (row, first, second) => {
      const once = applyTerms(row, first);
      const twice = applyTerms(once, second);
      for (const [before, after] of [
        [row, once],
        [once, twice],
      ] as const) {
        expect(before.require_passkey === true && after.require_passkey !== true).toBe(false);
        expect(after.expires_at <= before.expires_at).toBe(true);
        for (const each of named(before.requires)) expect(named(after.requires).has(each)).toBe(true);
      }
      if (first?.require_passkey) expect(once.require_passkey).toBe(true);
      if (first?.expires_at) expect(once.expires_at <= first.expires_at).toBe(true);
      for (const each of named(first?.requires)) expect(named(once.requires).has(each)).toBe(true);
      // Added requirements are reported, and applying the same terms again adds nothing.
      expect(once.tightened !== undefined).toBe(once !== row);
      expect(applyTerms(once, first)).toBe(once);
      const decided = { ...row, status: 'approved' as const };
      expect(applyTerms(decided, first)).toBe(decided);
    }),
    { numRuns: runs(1_000, 200) },
  );
});

/** Returns the result expected from the rules, computed without the gateway's own bookkeeping. */
function expected(row: ApprovalRow, votes: readonly Cast[]): boolean {
  let passkey = row.require_passkey === true;
  let requires = [...(row.requires ?? [])];
  let kept: (Ballot & { signed: boolean })[] = [];
  let seconds = 0;
  for (const { person, teams: own, signed, after, terms: now } of votes) {
    seconds += after;
    const ends = [row.expires_at, now?.expires_at ?? row.expires_at].sort()[0]!;
    if (ends <= at(seconds)) return false;
    const asksPasskey = passkey || now?.require_passkey === true;
    if (asksPasskey && !signed) continue;
    const before = asksPasskey ? kept.filter((each) => each.signed) : kept;
    const all = [...requires, ...(now?.requires ?? []).filter((each) => !named(requires).has(JSON.stringify(each)))];
    const ballot = { person, teams: own, role: 'operator' as const, signed };
    if (all.length === 0) return true;
    if (before.some((each) => each.person === person)) continue;
    const open = missingOf(all, before);
    if (!open.some(({ from_teams }) => !from_teams || from_teams.some((team) => own.includes(team)))) continue;
    [passkey, requires, kept] = [asksPasskey, all, [...before, ballot]];
    if (missingOf(requires, kept).length === 0) return true;
  }
  return false;
}

test('[approval.strictest-terms] a request is approved if and only if the votes satisfy the terms in force at its creation and at each vote', async () => {
  await fc.assert(
    fc.asyncProperty(queued, fc.array(cast, { maxLength: 6 }), async (row, votes) => {
      const world = approvalsWorld(row);
      for (const { person, teams: own, signed, after, terms: now } of votes) {
        world.pass(after);
        const standing = world.rows.get('e1')!;
        if (standing.status !== 'pending') break;
        const passkey = { assertion: {}, passkey: {} } as never;
        await decideApproval(world.ports, standing, {
          verdict: 'approve',
          person,
          key_id: person,
          reviewer: person,
          comment: '',
          channel: 'http',
          channels: [],
          useSeconds: 60,
          terms: now,
          separation: { ballot: { person, teams: own, role: 'operator' }, requires: [] },
          ...(signed && { passkey }),
        }).catch((fault: unknown) => {
          if (!(fault instanceof GatewayError) || fault.kind.status >= 500) throw fault;
        });
      }
      expect(world.rows.get('e1')?.status === 'approved').toBe(expected(row, votes));
    }),
    { numRuns: runs(1_000, 200) },
  );
});
