/** Tenants and people in a configuration's organisations [identity.organizations]. Pure. */

import type { Organization } from '#core/contracts/config/organizations.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { LevelPolicy, ToolRule } from '#core/contracts/tool-policy.ts';

type Organizations = Pick<Configuration, 'organizations'>;
type Team = Organization['teams'][number];
type Project = Team['projects'][number];

export interface OrganizationEnvironment {
  /** `<organisation>/<team>/<project>/<environment>`. */
  readonly path: string;
  /** `<organisation>/<team>`: the project's team. */
  readonly team: string;
  readonly environment: Project['environments'][number];
}

/** Returns every environment with its path. */
export const environmentsOf = ({ organizations }: Organizations): OrganizationEnvironment[] =>
  organizations.flatMap((organization) =>
    organization.teams.flatMap((team) =>
      team.projects.flatMap((project) =>
        project.environments.map((environment) => ({
          path: `${organization.id}/${team.id}/${project.id}/${environment.id}`,
          team: `${organization.id}/${team.id}`,
          environment,
        })),
      ),
    ),
  );

/** Returns the environment of a tenant, or undefined if the tenant is not in any organisation. */
export const environmentOfTenant = (given: Organizations, tenant: string): OrganizationEnvironment | undefined =>
  environmentsOf(given).find(({ environment }) => environment.tenant === tenant);

/** Returns the teams of a person, as `<organisation>/<team>`. */
export const teamsOf = ({ organizations }: Organizations, person: string): string[] =>
  organizations.flatMap(({ id, teams }) =>
    teams.filter(({ members }) => members.includes(person)).map((team) => `${id}/${team.id}`),
  );

export interface Level extends LevelPolicy {
  /** Path of the level's rules in the configuration. */
  readonly at: readonly (string | number)[];
  /** The higher levels that have rules, starting with the organisation. */
  readonly above: readonly LevelPolicy[];
}

/** Returns every level with rules [identity.organizations]. */
export function levelsWithRules({ organizations }: Organizations): Level[] {
  const found: Level[] = [];
  /** @returns the levels with rules, including this one */
  const add = (
    path: string,
    at: readonly (string | number)[],
    above: readonly LevelPolicy[],
    { policies }: { readonly policies?: { readonly rules: readonly ToolRule[] } | undefined },
  ): readonly LevelPolicy[] => {
    if (!policies) return above;
    found.push({ path, rules: policies.rules, at: [...at, 'policies', 'rules'], above });
    return [...above, { path, rules: policies.rules }];
  };
  for (const [o, organization] of organizations.entries()) {
    const inOrganization = add(organization.id, ['organizations', o], [], organization);
    for (const [t, team] of organization.teams.entries()) {
      const teamPath = `${organization.id}/${team.id}`;
      const teamAt = ['organizations', o, 'teams', t];
      const inTeam = add(teamPath, teamAt, inOrganization, team);
      for (const [p, project] of team.projects.entries()) {
        const projectAt = [...teamAt, 'projects', p];
        const inProject = add(`${teamPath}/${project.id}`, projectAt, inTeam, project);
        for (const [e, environment] of project.environments.entries())
          add(`${teamPath}/${project.id}/${environment.id}`, [...projectAt, 'environments', e], inProject, environment);
      }
    }
  }
  return found;
}

/**
 * Returns the level rules that apply to a tenant, the organisation's first; empty if the tenant is not in any
 * organisation.
 */
export function levelsOf(given: Organizations, tenant: string): LevelPolicy[] {
  const place = environmentOfTenant(given, tenant);
  if (!place) return [];
  return levelsWithRules(given)
    .filter(({ path }) => place.path === path || place.path.startsWith(`${path}/`))
    .map(({ path, rules }) => ({ path, rules }));
}
