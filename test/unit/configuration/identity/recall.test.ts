/** Callers with tokens between requests: open connections, streams and approvals check them again. */

import { principalOfClaims } from '#core/configuration/identity/federation/claims.ts';
import { recall } from '#core/configuration/identity/federation/recall.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { loadConfiguration } from '#features/load-configuration.ts';
import { reauthorize, socketCaller } from '#lambdas/ws/caller.ts';
import { base, packs } from '../memory.ts';

const federated = {
  provider: 'corp',
  issuer: 'https://login.test',
  subject: 'bot',
  client: 'platform',
  claims: { groups: ['agents'] },
  expires_at: '2026-01-01T01:00:00.000Z',
};
const snapshotOf = async (oidc: string): Promise<Snapshot> => {
  const { configuration } = await loadConfiguration(base(`identity: { oidc: [${oidc}] }`), { packs });
  return {
    configuration,
    identities: { byDigest: new Map(), byKeyId: new Map(), critical: new Set(), limits: new Map() },
  } as never;
};
const corp = (more = '', group = 'agents') =>
  `{ name: corp, issuer: "https://login.test", audiences: [a], callers: [{ when: { groups: [${group}] }, tenant: default, role: operator }] ${more} }`;
const inForce = async () => {
  const snapshot = await snapshotOf(corp());
  return principalOfClaims(snapshot.configuration.identity.oidc[0]!, federated, snapshot.configuration);
};
const during = Date.parse('2026-01-01T00:59:59Z');

test('[auth.revoked-key] a caller is mapped again using the active configuration', async () => {
  const { key_id } = await inForce();
  expect(await recall(await snapshotOf(corp()), key_id, federated)).toMatchObject({ key_id, role: 'operator' });
  expect(await recall(await snapshotOf(corp(', revoked_subjects: [bot]')), key_id, federated)).toBeUndefined();
  expect(await recall(await snapshotOf(corp('', 'others')), key_id, federated)).toBeUndefined();
  expect(await recall(await snapshotOf(corp().replace('login', 'new-login')), key_id, federated)).toBeUndefined();
  expect(await recall(await snapshotOf(''), key_id, federated)).toBeUndefined();
});

test('[auth.revoked-key] stored claims are used only for the key id that they belong to', async () => {
  const { key_id } = await inForce();
  const snapshot = await snapshotOf(corp());
  expect(await recall(snapshot, 'oidc-000000000000000000000000', federated)).toBeUndefined();
  expect(await recall(snapshot, key_id, { ...federated, subject: 'other' })).toBeUndefined();
  expect(await recall(snapshot, key_id, undefined)).toBeUndefined();
});

test('[auth.revoked-key] calls over a WebSocket end when the token expires or the caller is revoked', async () => {
  const caller = socketCaller(await inForce());
  expect(await reauthorize(caller, await snapshotOf(corp()), during)).toMatchObject({ tenant: 'default' });
  await expect(reauthorize(caller, await snapshotOf(corp()), during + 1_000)).rejects.toThrow('the token has expired');
  await expect(reauthorize(caller, await snapshotOf(''), during)).rejects.toThrow('revoked');
  expect(JSON.stringify(caller)).not.toContain('eyJ');
});

test('[identity.oidc-mapping] the key id is derived from issuer, subject, client and kind', async () => {
  const { configuration } = await snapshotOf(corp());
  const [provider] = configuration.identity.oidc;
  const { client: _, ...noClient } = federated;
  const others = [
    federated,
    { ...federated, subject: 'b' },
    { ...federated, client: 'c' },
    { ...federated, issuer: 'i' },
    noClient,
  ];
  const ids = others.map((caller) => principalOfClaims(provider!, caller, configuration).key_id);
  expect(new Set(ids).size).toBe(5);
  expect(principalOfClaims({ ...provider!, name: 'renamed' }, federated, configuration).key_id).toBe(ids[0]);
});
