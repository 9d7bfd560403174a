/**
 * Checks that span several members of `identity`: token issuers and the mapping of their claims
 * [identity.oidc-mapping].
 */

import { isIssuerUrl } from '#core/configuration/identity/federation/urls.ts';
import type { ConfigurationFile, OidcCaller, OidcProvider } from '#core/contracts/config.ts';
import type { Path, Problem } from '#core/contracts/problems.ts';
import { exactlyOne, oneOf, unique, unknownNames } from './name-checks.ts';

/**
 * Checks `identity`.
 * @param warnings receives unusual but allowed settings.
 */
export function checkIdentity(file: ConfigurationFile, warnings: string[]): Problem[] {
  const { oidc, mcp_resource } = file.identity;
  const at: Path = ['identity', 'oidc'];
  for (const { name, token_types } of oidc)
    if (token_types.some((type) => type !== 'at+jwt'))
      warnings.push(`identity.oidc ${name}: token_types allows more than at+jwt, so ID tokens count as access tokens.`);
  return [
    ...unique(oidc, at, 'name', 'Issuer'),
    ...oidc.flatMap((provider, i) => checkProvider(file, provider, [...at, i])),
    ...checkAudiences(oidc, at),
    ...checkIds(file),
    ...checkAws(file),
    ...(mcp_resource === undefined || oidc.some(({ audiences }) => audiences.includes(mcp_resource))
      ? []
      : [
          {
            path: ['identity', 'mcp_resource'],
            found: 'a URL that is not an audience of any identity.oidc entry',
            allowed: 'an audience of one of the entries: tokens for /mcp must have it',
          },
        ]),
  ];
}

function checkProvider(file: ConfigurationFile, provider: OidcProvider, path: Path): Problem[] {
  const { issuer, jwks_uri, callers } = provider;
  const allowed = 'https://…, or http:// for an issuer on this machine (localhost, 127.0.0.1, [::1])';
  const problem = (field: string) => ({ path: [...path, field], found: 'a URL (not shown)', allowed });
  return [
    ...(isIssuerUrl(issuer) && URL.parse(issuer)?.search === '' ? [] : [problem('issuer')]),
    ...(jwks_uri === undefined || isIssuerUrl(jwks_uri, issuer) ? [] : [problem('jwks_uri')]),
    ...callers.flatMap((caller, i) => checkCaller(file, caller, [...path, 'callers', i])),
  ];
}

function checkCaller(file: ConfigurationFile, caller: OidcCaller, path: Path): Problem[] {
  const { tenant, tenant_claim, tenants, kind } = caller;
  const known = file.tenants.map(({ id }) => id);
  const people = file.people.map(({ id }) => id);
  const isHuman = kind === 'human';
  const named = (field: 'person' | 'owner'): Problem[] =>
    unknownNames(caller[field] === undefined ? [] : [caller[field]], people, path, 'people').map((problem) => ({
      ...problem,
      path: [...path, field],
    }));
  const misplaced = (['person', 'person_claim', 'owner', 'owner_claim'] as const)
    .filter((field) => caller[field] !== undefined && field.startsWith('person') !== isHuman)
    .map((field) => ({
      path: [...path, field],
      found: `an entry of kind ${kind}`,
      allowed: 'person and person_claim for kind human; owner and owner_claim for agents and services',
    }));
  return [
    ...exactlyOne({ tenant, tenant_claim }, path),
    ...(tenant === undefined || known.includes(tenant)
      ? []
      : [{ path: [...path, 'tenant'], found: JSON.stringify(tenant), allowed: oneOf(known, 'tenants', tenant) }]),
    ...unknownNames(tenants, ['*', ...known], [...path, 'tenants'], 'tenants'),
    ...(tenant_claim !== undefined && tenants.length === 0
      ? [
          {
            path: [...path, 'tenants'],
            found: 'nothing',
            allowed: 'the tenants that tenant_claim may name; "*" for all',
          },
        ]
      : []),
    ...(isHuman
      ? exactlyOne({ person: caller.person, person_claim: caller.person_claim }, path)
      : ownerProblems(caller, path)),
    ...misplaced,
    ...named('person'),
    ...named('owner'),
  ];
}

const ownerProblems = ({ owner, owner_claim }: OidcCaller, path: Path): Problem[] =>
  owner === undefined || owner_claim === undefined ? [] : exactlyOne({ owner, owner_claim }, path);

function checkAws({ tenants, people, identity: { aws } }: ConfigurationFile): Problem[] {
  const path: Path = ['identity', 'aws', 'callers'];
  const known = tenants.map(({ id }) => id);
  const ids = people.map(({ id }) => id);
  const each = aws.callers.flatMap(({ tenant, kind, person, owner }, i): Problem[] => {
    const theirs = people.find(({ id }) => id === person)?.tenants ?? [];
    const elsewhere = theirs.length > 0 && !theirs.includes('*') && !theirs.includes(tenant);
    return [
      ...named('tenant', tenant, known, 'tenants'),
      ...named('person', person, ids, 'people'),
      ...named('owner', owner, ids, 'people'),
      ...((kind === 'human') === (person !== undefined) && (kind !== 'human' || owner === undefined)
        ? []
        : [
            {
              path: [...path, i],
              found: `an entry of kind ${kind}`,
              allowed: 'person for kind human only, owner for others',
            },
          ]),
      ...(elsewhere
        ? [{ path: [...path, i, 'person'], found: JSON.stringify(person), allowed: 'a person of this tenant' }]
        : []),
    ];
    function named(field: string, value: string | undefined, list: readonly string[], what: string): Problem[] {
      return value === undefined || list.includes(value)
        ? []
        : [{ path: [...path, i, field], found: JSON.stringify(value), allowed: oneOf(list, what, value) }];
    }
  });
  return [...unique(aws.callers, path, 'arn', 'ARN'), ...each];
}

/** Rejects two entries with the same issuer and audience, because the caller would be ambiguous. */
function checkAudiences(oidc: readonly OidcProvider[], at: Path): Problem[] {
  const seen = new Map<string, string>();
  return oidc.flatMap(({ name, issuer, audiences }, i) =>
    [...new Set(audiences)].flatMap((audience): Problem[] => {
      const first = seen.get(`${issuer} ${audience}`);
      seen.set(`${issuer} ${audience}`, first ?? name);
      if (first === undefined) return [];
      const found = `an audience that ${first} already has`;
      return [{ path: [...at, i, 'audiences'], found, allowed: 'only one entry per issuer and audience' }];
    }),
  );
}

function checkIds({ people, identity: { oidc } }: ConfigurationFile): Problem[] {
  const names = oidc.map(({ name }) => name);
  const seen = new Map<string, string>();
  return people.flatMap(({ id, oidc_ids = [] }, i) =>
    oidc_ids.flatMap((value, k): Problem[] => {
      const path: Path = ['people', i, 'oidc_ids', k];
      const first = seen.get(value);
      seen.set(value, first ?? id);
      if (!names.includes(value.slice(0, value.indexOf('/'))))
        return [
          {
            path,
            found: JSON.stringify(value),
            allowed: `"<name>/<value>" with ${oneOf(names, 'issuers', value.slice(0, value.indexOf('/')))}`,
          },
        ];
      return first === undefined
        ? []
        : [{ path, found: JSON.stringify(value), allowed: `one person per value (${first} already has it)` }];
    }),
  );
}
