/**
 * Votes in random organisations under random rules: a decision is reached if and only if every rule is satisfied, in
 * any order of votes.
 */
import fc from 'fast-check';
import { counts, missingOf } from '#core/configuration/identity/separation-rules.ts';
import type { Ballot, Requirement } from '#core/contracts/separation.ts';

const teams = ['acme/web', 'acme/ops', 'acme/security'];
const some = fc.subarray(teams, { minLength: 1 });
const role = fc.constantFrom('viewer' as const, 'operator' as const, 'admin' as const);
const requirement: fc.Arbitrary<Requirement> = fc
  .record({
    approvals: fc.integer({ min: 1, max: 3 }),
    from_teams: fc.option(some, { nil: undefined }),
    not_of_teams: fc.option(some, { nil: undefined }),
    roles: fc.option(fc.subarray(['operator' as const, 'admin' as const], { minLength: 1 }), { nil: undefined }),
  })
  .map(({ approvals, ...rest }) => ({
    rule: 'r',
    approvals,
    ...(Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)) as object),
  }));
const ballot: fc.Arbitrary<Ballot> = fc.record({
  person: fc.constantFrom('ann', 'bob', 'cas', 'dee', 'eve'),
  teams: fc.subarray(teams),
  role,
});

/** Checks the rules literally, person by person. */
const satisfied = (rules: readonly Requirement[], ballots: readonly Ballot[]): boolean =>
  rules.every(({ approvals, from_teams, not_of_teams, roles }) => {
    const people = new Set<string>();
    for (const { person, teams: own, role: held } of ballots) {
      const inside = from_teams === undefined || own.some((team) => from_teams.includes(team));
      const outside = not_of_teams === undefined || !own.some((team) => not_of_teams.includes(team));
      if (inside && outside && (roles === undefined || roles.includes(held))) people.add(person);
    }
    return people.size >= approvals;
  });

test('[identity.separation-rules] votes are sufficient if and only if every rule is satisfied', () => {
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 3 }), fc.array(ballot, { maxLength: 8 }), (rules, ballots) => {
      expect(missingOf(rules, ballots).length === 0).toBe(satisfied(rules, ballots));
    }),
    { numRuns: 2_000 },
  );
});

test('[identity.separation-rules] the order of votes does not matter, each person counts once, and a vote never adds requirements', () => {
  const missing = (rules: readonly Requirement[], ballots: readonly Ballot[]) =>
    missingOf(rules, ballots).reduce((sum, rule) => sum + rule.missing, 0);
  fc.assert(
    fc.property(
      fc.array(requirement, { maxLength: 3 }),
      fc.array(ballot, { minLength: 1, maxLength: 8 }),
      (rules, ballots) => {
        const [first, ...rest] = ballots as [Ballot, ...Ballot[]];
        expect(missing(rules, [...rest, first])).toBe(missing(rules, ballots));
        expect(missing(rules, [...ballots, first])).toBe(missing(rules, ballots));
        expect(missing(rules, ballots)).toBeLessThanOrEqual(missing(rules, rest));
        if (!rules.some((rule) => counts(rule, first))) expect(missing(rules, ballots)).toBe(missing(rules, rest));
      },
    ),
    { numRuns: 2_000 },
  );
});
