/** Checks a configuration beyond its schema: names must be known, unique or unused. */

import { adminPerson } from '#core/configuration/identity/identities.ts';
import type { ConfigurationFile } from '#core/contracts/config.ts';
import type { Problem } from '#core/contracts/problems.ts';
import { sandboxGlobs } from '#core/effects/limits/globs.ts';
import { sensitivePath } from '#core/text/secrets/json-path.ts';
import { keyObject } from '../store/stored-keys.ts';
import { checkAddresses } from './address-checks.ts';
import { checkCatalog } from './catalog-checks.ts';
import { checkFederation } from './federation-checks.ts';
import { globProblems, problemOfAttempt } from './glob-checks.ts';
import { checkIdentity } from './identity-checks.ts';
import { checkKeys } from './key-checks.ts';
import { checkLlm, routingWarnings } from './llm-checks.ts';
import { oneOf, unique, unknownNames } from './name-checks.ts';
import { checkOrganizations } from './organization-checks.ts';
import { checkOrigins } from './origin-checks.ts';
import { checkSecretNames } from './secret-name-checks.ts';
import { checkUpstreamNames } from './upstream-checks.ts';

/**
 * Checks a configuration that has no schema errors.
 * @param warnings receives unusual but allowed settings.
 */
export function checkConfiguration(file: ConfigurationFile, warnings: string[]): Problem[] {
  if (file.policies.break_glass)
    warnings.push('policies.break_glass is on: when a filter fails, calls pass for every tenant.');
  const problems = [
    ...checkLlm(file),
    ...checkOrigins(file),
    ...checkPeople(file, warnings),
    ...unique(file.tenants, ['tenants'], 'id', 'Tenant'),
    ...checkKeys(file, warnings),
    ...checkFederation(file),
    ...checkIdentity(file, warnings),
    ...checkOrganizations(file, warnings),
    ...checkEscalation(file),
    ...checkCredentials(file),
    ...checkUpstreams(file),
    ...checkUpstreamNames(file),
    ...unique(file.executors.sql.databases, ['executors', 'sql', 'databases'], 'name', 'Database'),
    ...checkSensitivePaths(file),
    ...checkCatalog(file),
    ...sandboxGlobs(file.sandbox).flatMap(({ path, patterns }) => globProblems(patterns, (i) => [...path, i])),
    ...checkSecretNames(file),
    ...checkAddresses(file),
  ];
  if (problems.length === 0) warnings.push(...routingWarnings(file));
  return problems;
}

function checkPeople(file: ConfigurationFile, warnings: string[]): Problem[] {
  const tenants = ['*', ...file.tenants.map(({ id }) => id)];
  const each = file.people.flatMap(({ id, github_login: login, tenants: theirs }, i): Problem[] => [
    ...(id.toLowerCase() === adminPerson
      ? [
          {
            path: ['people', i, 'id'],
            found: JSON.stringify(id),
            allowed: 'another id: this one is reserved for the admin token',
          },
        ]
      : []),
    ...unknownNames(theirs, tenants, ['people', i, 'tenants'], 'tenants'),
    // Bot logins contain brackets.
    ...(login === undefined || /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(login)
      ? []
      : [{ path: ['people', i, 'github_login'], found: JSON.stringify(login), allowed: 'the login of a person' }]),
  ]);
  warnings.push(...votersNowhere(file));
  return [
    ...each,
    ...unique(file.people, ['people'], 'id', 'Person'),
    ...unique(file.people, ['people'], 'slack_id', 'Slack account'),
    ...unique(file.people, ['people'], 'github_login', 'GitHub login'),
  ];
}

/** Warns about people with a mapped account whose votes count in no tenant. */
function votersNowhere({ people, tenants }: ConfigurationFile): string[] {
  const withKey = new Set(tenants.flatMap(({ api_keys }) => api_keys.map((key) => keyObject(key).person)));
  return people
    .filter(({ id, slack_id, github_login }) => (slack_id ?? github_login) !== undefined && !withKey.has(id))
    .filter((person) => person.tenants.length === 0)
    .map(
      ({ id }) =>
        `people: ${id} has a chat or Git-host account but no tenants and no key, so votes from that account count nowhere; set tenants.`,
    );
}

function checkEscalation({ approvals: { channels, escalate_to } }: ConfigurationFile): Problem[] {
  const enabled = Object.entries(channels).flatMap(([name, channel]) => (channel?.enabled ? [name] : []));
  return escalate_to.flatMap((found, at) =>
    enabled.includes(found)
      ? []
      : [{ path: ['approvals', 'escalate_to', at], found, allowed: enabled.join(', ') || 'a channel that is enabled' }],
  );
}

function checkCredentials({ credentials: { brokers, grants } }: ConfigurationFile): Problem[] {
  const names = brokers.map(({ name }) => name);
  const each = grants.flatMap((grant, i) => {
    const path = ['credentials', 'grants', i] as const;
    return [
      ...globProblems([grant.protocol], () => [...path, 'protocol']),
      ...globProblems([grant.tool], () => [...path, 'tool']),
      ...(names.includes(grant.broker)
        ? []
        : [
            {
              path: [...path, 'broker'],
              found: JSON.stringify(grant.broker),
              allowed: oneOf(names, 'brokers', grant.broker),
            },
          ]),
    ];
  });
  return [...unique(brokers, ['credentials', 'brokers'], 'name', 'Broker'), ...each];
}

const checkUpstreams = ({ upstreams: { mcp, http } }: ConfigurationFile): Problem[] => [
  ...unique(mcp, ['upstreams', 'mcp'], 'name', 'Server'),
  ...unique(http, ['upstreams', 'http'], 'name', 'Service'),
  ...mcp.flatMap(({ tools, forwarded_meta, overrides }, i) => [
    ...unique(overrides, ['upstreams', 'mcp', i, 'overrides'], 'name', 'Override'),
    ...globProblems(tools, (at) => ['upstreams', 'mcp', i, 'tools', at]),
    ...globProblems(forwarded_meta, (at) => ['upstreams', 'mcp', i, 'forwarded_meta', at]),
  ]),
  ...http.flatMap(({ allowed_paths }, i) =>
    globProblems(allowed_paths, (at) => ['upstreams', 'http', i, 'allowed_paths', at]),
  ),
];

const checkSensitivePaths = ({ evidence: { sensitive } }: ConfigurationFile): Problem[] =>
  sensitive.flatMap((path, i) =>
    problemOfAttempt(
      () => void sensitivePath(path),
      path,
      ['evidence', 'sensitive', i],
      'a JSON path such as $.parameters.password',
    ),
  );
