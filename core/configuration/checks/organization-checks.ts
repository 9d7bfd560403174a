/** Names in organisations: used once, and known where others are meant [identity.organizations]. */
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { placesOf } from '#core/identity/organization.ts';
import { globMatches } from '#core/matching/glob.ts';
import { oneOf, unique, unknown } from './name-checks.ts';
import type { Path, Problem } from './problems.ts';

export function checkOrganizations(file: ConfigurationFile, warnings: string[]): Problem[] {
  const { organizations, separation_rules, people, tenants } = file;
  const persons = people.map(({ id }) => id);
  const known = tenants.map(({ id }) => id);
  const taken = new Map<string, string>();
  const within = organizations.flatMap(({ id: organization, teams }, o) => {
    const at: Path = ['organizations', o, 'teams'];
    return [
      ...unique(teams, at, 'id', 'teams of an organisation'),
      ...teams.flatMap(({ id: team, members, projects }, t): Problem[] => [
        ...unknown(members, persons, [...at, t, 'members'], 'people'),
        ...unique(projects, [...at, t, 'projects'], 'id', 'projects of a team'),
        ...projects.flatMap(({ id: project, environments }, p): Problem[] => [
          ...unique(environments, [...at, t, 'projects', p, 'environments'], 'id', 'environments of a project'),
          ...environments.flatMap(({ id, tenant }, e): Problem[] => {
            const path = [...at, t, 'projects', p, 'environments', e, 'tenant'];
            const place = `${organization}/${team}/${project}/${id}`;
            const other = taken.get(tenant);
            taken.set(tenant, place);
            if (!known.includes(tenant))
              return [{ path, found: JSON.stringify(tenant), allowed: oneOf(known, 'tenants', tenant) }];
            return other === undefined
              ? []
              : [
                  {
                    path,
                    found: `${JSON.stringify(tenant)} again`,
                    allowed: `a tenant in one environment (${other} has it)`,
                  },
                ];
          }),
        ]),
      ]),
    ];
  });
  warnings.push(...idleRules(file));
  return [
    ...unique(organizations, ['organizations'], 'id', 'organisations'),
    ...within,
    ...checkGrants(file),
    ...unique(separation_rules, ['separation_rules'], 'name', 'rules of separation'),
    ...checkRules(file),
  ];
}

/** Grants name people, each once a level. */
function checkGrants({ organizations, people }: ConfigurationFile): Problem[] {
  const persons = people.map(({ id }) => id);
  const check = ({ grants }: { readonly grants: readonly { readonly person: string }[] }, at: Path): Problem[] =>
    grants.flatMap(({ person }, g): Problem[] => {
      const path = [...at, 'grants', g, 'person'];
      if (!persons.includes(person))
        return [{ path, found: JSON.stringify(person), allowed: oneOf(persons, 'people', person) }];
      if (grants.findIndex((other) => other.person === person) === g) return [];
      return [{ path, found: `${JSON.stringify(person)} again`, allowed: 'one grant of a person at a level' }];
    });
  return organizations.flatMap((organization, o) => [
    ...check(organization, ['organizations', o]),
    ...organization.teams.flatMap((team, t) => {
      const teamAt = ['organizations', o, 'teams', t];
      return [
        ...check(team, teamAt),
        ...team.projects.flatMap((project, p) => [
          ...check(project, [...teamAt, 'projects', p]),
          ...project.environments.flatMap((environment, e) =>
            check(environment, [...teamAt, 'projects', p, 'environments', e]),
          ),
        ]),
      ];
    }),
  ]);
}

/** Teams that are meant exist, and hold people enough: a rule that the people of these teams cannot satisfy would block what it was to allow. */
function checkRules({ separation_rules, organizations }: ConfigurationFile): Problem[] {
  const teams = new Map<string, readonly string[]>(
    organizations.flatMap(({ id, teams: own }) => own.map((team) => [`${id}/${team.id}`, team.members] as const)),
  );
  return separation_rules.flatMap(({ requires: { from_teams, approvals } }, at): Problem[] => {
    if (!from_teams) return [];
    const path: Path = ['separation_rules', at, 'requires'];
    const strangers = unknown(from_teams, [...teams.keys()], [...path, 'from_teams'], 'teams');
    if (strangers.length > 0) return strangers;
    const people = new Set(from_teams.flatMap((team) => teams.get(team) ?? []));
    return people.size >= approvals
      ? []
      : [
          {
            path: [...path, 'approvals'],
            found: `${approvals}`,
            allowed: `at most ${people.size}: as many people are in these teams`,
          },
        ];
  });
}

function idleRules(file: ConfigurationFile): string[] {
  const places = placesOf(file);
  return file.separation_rules.flatMap(({ applies_to, name }, at) =>
    places.some(({ path }) => globMatches(applies_to, path))
      ? []
      : [`separation_rules[${at}]${name ? ` (${name})` : ''} applies to no environment: ${applies_to}`],
  );
}
