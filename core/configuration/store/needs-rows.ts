/** Determines without a read whether a caller may need rows in addition to the configuration. */
import type { Identities } from '#core/configuration/identity/identities.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { remembered } from '#core/kernel/remembered.ts';

/** The key, tenant, or both, whose rows a snapshot includes. */
export interface RowSelection {
  readonly tenant?: string | undefined;
  readonly key_id?: string | undefined;
  /** Set for callers from an issuer, who have no key. */
  readonly federated?: Principal['federated'] | undefined;
}

/** Part of a snapshot to which rows are added. */
export interface ActiveConfiguration {
  readonly configuration: Configuration;
  readonly identities: Identities;
}

const idsOf = remembered(({ tenants }: Pick<Configuration, 'tenants'>) => new Set(tenants.map(({ id }) => id)));

export const isConfigured = (configuration: Configuration, tenant: string): boolean => idsOf(configuration).has(tenant);

/** Returns the tenant if it may be stored as a row. Strings that cannot be tenant names are not looked up. */
export const tenantToRead = ({ configuration }: ActiveConfiguration, tenant: string | undefined): string | undefined =>
  tenant !== undefined && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(tenant) && !isConfigured(configuration, tenant)
    ? tenant
    : undefined;

/** Returns the id of a key that is not in the configuration, not even as one of two keys with the same value. */
export const keyToRead = (
  { identities: { byKeyId, clashing = [] } }: ActiveConfiguration,
  { key_id: id, federated }: RowSelection,
): string | undefined =>
  id !== undefined &&
  !federated &&
  /^[0-9a-f]{16}$/.test(id) &&
  !byKeyId.has(id) &&
  !clashing.some(({ key_id }) => key_id === id)
    ? id
    : undefined;
