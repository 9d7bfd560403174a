/** Checks that names in organisations are unique, and known if they are referenced [identity.organizations]. */

import { grantsOf, highestRole } from '#core/configuration/identity/grants.ts';
import {
  environmentsOf,
  levelsWithRules,
  type OrganizationEnvironment,
  teamsOf,
} from '#core/configuration/identity/organization.ts';
import { counts } from '#core/configuration/identity/separation-rules.ts';
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { type Path, type Problem, pathText } from '#core/contracts/problems.ts';
import type { Role } from '#core/contracts/route.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { countText } from '#core/kernel/count-text.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import { globProblems } from './glob-checks.ts';
import { oneOf, unique, unknownNames } from './name-checks.ts';

export function checkOrganizations(file: ConfigurationFile, warnings: string[]): Problem[] {
  const { organizations, separation_rules, people, tenants } = file;
  const persons = people.map(({ id }) => id);
  const known = tenants.map(({ id }) => id);
  const taken = new Map<string, string>();
  const within = organizations.flatMap(({ id: organization, teams }, o) => {
    const at: Path = ['organizations', o, 'teams'];
    return [
      ...unique(teams, at, 'id', 'Team'),
      ...teams.flatMap(({ id: team, members, projects }, t): Problem[] => [
        ...unknownNames(members, persons, [...at, t, 'members'], 'people'),
        ...unique(projects, [...at, t, 'projects'], 'id', 'Project'),
        ...projects.flatMap(({ id: project, environments }, p): Problem[] => [
          ...unique(environments, [...at, t, 'projects', p, 'environments'], 'id', 'Environment'),
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
                    allowed: `a tenant in only one environment (${other} already has it)`,
                  },
                ];
          }),
        ]),
      ]),
    ];
  });
  const malformed = globProblems(
    separation_rules.map(({ applies_to }) => applies_to),
    (at) => ['separation_rules', at, 'applies_to'],
  );
  const ofCapabilities = separation_rules.flatMap(({ capability }, at) =>
    capability === undefined ? [] : globProblems([capability], () => ['separation_rules', at, 'capability']),
  );
  if (malformed.length === 0) warnings.push(...rulesInVain(file));
  return [
    ...unique(organizations, ['organizations'], 'id', 'Organisation'),
    ...within,
    ...checkGrants(file),
    ...unique(separation_rules, ['separation_rules'], 'name', 'Separation rule'),
    ...malformed,
    ...ofCapabilities,
    ...checkRules(file),
    ...checkToolRules(
      file,
      [{ at: ['tool_policies', 'rules'], rules: file.tool_policies.rules }, ...levelsWithRules(file)],
      warnings,
    ),
  ];
}

