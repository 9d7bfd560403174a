/** What the schema cannot say: names that must be known, unique or free (spec §5, §7.2; contract §1, §2). */
import type { ConfigurationFile } from '#core/contracts/config.ts';
import { sensitivePath } from '#core/evidence/json-path.ts';
import { adminPerson } from '#core/identity/identities.ts';
import { sandboxGlobs } from '#core/sandbox/globs.ts';
import { globProblems, refusedBy } from './glob-checks.ts';
import { checkKeys } from './key-checks.ts';
import { checkLlm, oddRouting } from './llm-checks.ts';
import { oneOf, unique, unknown } from './name-checks.ts';
import type { Problem } from './problems.ts';
import { checkSecretNames } from './secret-name-checks.ts';

/** @param warnings receives what is odd but allowed. */
export function checkConfiguration(
  file: ConfigurationFile,
  secretNames: readonly string[] | undefined,
  warnings: string[],
): Problem[] {
  if (file.policies.break_glass) warnings.push('policies.break_glass is on: erring filters pass for every tenant.');
  const problems = [
    ...checkLlm(file),
    ...checkPeople(file),
    ...unique(file.tenants, ['tenants'], 'id', 'tenant ids'),
    ...checkKeys(file, warnings),
    ...checkCredentials(file),
    ...checkUpstreams(file),
    ...checkSensitivePaths(file),
    ...sandboxGlobs(file.sandbox).flatMap(({ path, patterns }) => globProblems(patterns, (i) => [...path, i])),
    ...checkSecretNames(file, secretNames),
  ];
  if (problems.length === 0) warnings.push(...oddRouting(file));
  return problems;
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

function checkCredentials({ credentials: { brokers, grants } }: ConfigurationFile): Problem[] {
  const names = brokers.map(({ name }) => name);
  const each = grants.flatMap((grant, i) => {
    const path = ['credentials', 'grants', i] as const;
    return [
      ...globProblems([grant.protocol], () => [...path, 'protocol']),
      ...globProblems([grant.tool], () => [...path, 'tool']),
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
  ...mcp.flatMap(({ tools }, i) => globProblems(tools, (at) => ['upstreams', 'mcp', i, 'tools', at])),
  ...http.flatMap(({ allowed_paths }, i) =>
    globProblems(allowed_paths, (at) => ['upstreams', 'http', i, 'allowed_paths', at]),
  ),
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
