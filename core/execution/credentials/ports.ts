/** Credential brokers and their registry. */
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { TicketStore } from '#core/execution/tickets/ports.ts';
import type { Page } from '#core/kernel/page.ts';
import type { Clock, Ids, SecretStore } from '#core/kernel/ports.ts';

export type { CredentialRecord } from '#core/contracts/credential.ts';

export interface Grant {
  readonly protocol: string;
  readonly tool: string;
  readonly upstream?: string | undefined;
  readonly broker: string;
  readonly scope: string;
  readonly ttl_seconds: number;
}

export interface IssuedCredential {
  readonly record: CredentialRecord;
  /** The secret itself: handed to the executor, never stored, logged or answered. */
  readonly secret: string;
}

/** What is known of an action beyond its envelope when its credential is made. */
export interface IssueContext {
  /** The person behind the key, or who owns it: what the issuer's own log names. */
  readonly person?: string;
  /** Version of the policy that allowed it. */
  readonly policyVersion?: number;
  /** The approval that allowed it, where one did. */
  readonly approvalId?: string;
}

/**
 * How a credential ends before its expiry: called back by its record, called back only with its value (so not at all once
 * its holder is gone), or not at all.
 */
type CalledBack = 'by_record' | 'by_value' | 'never';

/** Mints a credential that fits one action, or refuses. Never falls back to something broader. */
export interface CredentialBroker {
  readonly name: string;
  /** @default `by_record` */
  readonly calledBack?: CalledBack;
  /** @throws GatewayError `forbidden` for an action that no credential of this broker fits, else `service_unavailable`. */
  issue(envelope: ActionEnvelope, grant: Grant, context?: IssueContext): Promise<IssuedCredential>;
  /** Lengthens a lease, never past the longest life; answers the new expiry (ISO time). */
  renew?(record: CredentialRecord): Promise<string>;
  /**
   * Makes the credential unusable where the issuer can; otherwise it dies at its expiry.
   * @param secret the value itself, where its holder ends it: some issuers know a credential by nothing else.
   */
  revoke(record: CredentialRecord, secret?: string): Promise<void>;
}

export interface CredentialStore {
  get(tenant: string, id: string): Promise<CredentialRecord | undefined>;
  /** Unexpired and unrevoked, newest first. */
  active(tenant: string, now: string, options: { limit: number; cursor?: string }): Promise<Page<CredentialRecord>>;
  /** Unrevoked ones of all tenants whose `revoke_due` has passed, the longest overdue first; may lag by a second or two. */
  due(now: string, limit: number): Promise<readonly CredentialRecord[]>;
}

/** Tokens of an app's installation at a Git host (GitHub's REST API and those that follow it). @throws ServiceFault */
export interface GitHostTokens {
  mint(request: {
    readonly apiUrl: string;
    readonly appJwt: string;
    readonly installationId: string;
    /** Names without their owner. */
    readonly repositories: readonly string[];
    readonly permissions: Readonly<Record<string, string>>;
  }): Promise<InstallationToken>;
  /** A token that is dead already counts as revoked. */
  revoke(apiUrl: string, token: string): Promise<void>;
}

export interface InstallationToken {
  readonly token: string;
  /** ISO time. */
  readonly expires_at: string;
  /** `owner/name` of every repository it opens; undefined when the host names none. */
  readonly repositories: readonly string[] | undefined;
  readonly permissions: Readonly<Record<string, string>>;
}

export interface AssumeRoleRequest {
  readonly roleArn: string;
  readonly region?: string;
  readonly externalId?: string;
  readonly sessionName: string;
  readonly sourceIdentity: string;
  /** The session policy as JSON text. */
  readonly policy: string;
  readonly durationSeconds: number;
  readonly tags: Readonly<Record<string, string>>;
}

export interface TemporaryKeys {
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly session_token: string;
  /** ISO time. */
  readonly expires_at: string;
}

/** AWS STS; tries once. @throws ServiceFault, `policy_too_large` when policy and tags do not fit. */
export interface StsClient {
  assumeRole(request: AssumeRoleRequest): Promise<TemporaryKeys>;
}

/** Where a vault is and who asks. */
export interface VaultAccess {
  readonly url: string;
  readonly token: string;
  readonly namespace?: string;
}

export interface VaultLease {
  readonly lease_id: string;
  readonly lease_seconds: number;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Leases of HashiCorp Vault's HTTP API and those that follow it. @throws ServiceFault */
export interface VaultClient {
  lease(access: VaultAccess, mount: string, role: string): Promise<VaultLease>;
  /** @returns the lease's remaining seconds. */
  renew(access: VaultAccess, leaseId: string, seconds: number): Promise<number>;
  /** A lease that is over already counts as revoked. */
  revoke(access: VaultAccess, leaseId: string): Promise<void>;
}

interface SecretVersion {
  readonly value: string;
  readonly version_id: string;
  readonly stages: readonly string[];
}

/** Stored secrets by version. @throws ServiceFault */
export interface SecretVersions {
  get(request: { readonly secretId: string; readonly region?: string; readonly stage: string }): Promise<SecretVersion>;
}

/** The outside calls of brokers: a function that is given none mints from its own secrets only. */
export interface BrokerClients {
  readonly gitHost?: GitHostTokens;
  readonly sts?: StsClient;
  readonly vault?: VaultClient;
  readonly secretVersions?: SecretVersions;
  /** Waits before the one retry of a throttled call. */
  readonly pause?: (ms: number) => Promise<void>;
}

/** What every broker is made with. */
export interface BrokerPorts {
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly clients: BrokerClients | undefined;
  /** Where capability tickets are kept; a function that is given none issues none. */
  readonly tickets: TicketStore | undefined;
}

export interface BrokersPort {
  readonly brokers: (name: string) => Promise<CredentialBroker | undefined>;
}
