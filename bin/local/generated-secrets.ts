/** Keys and secrets that the local run generates for demonstrations. */
import type { LocalKeys } from '#adapters/local/keys-file.ts';
import { unsetSecrets } from '#core/configuration/checks/unset-secrets.ts';
import type { ResolvedKey } from '#core/configuration/identity/identities.ts';
import type { Snapshot, Snapshots } from '#core/configuration/store/snapshots.ts';
import { defaultTicketKeyName } from '#core/contracts/config/secret-names.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import type { SecretStore } from '#core/kernel/ports.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { machineWarnings } from './machine-warnings.ts';

/**
 * Returns the generated keys, added to the configuration's in its first tenant. The human owns no agent's key, so it
 * may vote on all requests.
 */
export function overlayKeys(keys: Partial<LocalKeys>, tenant: string): ResolvedKey[] {
  const { agent, human, viewer } = keys;
  return [
    ...(agent
      ? [{ key_sha256: sha256(agent), tenant, role: 'operator', kind: 'agent', name: 'local-agent' } as const]
      : []),
    ...(human
      ? [
          {
            key_sha256: sha256(human),
            tenant,
            role: 'operator',
            kind: 'human',
            person: 'local-human',
            name: 'local-human',
          } as const,
        ]
      : []),
    ...(viewer
      ? [{ key_sha256: sha256(viewer), tenant, role: 'viewer', kind: 'service', name: 'local-viewer' } as const]
      : []),
  ];
}

interface GeneratedSecrets {
  readonly adminToken: string | undefined;
  readonly appKey: string | undefined;
  readonly ticketKey?: string | undefined;
}

/**
 * Returns snapshots that add generated secrets under the names in the configuration, before the first lookup and
 * whenever another configuration becomes active. Their warnings then include secrets without a value, and missing
 * features of this machine.
 * @param store looks names up in the environment and in `secrets`.
 */
export function namingSnapshots(
  snapshots: Snapshots,
  secrets: Record<string, string>,
  generated: GeneratedSecrets,
  store: SecretStore,
  ofMachine: typeof machineWarnings = machineWarnings,
): Snapshots {
  const warned = remembered(
    async (found: Snapshot): Promise<Snapshot> => ({
      ...found,
      warnings: [
        ...found.warnings.filter((warning) => !isExpected(warning)),
        ...(await unsetSecrets(found.configuration, store)),
        ...(await ofMachine(found.configuration)),
      ],
    }),
  );
  const named = async (snapshot: Snapshot): Promise<Snapshot> =>
    warned(nameSecrets(snapshot.configuration, secrets, generated) ? await snapshots.refresh() : snapshot);
  /** Checks for a warning about a key of the shipped configuration, which a generated key replaces. */
  const isExpected = (warning: string) =>
    generated.adminToken !== undefined && warning.endsWith('its key entry is skipped.');
  /** The last promise from the store and its named one: while a snapshot is fresh, both stay the same. */
  let last: { readonly found: Promise<Snapshot>; readonly named: Promise<Snapshot> } | undefined;
  return {
    current: (how) => {
      const found = snapshots.current(how);
      if (last?.found === found) return last.named;
      const known = { found, named: found.then(named) };
      last = known;
      known.named.catch(() => {
        if (last === known) last = undefined;
      });
      return known.named;
    },
    refresh: async () => named(await snapshots.refresh()),
  };
}

/** Adds the names. Returns true if one was new. */
export function nameSecrets(
  { admin, credentials }: Configuration,
  secrets: Record<string, string>,
  { adminToken, appKey, ticketKey }: GeneratedSecrets,
): boolean {
  const before = Object.keys(secrets).length;
  if (ticketKey !== undefined) secrets[credentials.tickets.key_env ?? defaultTicketKeyName] ??= ticketKey;
  if (adminToken !== undefined) secrets[admin.token_env] ??= adminToken;
  for (const broker of credentials.brokers) {
    if (broker.type === 'scm_app' && broker.generated_key && appKey !== undefined)
      secrets[broker.private_key_env] ??= appKey;
  }
  return Object.keys(secrets).length > before;
}
