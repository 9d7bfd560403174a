/** Who is calling: the authenticated key, never what a body claims (contract §2). */
import type { KeyKind, Role } from '#core/contracts/routes.ts';

export interface Principal {
  /** Stable id of the key: first 16 hex digits of its SHA-256, or `admin-token`. */
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
}
