/** What the schema cannot say: names that must be known, unique or free (spec §5, §7.2; contract §1, §2). */
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { sensitivePath } from '#core/evidence/json-path.ts';
import { adminPerson } from '#core/identity/identities.ts';
import { globMatches } from '#core/tool-policy/glob.ts';
import { checkKeys } from './key-checks.ts';
import { exactlyOne, oneOf, unique, unknown } from './name-checks.ts';
import { foundAt, type Path, type Problem } from './problems.ts';
import { checkSecretNames } from './secret-name-checks.ts';

/** @param warnings receives what is odd but allowed. */
export function checkConfiguration(
  file: ConfigurationFile,
  secretNames: readonly string[] | undefined,
  warnings: string[],
): Problem[] {
  if (file.policies.break_glass) warnings.push('policies.break_glass is on: erring filters pass for every tenant.');
  return [
    ...checkProviders(file),
    ...checkPeople(file),
    ...unique(file.tenants, ['tenants'], 'id', 'tenant ids'),
    ...checkKeys(file, warnings),
    ...checkFilters(file),
    ...checkCredentials(file),
    ...checkUpstreams(file),
    ...checkSensitivePaths(file),
    ...checkBudgets(file),
    ...checkSecretNames(file, secretNames),
  ];
}

function checkProviders(file: ConfigurationFile): Problem[] {
  const names = new Set(file.providers.map(({ name }) => name));
  const known = (used: readonly string[], path: Path): Problem[] =>
    used.flatMap((name, i) =>
      names.has(name)
        ? []
        : [{ path: [...path, i], found: JSON.stringify(name), allowed: oneOf([...names], 'providers') }],
    );
  const models = file.providers.flatMap(({ models }, i) => globs(models, ['providers', i, 'models']));
  const routes = file.routes.flatMap(({ match, providers, regions }, i) => {
    const path = ['routes', i] as const;
    return [
      ...glob(match.model, [...path, 'match', 'model']),
      ...known(providers ?? [], [...path, 'providers']),
      ...(regions ?? []).flatMap((region, at) => known(region.providers, [...path, 'regions', at, 'providers'])),
      ...exactlyOne({ providers, regions }, path),
    ];
  });
  return [...unique(file.providers, ['providers'], 'name', 'provider names'), ...models, ...routes];
}

function checkPeople(file: ConfigurationFile): Problem[] {
  const tenants = ['*', ...file.tenants.map(({ id }) => id)];
  const each = file.people.flatMap(({ id, tenants: theirs }, i): Problem[] => [
    ...(id.toLowerCase() === adminPerson
      ? [{ path: ['people', i, 'id'], found: JSON.stringify(id), allowed: 'another id: this one is the admin token' }]
      : []),
    ...unknown(theirs, tenants, ['people', i, 'tenants'], 'tenants'),
  ]);
  return [
    ...each,
    ...unique(file.people, ['people'], 'id', 'people ids'),
    ...unique(file.people, ['people'], 'slack_id', 'Slack accounts'),
    ...unique(file.people, ['people'], 'github_login', 'GitHub logins'),
  ];
}

function checkFilters({ policies }: ConfigurationFile): Problem[] {
  return (['input', 'output'] as const).flatMap((phase) => {
    const regexes = policies[phase].flatMap((filter, i) =>
      filter.type !== 'regex'
        ? []
        : filter.patterns.flatMap((pattern, at) =>
            refusedBy(
              () => void new RegExp(pattern, 'u'),
              pattern,
              ['policies', phase, i, 'patterns', at],
              'a regular expression',
            ),
          ),
    );
    return [...unique(policies[phase], ['policies', phase], 'name', 'policy names'), ...regexes];
  });
}

function checkCredentials({ credentials: { brokers, grants } }: ConfigurationFile): Problem[] {
  const names = brokers.map(({ name }) => name);
  const each = grants.flatMap((grant, i) => {
    const path = ['credentials', 'grants', i] as const;
    return [
      ...glob(grant.protocol, [...path, 'protocol']),
      ...glob(grant.tool, [...path, 'tool']),
      ...(names.includes(grant.broker)
        ? []
        : [{ path: [...path, 'broker'], found: JSON.stringify(grant.broker), allowed: oneOf(names, 'brokers') }]),
    ];
  });
  return [...unique(brokers, ['credentials', 'brokers'], 'name', 'broker names'), ...each];
}

const checkUpstreams = ({ upstreams: { mcp, http } }: ConfigurationFile): Problem[] => [
  ...unique(mcp, ['upstreams', 'mcp'], 'name', 'upstream names'),
  ...unique(http, ['upstreams', 'http'], 'name', 'upstream names'),
  ...mcp.flatMap(({ tools }, i) => globs(tools, ['upstreams', 'mcp', i, 'tools'])),
  ...http.flatMap(({ allowed_paths }, i) => globs(allowed_paths, ['upstreams', 'http', i, 'allowed_paths'])),
];

const checkSensitivePaths = ({ evidence: { sensitive } }: ConfigurationFile): Problem[] =>
  sensitive.flatMap((path, i) =>
    refusedBy(
      () => void sensitivePath(path),
      path,
      ['evidence', 'sensitive', i],
      'a JSON path such as $.parameters.password',
    ),
  );

function checkBudgets({ budgets, tenants }: ConfigurationFile): Problem[] {
  const ids = tenants.map(({ id }) => id);
  return Object.keys(budgets.tenants)
    .filter((id) => !ids.includes(id))
    .map((id) => ({
      path: ['budgets', 'tenants', id],
      found: `tenant ${JSON.stringify(id)}`,
      allowed: oneOf(ids, 'tenants'),
    }));
}

const globs = (patterns: readonly string[], path: Path): Problem[] =>
  patterns.flatMap((pattern, i) => glob(pattern, [...path, i]));

const glob = (pattern: string, path: Path): Problem[] =>
  refusedBy(() => void globMatches(pattern, ''), pattern, path, 'a glob');

function refusedBy(attempt: () => void, text: string, path: Path, allowed: string): Problem[] {
  try {
    attempt();
    return [];
  } catch (thrown) {
    return [{ path, found: foundAt([], text), allowed: `${allowed} (${(thrown as Error).message})` }];
  }
}
