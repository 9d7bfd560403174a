/**
 * Lists the organisations, teams, projects, environments, people and rules of the active configuration
 * [identity.organizations].
 */
import { allGrants, grantsOf } from '#core/configuration/identity/grants.ts';
import { keyIdOf } from '#core/configuration/identity/identities.ts';
import { environmentsOf, type OrganizationEnvironment, teamsOf } from '#core/configuration/identity/organization.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import { type Call, type Operation, wordOf } from './operation.ts';

/** Returns the environments whose tenant the caller may act in, or all of them for platform callers. */
function visiblePlaces({ snapshot, principal }: Call): OrganizationEnvironment[] {
  const all = principal.platform || principal.tenants.includes('*');
  return environmentsOf(snapshot.configuration).filter(
    ({ environment: { tenant } }) => all || principal.tenants.includes(tenant),
  );
}

/**
 * Returns a filter for paths that contain a visible environment. For platform callers, paths without an environment
 * also match.
 */
function visibleIds(call: Call, parts: number): (path: string) => boolean {
  if (call.principal.platform || call.principal.tenants.includes('*')) return () => true;
  const seen = new Set(visiblePlaces(call).map(({ path }) => path.split('/').slice(0, parts).join('/')));
  return (path) => seen.has(path);
}

export const listOrganizations: Operation = async (call) => {
  const visible = visibleIds(call, 1);
  const { organizations } = call.snapshot.configuration;
  const shown = organizations.filter(({ id }) => visible(id));
  return {
    body: { organizations: shown.map(({ id, name, teams }) => ({ id, name: name ?? id, teams: teams.length })) },
  };
};

const teamsWithin = (call: Call) =>
  call.snapshot.configuration.organizations.flatMap((organization) =>
    organization.teams.map((team) => ({
      ...team,
      organization: organization.id,
      path: `${organization.id}/${team.id}`,
    })),
  );

export const listTeams: Operation = async (call) => {
  const visible = visibleIds(call, 2);
  const teams = teamsWithin(call).filter(({ path }) => visible(path));
  return {
    body: {
      teams: teams.map(({ id, name, path, organization, members, projects }) => ({
        id,
        name: name ?? id,
        path,
        organization,
        members,
        projects: projects.length,
      })),
    },
  };
};

export const listProjects: Operation = async (call) => {
  const visible = visibleIds(call, 3);
  const projects = teamsWithin(call).flatMap((team) =>
    team.projects.map(({ id, name, environments }) => ({
      id,
      name: name ?? id,
      path: `${team.path}/${id}`,
      team: team.path,
      environments: environments.length,
    })),
  );
  return { body: { projects: projects.filter(({ path }) => visible(path)) } };
};

export const listEnvironments: Operation = async (call) => ({
  body: {
    environments: visiblePlaces(call).map(({ path, environment: { id, kind, tenant } }) => ({
      id,
      kind,
      tenant,
      path,
      project: path.split('/').slice(0, 3).join('/'),
    })),
  },
});

/** Lists people and the keys in the caller's tenant, without key values. */
export const listIdentities: Operation = async ({ snapshot, principal, query, ports }) => {
  const included = wordOf(query, 'include', ['passkeys']);
  const { configuration, identities } = snapshot;
  const keys = [...identities.byDigest.values()].filter(({ principal: own }) => own.tenant === principal.tenant);
  const named = new Set(keys.flatMap(({ principal: own }) => [own.person, own.owner]));
  const people = configuration.people.filter(
    ({ id, tenants }) =>
      principal.platform ||
      named.has(id) ||
      tenants.includes('*') ||
      tenants.includes(principal.tenant) ||
      grantsOf(configuration, id).has(principal.tenant),
  );
  const persons = new Set([...people.map(({ id }) => id), ...keys.flatMap(({ principal: own }) => own.person ?? [])]);
  return {
    body: {
      ...(included && { passkeys: await passkeyCounts(ports, [...persons]) }),
      people: people.map(({ id, name, role, tenants, slack_id, github_login, oidc_ids = [] }) => ({
        id,
        name: name ?? id,
        role,
        tenants,
        teams: teamsOf(configuration, id),
        grants: allGrants(configuration)
          .filter(({ person }) => person === id)
          .map(({ path, role }) => ({ path, role })),
        accounts: [
          ...(slack_id === undefined ? [] : ['slack']),
          ...(github_login === undefined ? [] : ['github']),
          ...(oidc_ids.length === 0 ? [] : ['oidc']),
        ],
      })),
      keys: keys.map(({ key_sha256, principal: { name, role, kind, person, owner } }) => ({
        id: keyIdOf(key_sha256),
        name,
        role,
        kind,
        ...(person !== undefined && { person }),
        ...(owner !== undefined && { owner }),
      })),
    },
  };
};

async function passkeyCounts({ passkeys }: Call['ports'], persons: readonly string[]): Promise<Record<string, number>> {
  const rows = await Promise.all(persons.map((person) => passkeys.get(person)));
  return Object.fromEntries(persons.map((person, at) => [person, rows[at]?.passkeys.length ?? 0]));
}

/** Lists the rules that apply to any environment visible to the caller. */
export const listSeparationRules: Operation = async (call) => {
  const places = visiblePlaces(call);
  const { separation_rules } = call.snapshot.configuration;
  const applying = separation_rules.map((rule, at) => ({
    name: rule.name ?? `separation_rules[${at}]`,
    applies_to: rule.applies_to,
    requires: rule.requires,
    ...(rule.capability !== undefined && { capability: rule.capability }),
    environments: places.filter(({ path }) => globMatches(rule.applies_to, path)).map(({ path }) => path),
  }));
  const all = call.principal.platform;
  return { body: { separation_rules: applying.filter(({ environments }) => all || environments.length > 0) } };
};
