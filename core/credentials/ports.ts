/** Credential brokers and their registry (spec §2.6, contract §1 credentials, §4). */
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { Page } from '#core/evidence/ports.ts';
import type { Clock, Ids, SecretStore } from '#core/kernel/ports.ts';

export type { CredentialRecord } from '#core/contracts/credential.ts';

export interface Grant {
  readonly protocol: string;
  readonly tool: string;
  readonly broker: string;
  readonly scope: string;
  readonly ttl_seconds: number;
}

export interface IssuedCredential {
  readonly record: CredentialRecord;
  /** The secret itself: handed to the executor, never stored, logged or answered. */
  readonly secret: string;
}

/** Mints a credential that fits one action, or refuses. Never falls back to something broader. */
export interface CredentialBroker {
  readonly name: string;
  issue(envelope: ActionEnvelope, grant: Grant): Promise<IssuedCredential>;
  /** Makes the credential unusable where the issuer can; otherwise it dies at its expiry. */
  revoke(record: CredentialRecord): Promise<void>;
}

export interface CredentialStore {
  get(tenant: string, id: string): Promise<CredentialRecord | undefined>;
  /** Unexpired and unrevoked, newest first. */
  active(tenant: string, now: string, options: { limit: number; cursor?: string }): Promise<Page<CredentialRecord>>;
}

/** Runs an allowed call with its credential. None configured for a tool: the call is `not_executed`. */
export interface Executor {
  readonly name: string;
  handles(envelope: ActionEnvelope): boolean;
  /** @throws when the upstream failed; the message names tool and upstream and holds no secret. */
  execute(envelope: ActionEnvelope, credential: IssuedCredential | undefined): Promise<unknown>;
}

/** What every broker is made with. */
export interface BrokerPorts {
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly ids: Ids;
}
