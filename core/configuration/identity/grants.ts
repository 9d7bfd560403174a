/** Roles granted to people at levels of an organisation, inherited downwards [identity.organizations]. Pure. */
import type { Organization } from '#core/contracts/config/organizations.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { type Role, roles } from '#core/contracts/route.ts';
import { environmentsOf } from './organization.ts';
import type { Principal } from './principal.ts';

type Organizations = Pick<Configuration, 'organizations'>;
type Grant = Organization['grants'][number];

interface LevelGrant extends Grant {
  /** The level of the grant. */
  readonly path: string;
}

/** Returns the grants of every level, with their paths. */
export const allGrants = ({ organizations }: Organizations): LevelGrant[] => {
  const at = (path: string, { grants }: { readonly grants: readonly Grant[] }) =>
    grants.map((grant) => ({ ...grant, path }));
  return organizations.flatMap((organization) => [
    ...at(organization.id, organization),
    ...organization.teams.flatMap((team) => {
      const teamPath = `${organization.id}/${team.id}`;
      return [
        ...at(teamPath, team),
        ...team.projects.flatMap((project) => [
          ...at(`${teamPath}/${project.id}`, project),
          ...project.environments.flatMap((environment) =>
            at(`${teamPath}/${project.id}/${environment.id}`, environment),
          ),
        ]),
      ];
    }),
  ]);
};

/** Returns the highest role granted to a person, by tenant. */
export function grantsOf(given: Organizations, person: string): ReadonlyMap<string, Role> {
  const theirs = allGrants(given).filter((grant) => grant.person === person);
  const found = new Map<string, Role>();
  if (theirs.length === 0) return found;
  for (const { path, environment } of environmentsOf(given)) {
    const held = theirs.filter((grant) => path === grant.path || path.startsWith(`${grant.path}/`));
    if (held.length > 0) found.set(environment.tenant, highestRole(held.map(({ role }) => role)));
  }
  return found;
}

export const highestRole = (held: readonly Role[]): Role => roles.findLast((role) => held.includes(role)) ?? 'viewer';
export const lowestRole = (held: readonly Role[]): Role => roles.find((role) => held.includes(role)) ?? 'viewer';

/**
 * Returns the tenants and roles of a person, including grants. A granted tenant is reached with the granted role, but
 * never with a higher role than that of the key or token in use.
 */
export function reachOf(given: Organizations, person: string | undefined, own: readonly string[], role: Role) {
  const granted: Record<string, Role> = {};
  if (person !== undefined && !own.includes('*'))
    for (const [tenant, each] of grantsOf(given, person))
      if (!own.includes(tenant)) granted[tenant] = lowestRole([each, role]);
  const tenants = [...new Set([...own, ...Object.keys(granted)])];
  return { tenants, ...(tenants.length > own.length && { granted }) };
}

export const actingIn = (principal: Principal, tenant: string): Principal => ({
  ...principal,
  tenant,
  role: principal.granted && Object.hasOwn(principal.granted, tenant) ? principal.granted[tenant]! : principal.role,
});
