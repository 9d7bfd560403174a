/** Who is calling: the authenticated key or token, never what a body claims. */
import type { FederatedCaller } from '#core/contracts/federated.ts';
import type { KeyKind, Role } from '#core/contracts/route.ts';

export interface Principal {
  /**
   * Stable id of the key: first 16 hex digits of its SHA-256, or `admin-token`. For a caller of an issuer: a digest of issuer,
   * subject, client and kind.
   */
  readonly key_id: string;
  readonly name: string;
  readonly tenant: string;
  readonly role: Role;
  readonly kind: KeyKind;
  /** The human behind a human key. */
  readonly person?: string;
  /** The human who owns an agent's or service's key. */
  readonly owner?: string;
  /** May change global things: the admin token or a key marked `platform: true`. */
  readonly platform: boolean;
  /** Tenants this principal may act in; `*` for all (the admin token). */
  readonly tenants: readonly string[];
  /** Role in those of `tenants` that only a grant of an organisation reaches [identity.grants]. */
  readonly granted?: Readonly<Record<string, Role>>;
  /** The data plane whose token it is: it may do what routes for planes allow, and nothing else. */
  readonly plane?: string;
  /** Present where an issuer outside the gateway says who calls. */
  readonly federated?: FederatedCaller;
}

type Actor = Pick<Principal, 'federated' | 'person' | 'owner'>;

/** The actor of an administrative entry. */
export const personActor = (principal: Actor & Pick<Principal, 'key_id'>) => ({
  key_id: principal.key_id,
  ...(principal.person !== undefined && { person: principal.person }),
  ...federatedActor(principal),
});

/** What evidence says beside the key id of a caller of an issuer; nothing for a caller with a key [identity.oidc-evidence]. */
export const federatedActor = ({ federated, person, owner }: Actor) => {
  if (!federated) return {};
  const human = person ?? owner;
  const { issuer, subject } = federated;
  return { issuer, subject, ...(human !== undefined && { owner: human }) };
};