/** Checks, once per level, that grants name known people. */
function checkGrants({ organizations, people }: ConfigurationFile): Problem[] {
  const persons = people.map(({ id }) => id);
  const check = ({ grants }: { readonly grants: readonly { readonly person: string }[] }, at: Path): Problem[] =>
    grants.flatMap(({ person }, g): Problem[] => {
      const path = [...at, 'grants', g, 'person'];
      if (!persons.includes(person))
        return [{ path, found: JSON.stringify(person), allowed: oneOf(persons, 'people', person) }];
      if (grants.findIndex((other) => other.person === person) === g) return [];
      const sentence = `${JSON.stringify(person)} has two grants at this level; keep only the one with the intended role`;
      return [{ path, sentence }];
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

interface RulesWithPath {
  readonly at: Path;
  readonly rules: readonly Pick<ToolRule, 'decision' | 'approval'>[];
  /** Index of each rule's entry at this place, if it differs from the rule's own index. */
  readonly entries?: readonly number[];
}

/** Finds teams in tool rules that do not exist, and warns if too few people can vote. */
export function checkToolRules(
  file: ConfigurationFile,
  places: readonly RulesWithPath[],
  warnings: string[],
): Problem[] {
  const teams = file.organizations.flatMap(({ id, teams: own }) => own.map((team) => `${id}/${team.id}`));
  const voters = votersOf(file);
  return places.flatMap(({ at, rules, entries }) =>
    rules.flatMap(({ decision, approval = {} }, index): Problem[] => {
      const { required = 1, from_teams, roles } = approval;
      const path: Path = [...at, entries?.[index] ?? index, 'approval'];
      const strangers = unknownNames(from_teams ?? [], teams, [...path, 'from_teams'], 'teams');
      if (strangers.length > 0 || (required === 1 && !from_teams && !roles)) return strangers;
      if (decision !== 'review')
        warnings.push(`${pathText(path)}: the rule decides ${decision}, so it asks for no approval`);
      const counted = voters.filter(({ id: person, teams: of, role, granted }) => {
        const highest = highestRole([role, ...granted.values()]);
        return (
          isEnough(highest) &&
          counts(
            { rule: '', approvals: required, ...(from_teams && { from_teams }), ...(roles && { roles }) },
            { person, teams: of, role: highest },
          )
        );
      });
      if (counted.length < required)
        warnings.push(
          `${pathText(path)} cannot be satisfied: it asks for ${countText(required, 'approval')}, and ${counted.length} of the people can give one. Calls that match this rule are never approved.`,
        );
      return [];
    }),
  );
}

const isEnough = (role: Role): boolean => role !== 'viewer';

/**
 * Checks that the teams in separation rules exist and have enough members. Otherwise, a rule would block the calls it
 * was meant to allow.
 */
function checkRules({ separation_rules, organizations }: ConfigurationFile): Problem[] {
  const teams = new Map<string, readonly string[]>(
    organizations.flatMap(({ id, teams: own }) => own.map((team) => [`${id}/${team.id}`, team.members] as const)),
  );
  return separation_rules.flatMap(({ requires: { from_teams, approvals } }, at): Problem[] => {
    if (!from_teams) return [];
    const path: Path = ['separation_rules', at, 'requires'];
    const strangers = unknownNames(from_teams, [...teams.keys()], [...path, 'from_teams'], 'teams');
    if (strangers.length > 0) return strangers;
    const people = new Set(from_teams.flatMap((team) => teams.get(team) ?? []));
    return people.size >= approvals
      ? []
      : [
          {
            path: [...path, 'approvals'],
            found: `${approvals}`,
            allowed: `at most ${people.size}, the number of people in these teams`,
          },
        ];
  });
}

/** Warns about rules that have no effect: they apply nowhere, or require more votes than there are voters. */
function rulesInVain(file: ConfigurationFile): string[] {
  const places = environmentsOf(file);
  const voters = votersOf(file);
  return file.separation_rules.flatMap((rule, at) => {
    const { applies_to, name, requires } = rule;
    const named = `separation_rules[${at}]${name ? ` (${name})` : ''}`;
    const within = places.filter(({ path }) => globMatches(applies_to, path));
    if (within.length === 0) return [`${named} applies to no environment: ${applies_to}`];
    const short = within.flatMap((place) => {
      const counted = voters.filter((voter) => isCounted(voter, requires, place)).map(({ id }) => id);
      return counted.length < requires.approvals ? [{ place, counted }] : [];
    });
    const [first] = short;
    if (!first) return [];
    const { place, counted } = first;
    return [
      `${named} cannot be satisfied in ${place.path}${short.length > 1 ? ` and ${short.length - 1} more` : ''}: it asks for ${countText(requires.approvals, 'approval')}, and ${counted.length} of the people can give one${counted.length > 0 ? ` (${counted.join(', ')})` : ''}. Calls that it applies to are never approved.`,
    ];
  });
}

interface Voter {
  readonly id: string;
  readonly teams: readonly string[];
  /** The highest role held by the person or by any of the person's keys. */
  readonly role: Role;
  /** Granted roles by tenant. */
  readonly granted: ReadonlyMap<string, Role>;
}

function votersOf(file: ConfigurationFile): readonly Voter[] {
  const keys = file.tenants.flatMap(({ api_keys }) => api_keys);
  return file.people.map(({ id, role }) => {
    const ofKeys = keys.flatMap((key) => (typeof key === 'object' && key.person === id ? [key.role] : []));
    return { id, teams: teamsOf(file, id), role: highestRole([role, ...ofKeys]), granted: grantsOf(file, id) };
  });
}

type RequiredVoters = ConfigurationFile['separation_rules'][number]['requires'];

/** Reports whether the rule counts this person's vote in an environment, regardless of who the requester is. */
const isCounted = (
  { id, teams, role: own, granted }: Voter,
  { from_teams, not_same_team, roles }: RequiredVoters,
  place: OrganizationEnvironment,
) => {
  const role = highestRole([own, granted.get(place.environment.tenant) ?? own]);
  const rule = {
    ...(from_teams && { from_teams }),
    ...(not_same_team && { not_of_teams: [place.team] }),
    ...(roles && { roles }),
  };
  return isEnough(role) && counts({ rule: '', approvals: 1, ...rule }, { person: id, teams, role });
};
