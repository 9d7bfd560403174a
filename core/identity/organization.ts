/** Where tenants and people stand in the organisations of a configuration [identity.organizations]. Pure. */

import type { Organization } from '#core/contracts/config/organizations.ts';
import type { Configuration } from '#core/contracts/config.ts';

type Given = Pick<Configuration, 'organizations'>;
type Team = Organization['teams'][number];
type Project = Team['projects'][number];

export interface Place {
  /** `<organisation>/<team>/<project>/<environment>`. */
  readonly path: string;
  /** `<organisation>/<team>`: the team of the project. */
  readonly team: string;
  readonly environment: Project['environments'][number];
}

/** Every environment with its path. */
export const placesOf = ({ organizations }: Given): Place[] =>
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

/** The environment of a tenant; undefined for a tenant that stands outside of every organisation. */
export const placeOf = (given: Given, tenant: string): Place | undefined =>
  placesOf(given).find(({ environment }) => environment.tenant === tenant);

/** The teams of a person, as `<organisation>/<team>`. */
export const teamsOf = ({ organizations }: Given, person: string): string[] =>
  organizations.flatMap(({ id, teams }) =>
    teams.filter(({ members }) => members.includes(person)).map((team) => `${id}/${team.id}`),
  );
