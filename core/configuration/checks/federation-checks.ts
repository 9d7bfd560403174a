/** Checks the settings that each federation role requires, and those that it does not use [federation.document]. */

import { isLoopbackHost } from '#core/catalog/networks.ts';
import type { FederationSettings } from '#core/contracts/config/federation.ts';
import type { ConfigurationFile } from '#core/contracts/config.ts';
import type { Problem } from '#core/contracts/problems.ts';
import { exactlyOne, unique } from './name-checks.ts';

export function checkFederation({ federation, tenants }: ConfigurationFile): Problem[] {
  const { role } = federation;
  return [
    ...(role === 'data' ? checkDataPlane(federation) : tenantsWithoutKeys(tenants)),
    ...(role === 'control' ? checkPlanes(federation) : []),
    ...strangers(federation),
  ];
}

/** Requires every tenant to have keys, except on a data plane, whose keys are in `federation.local_keys`. */
const tenantsWithoutKeys = (tenants: ConfigurationFile['tenants']): Problem[] =>
  tenants.flatMap(({ api_keys }, at) =>
    api_keys.length > 0
      ? []
      : [{ path: ['tenants', at, 'api_keys'], found: 'an empty list', allowed: 'at least one API key' }],
  );

function checkPlanes({ planes }: FederationSettings): Problem[] {
  const first = new Map<string, string>();
  const tokens = planes.flatMap(({ name, tokens }, p) =>
    tokens.flatMap(({ token_env, token_sha256 }, t): Problem[] => {
      const path = ['federation', 'planes', p, 'tokens', t];
      const one = exactlyOne({ token_env, token_sha256 }, path);
      const token = token_env ?? token_sha256 ?? '';
      const other = first.get(token);
      first.set(token, name);
      if (other === undefined) return one;
      return [...one, { path, found: `a token of the plane ${other}`, allowed: 'a token that is listed only once' }];
    }),
  );
  return [...unique(planes, ['federation', 'planes'], 'name', 'Plane'), ...tokens];
}

function checkDataPlane({
  plane,
  control_plane_url: url,
  token_env,
  trusted_keys,
  local_keys,
}: FederationSettings): Problem[] {
  const needed = { plane, control_plane_url: url, token_env };
  return [
    ...Object.entries(needed).flatMap(([name, value]) =>
      value === undefined
        ? [{ path: ['federation', name], found: 'nothing', allowed: `${name}: a data plane needs it` }]
        : [],
    ),
    ...(trusted_keys.length === 0
      ? [
          {
            path: ['federation', 'trusted_keys'],
            found: 'an empty list',
            allowed: 'the digest of the key that the control plane signs with',
          },
        ]
      : []),
    ...(url !== undefined && !isConfidential(url)
      ? [
          {
            path: ['federation', 'control_plane_url'],
            found: 'http to another machine',
            allowed: 'https: the token would cross the network in clear text',
          },
        ]
      : []),
    ...local_keys.flatMap(({ key_env, key_sha256 }, at) =>
      exactlyOne({ key_env, key_sha256 }, ['federation', 'local_keys', at]),
    ),
  ];
}

function isConfidential(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || isLoopbackHost(hostname);
}

/** Finds members that have no effect in this role. They suggest that the author had another role in mind. */
function strangers({
  role,
  planes,
  plane,
  control_plane_url,
  token_env,
  trusted_keys,
  local_keys,
}: FederationSettings): Problem[] {
  const ofControl = { planes: planes.length > 0 };
  const ofData = {
    plane: plane !== undefined,
    control_plane_url: control_plane_url !== undefined,
    token_env: token_env !== undefined,
    trusted_keys: trusted_keys.length > 0,
    local_keys: local_keys.length > 0,
  };
  const odd = (given: Readonly<Record<string, boolean>>, needs: string): Problem[] =>
    Object.entries(given).flatMap(([name, present]) =>
      present
        ? [{ path: ['federation', name], found: `${name} with role ${role}`, allowed: `${name} with role ${needs}` }]
        : [],
    );
  return [...(role === 'control' ? [] : odd(ofControl, 'control')), ...(role === 'data' ? [] : odd(ofData, 'data'))];
}
