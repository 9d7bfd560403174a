/**
 * Returns the part of a configuration that applies to a caller's tenants, without parts that concern only other tenants
 * [policy-version.own-tenant].
 */

import { allGrants } from '#core/configuration/identity/grants.ts';
import { type Identities, keyIdOf } from '#core/configuration/identity/identities.ts';
import {
  environmentsOf,
  levelsWithRules,
  type OrganizationEnvironment,
} from '#core/configuration/identity/organization.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Organization } from '#core/contracts/config/organizations.ts';
import type { Configuration, KeyEntry, Tenant } from '#core/contracts/config.ts';
import type { ToolRule } from '#core/contracts/tool-policy.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import { listedPart } from './shown-to-tenants.ts';
import type { RulePlaces } from './store/places.ts';
import { unsetKeyWarning } from './store/secrets.ts';
import { type ActivePolicy, commonWarnings } from './store/warnings.ts';

type Reader = Pick<Principal, 'tenant' | 'tenants' | 'platform'>;
type Team = Organization['teams'][number];

/** Part of a configuration that a reader may see. Hidden sections are absent. */
type VisibleConfiguration = Partial<Configuration> & Pick<Configuration, 'organizations' | 'tenants' | 'tool_policies'>;

/**
 * Returns the configuration for a reader: the whole configuration for platform callers, otherwise the listed members
 * for the reader's own tenants. The result can be loaded again, as in the console's playground, because absent members
 * get their defaults.
 */
export function asRead(reader: Reader, configuration: Configuration): VisibleConfiguration {
  if (reader.platform) return configuration;
  const tenants = configuration.tenants.filter(({ id }) => visible(reader, id)).map(withoutDigests);
  const places = visiblePlaces(reader, configuration);
  const separation_rules = configuration.separation_rules.filter(({ applies_to }) =>
    places.some(({ path }) => globMatches(applies_to, path)),
  );
  const voters = new Set([
    ...separation_rules.flatMap(({ requires }) => requires.from_teams ?? []),
    ...rulesAt(configuration, places).flatMap(({ approval }) => approval?.from_teams ?? []),
  ]);
  const organizations = organizationsOf(configuration, places, voters);
  return listedPart({
    ...configuration,
    tenants,
    organizations,
    separation_rules,
    people: peopleOf(reader, configuration, tenants, organizations),
    budgets: { tenants: ofVisibleTenants(reader, configuration.budgets.tenants) },
  }) as VisibleConfiguration;
}

/** Returns the locations, without levels whose rules the reader may not see. */
export function placesAsRead(reader: Reader, configuration: Configuration, places: RulePlaces): RulePlaces {
  if (reader.platform) return places;
  const seen = visiblePlaces(reader, configuration);
  const levels = Object.entries(places.levels).filter(([level]) => seen.some(({ path }) => isWithin(path, level)));
  return { ...places, levels: Object.fromEntries(levels) };
}

/**
 * Returns the warnings for a reader. Callers other than platform callers see only key warnings for their own tenants,
 * without names from other tenants [policy-version.own-tenant].
 */
export function warningsAsRead(
  reader: Reader,
  snapshot: ActivePolicy & { readonly identities: Identities; readonly warnings: readonly string[] },
): readonly string[] {
  if (reader.platform) return snapshot.warnings;
  const { tenants } = snapshot.configuration;
  const named = tenants
    .filter(({ id }) => visible(reader, id))
    .flatMap(({ api_keys }) => api_keys.flatMap(({ key_env }) => key_env ?? []));
  const seen = new Set([...commonWarnings(snapshot), ...named.map(unsetKeyWarning)]);
  return [
    ...snapshot.warnings.filter((warning) => seen.has(warning)),
    ...(snapshot.identities.clashing ?? []).filter((key) => isOwn(reader, key)).map(clash),
  ];
}

const isOwn = (reader: Reader, { tenant, platform }: Principal): boolean => !platform && visible(reader, tenant);

const clash = ({ name }: Principal): string => `The key ${name} has the value of another key: neither is accepted.`;

const visible = ({ tenant, tenants }: Reader, id: string): boolean =>
  id === tenant || tenants.includes(id) || tenants.includes('*');

const ofVisibleTenants = <T>(reader: Reader, byTenant: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(byTenant).filter(([id]) => visible(reader, id)));

const visiblePlaces = (reader: Reader, configuration: Configuration): OrganizationEnvironment[] =>
  environmentsOf(configuration).filter(({ environment }) => visible(reader, environment.tenant));

const isWithin = (path: string, level: string): boolean => path === level || path.startsWith(`${level}/`);

/** Replaces key digests with zero-padded key ids, which are the only part of a key that identity lists show. */
const withoutDigests = (tenant: Tenant): Tenant => ({
  ...tenant,
  api_keys: tenant.api_keys.map(
    (key): KeyEntry =>
      key.key_sha256 === undefined ? key : { ...key, key_sha256: keyIdOf(key.key_sha256).padEnd(64, '0') },
  ),
});

/**
 * Returns the rules that apply to calls at these places: the configured rules, the pack's rules, and the rules of the
 * levels above.
 */
const rulesAt = (configuration: Configuration, places: readonly OrganizationEnvironment[]): ToolRule[] => [
  ...configuration.tool_policies.rules,
  ...(configuration.tool_policies.pack?.rules ?? []),
  ...levelsWithRules(configuration)
    .filter(({ path: level }) => places.some(({ path }) => isWithin(path, level)))
    .flatMap(({ rules }) => rules),
];

/** Returns the levels above the visible environments, and the team members whose approvals count in them. */
function organizationsOf(
  { organizations }: Configuration,
  places: readonly OrganizationEnvironment[],
  voters: ReadonlySet<string>,
): Organization[] {
  const seen = (level: string) => places.some(({ path }) => isWithin(path, level));
  const teamOf = (organization: string, team: Team): Team[] => {
    const path = `${organization}/${team.id}`;
    if (seen(path)) return [{ ...team, projects: projectsOf(path, team) }];
    return voters.has(path) ? [{ id: team.id, members: team.members, projects: [], grants: [] }] : [];
  };
  const projectsOf = (path: string, { projects }: Team) =>
    projects.flatMap((project) => {
      const at = `${path}/${project.id}`;
      const environments = project.environments.filter(({ id }) => seen(`${at}/${id}`));
      return environments.length > 0 ? [{ ...project, environments }] : [];
    });
  return organizations.flatMap((organization) => {
    const teams = organization.teams.flatMap((team) => teamOf(organization.id, team));
    if (seen(organization.id)) return [{ ...organization, teams }];
    return teams.length > 0 ? [{ id: organization.id, teams, grants: [] }] : [];
  });
}

/** Returns the people who act, own keys or vote in the visible tenants, as shown in identity lists. */
function peopleOf(
  reader: Reader,
  { people }: Configuration,
  tenants: readonly Tenant[],
  organizations: Organization[],
): Configuration['people'] {
  const named = new Set([
    ...tenants.flatMap(({ api_keys }) => api_keys.flatMap(({ person, owner }) => [person, owner])),
    ...organizations.flatMap(({ teams }) => teams.flatMap(({ members }) => members)),
    ...allGrants({ organizations }).map(({ person }) => person),
  ]);
  const shown = people.filter(({ id, tenants: theirs }) => named.has(id) || theirs.some((each) => acts(reader, each)));
  return shown.map((person) => ({ ...person, tenants: person.tenants.filter((each) => acts(reader, each)) }));
}

const acts = (reader: Reader, tenant: string): boolean => tenant === '*' || visible(reader, tenant);
