/** Authenticated caller, as determined from its key or token, never from a body. */
import type { FederatedCaller } from '#core/contracts/federated.ts';
import type { KeyKind, Role } from '#core/contracts/route.ts';

export interface Principal {
  /**
   * Stable id of the key: the first 16 hex digits of its SHA-256, or `admin-token`. For an issuer's caller, a digest of
   * issuer, subject, client and kind.
   */
  readonly key_id: string;
  readonly name: string;
  readonly tenant: string;
  readonly role: Role;
  readonly kind: KeyKind;
  /** Person to whom a human key belongs. */
  readonly person?: string;
  /** The human who owns an agent's or service's key. */
  readonly owner?: string;
  /** True for the admin token and for keys marked `platform: true`, which may change global settings. */
  readonly platform: boolean;
  /** Tenants that this principal may act in, or `*` for all (the admin token). */
  readonly tenants: readonly string[];
  /** Roles in those `tenants` that are reached only through an organisation's grant [identity.organizations]. */
  readonly granted?: Readonly<Record<string, Role>>;
  /** Data plane to which this token belongs. It may only use routes for planes. */
  readonly plane?: string;
  /** Present if an external issuer authenticated the caller. */
  readonly federated?: FederatedCaller;
}

/** Returns the time until the caller's token expires, in milliseconds. Infinite for a key. */
export const tokenMs = ({ federated }: Pick<Principal, 'federated'>, now: number): number =>
  federated ? Math.max(0, Date.parse(federated.expires_at) - now) : Number.POSITIVE_INFINITY;

type Actor = Pick<Principal, 'federated' | 'person' | 'owner'>;

/** Returns the actor for an administrative entry. */
export const personActor = (principal: Actor & Pick<Principal, 'key_id'>) => ({
  key_id: principal.key_id,
  ...(principal.person !== undefined && { person: principal.person }),
  ...federatedActor(principal),
});

/**
 * Returns the evidence members that an issuer's caller has in addition to the key id; empty for a caller with a key
 * [identity.oidc-votes].
 */
export const federatedActor = ({ federated, person, owner }: Actor) => {
  if (!federated) return {};
  const human = person ?? owner;
  const { issuer, subject } = federated;
  return { issuer, subject, ...(human !== undefined && { owner: human }) };
};
