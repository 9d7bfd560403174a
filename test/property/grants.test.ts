/** Role grants in random organisations: they apply to the levels below and to no others. */
import fc from 'fast-check';
import { actingIn, grantsOf, reachOf } from '#core/configuration/identity/grants.ts';
import { environmentsOf } from '#core/configuration/identity/organization.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import { organization } from '#core/contracts/config/organizations.ts';
import { roles } from '#core/contracts/route.ts';

const names = ['a', 'b'] as const;
const grant = fc.record({ person: fc.constantFrom('ann', 'bob'), role: fc.constantFrom(...roles) });
const grants = fc.uniqueArray(grant, { selector: ({ person }) => person, maxLength: 2 });
/**
 * Role grants in a random organisation. All organisations have the same shape, and differ in who is granted a role and
 * at which level.
 */
const levels = fc.array(grants, { minLength: 14, maxLength: 14 }).map((given) => {
  let next = 0;
  const take = () => given[next++ % given.length]!;
  return names.map((id) =>
    organization.parse({
      id,
      grants: take(),
      teams: names.map((team) => ({
        id: team,
        grants: take(),
        projects: [
          {
            id: 'p',
            grants: take(),
            environments: names.map((env) => ({
              id: env,
              kind: 'staging',
              tenant: `${id}-${team}-${env}`,
              grants: take(),
            })),
          },
        ],
      })),
    }),
  );
});
const rank = (role: (typeof roles)[number]) => roles.indexOf(role);

test('[identity.organizations] a role applies in a tenant if and only if it is granted at a level above it, and the highest role wins', () => {
  fc.assert(
    fc.property(levels, fc.constantFrom('ann', 'bob', 'eve'), (organizations, person) => {
      const found = grantsOf({ organizations }, person);
      for (const { path, environment } of environmentsOf({ organizations })) {
        const [o, t, , e] = path.split('/');
        const org = organizations.find(({ id }) => id === o)!;
        const team = org.teams.find(({ id }) => id === t)!;
        const project = team.projects[0]!;
        const above = [org, team, project, project.environments.find(({ id }) => id === e)!];
        const held = above.flatMap((level) => level.grants.filter((each) => each.person === person));
        const expected = held.length === 0 ? undefined : Math.max(...held.map(({ role }) => rank(role)));
        const got = found.get(environment.tenant);
        expect(got && rank(got)).toBe(expected);
      }
    }),
  );
});

test("[identity.organizations] a grant never gives a key more than its own role, and does not affect the key's own tenants", () => {
  fc.assert(
    fc.property(levels, fc.constantFrom(...roles), (organizations, role) => {
      const own = ['a-a-a', 'elsewhere'];
      const principal = {
        tenant: 'elsewhere',
        role,
        ...reachOf({ organizations }, 'ann', own, role),
      } as unknown as Principal;
      for (const tenant of principal.tenants) {
        const acting = actingIn(principal, tenant);
        expect(rank(acting.role)).toBeLessThanOrEqual(rank(role));
        if (own.includes(tenant)) expect(acting.role).toBe(role);
        else expect(grantsOf({ organizations }, 'ann').has(tenant)).toBe(true);
      }
    }),
  );
});
