/** Principals of every role and kind, and the identities that contain them. */

import { adminPrincipal, buildIdentities, type ResolvedKey } from '#core/configuration/identity/identities.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import { type KeyKind, keyKinds, type Role, roles } from '#core/contracts/route.ts';
import { sha256 } from '#core/kernel/canonical.ts';

export const key = (value: string, fields: Partial<ResolvedKey> = {}): ResolvedKey => ({
  key_sha256: sha256(value),
  tenant: 'default',
  role: 'operator',
  kind: 'agent',
  name: value,
  ...fields,
});

export const identitiesOf = (keys: readonly ResolvedKey[], adminToken?: string) =>
  buildIdentities({
    keys,
    people: [{ id: 'alice', role: 'admin', tenants: ['default', 'other'] }],
    firstTenant: 'default',
    ...(adminToken !== undefined && { adminTokenSha256: sha256(adminToken) }),
  }).identities;

export const principal = (kind: KeyKind, role: Role, fields: Partial<Principal> = {}): Principal => ({
  key_id: `${kind}-${role}`,
  name: `${kind}-${role}`,
  tenant: 'default',
  role,
  kind,
  platform: false,
  tenants: ['default'],
  ...fields,
});

export const allPrincipals: readonly Principal[] = [
  ...keyKinds.flatMap((kind) => roles.map((role) => principal(kind, role))),
  adminPrincipal('default'),
];
