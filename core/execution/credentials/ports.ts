/** Ports for credential brokers and their registry. */
import type { BrokerEntry, Configuration } from '#core/contracts/config.ts';
import type { CredentialRecord } from '#core/contracts/credential.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { TicketStore } from '#core/execution/tickets/ports.ts';
import type { Page } from '#core/kernel/page.ts';
import type { Clock, Ids, SecretStore } from '#core/kernel/ports.ts';

export type Grant = Configuration['credentials']['grants'][number];
/** Settings of a broker of one type. */
export type BrokerSettings<Type extends BrokerEntry['type']> = Omit<Extract<BrokerEntry, { type: Type }>, 'type'>;

export interface IssuedCredential {
  readonly record: CredentialRecord;
  /** The secret itself: given to the executor, never stored, logged or returned. */
  readonly secret: string;
}

/** Facts about an action that are needed, in addition to its envelope, to issue a credential for it. */
export interface IssueContext {
  /** The person who holds or owns the key, for the issuer's log. */
  readonly person?: string;
  /** Version of the policy that allowed the action. */
  readonly policyVersion?: number;
  /** The approval that allowed the action, if any. */
  readonly approvalId?: string;
}

/**
 * Way to revoke a credential before its expiry: by its record, by its value alone (impossible once its holder has
 * ended), or not at all.
 */
type RevocationMethod = 'by_record' | 'by_value' | 'never';

/** A broker that mints a credential for one action, or refuses to. It never falls back to a broader credential. */
export interface CredentialBroker {
  readonly name: string;
  /** @default `by_record` */
  readonly calledBack?: RevocationMethod;
  /**
   * Mints a credential. @throws GatewayError `forbidden` if the broker does not mint credentials for this action,
   * otherwise `service_unavailable`.
   */
  issue(envelope: ActionEnvelope, grant: Grant, context?: IssueContext): Promise<IssuedCredential>;
  /** Extends a lease, at most to the longest lifetime, and returns the new expiry (ISO time). */
  renew?(record: CredentialRecord): Promise<string>;
  /**
   * Revokes the credential if the issuer supports it; otherwise it stays valid until it expires.
   * @param secret the value itself, if its holder revokes it. Some issuers require it.
   */
  revoke(record: CredentialRecord, secret?: string): Promise<void>;
}

export interface CredentialStore {
  get(tenant: string, id: string): Promise<CredentialRecord | undefined>;
  /** Lists unexpired, unrevoked credentials, newest first. */
  active(tenant: string, now: string, options: { limit: number; cursor?: string }): Promise<Page<CredentialRecord>>;
  /**
   * Returns unrevoked credentials of all tenants whose `revoke_due` has passed, longest overdue first. Results may lag
   * by one or two seconds.
   */
  due(now: string, limit: number): Promise<readonly CredentialRecord[]>;
}

/** Tokens for an app installation at a Git host with GitHub's REST API or a compatible one. @throws ServiceFault */
export interface GitHostTokens {
  mint(request: {
    readonly apiUrl: string;
    readonly appJwt: string;
    readonly installationId: string;
    /** Repository names without the owner. */
    readonly repositories: readonly string[];
    readonly permissions: Readonly<Record<string, string>>;
  }): Promise<InstallationToken>;
  /** Revokes a token. A token that is already invalid counts as revoked. */
  revoke(apiUrl: string, token: string): Promise<void>;
}

export interface InstallationToken {
  readonly token: string;
  /** ISO time. */
  readonly expires_at: string;
  /** `owner/name` of each accessible repository; undefined if the host does not list them. */
  readonly repositories: readonly string[] | undefined;
  readonly permissions: Readonly<Record<string, string>>;
}

export interface AssumeRoleRequest {
  readonly roleArn: string;
  readonly region?: string;
  readonly externalId?: string;
  readonly sessionName: string;
  readonly sourceIdentity: string;
  /** The session policy as a JSON string. */
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

/**
 * AWS STS client that makes a single attempt. @throws ServiceFault, `policy_too_large` if policy and tags do not fit.
 */
export interface StsClient {
  assumeRole(request: AssumeRoleRequest): Promise<TemporaryKeys>;
}

/** Address of a vault and the gateway's token for it. */
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

/** Leases managed through HashiCorp Vault's HTTP API or a compatible one. @throws ServiceFault */
export interface VaultClient {
  lease(access: VaultAccess, mount: string, role: string): Promise<VaultLease>;
  /** Renews a lease. @returns its remaining seconds. */
  renew(access: VaultAccess, leaseId: string, seconds: number): Promise<number>;
  /** Revokes a lease. A lease that has already ended counts as revoked. */
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

/** Clients used by brokers. Without them, a function can mint credentials only from its own secrets. */
export interface BrokerClients {
  readonly gitHost?: GitHostTokens;
  readonly sts?: StsClient;
  readonly vault?: VaultClient;
  readonly secretVersions?: SecretVersions;
  /** Pauses before the only retry of a throttled call. */
  readonly pause?: (ms: number) => Promise<void>;
}

/** Ports needed by every broker. */
export interface BrokerPorts {
  readonly secrets: SecretStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly clients: BrokerClients | undefined;
  /** Store for capability tickets. A function without it does not issue any. */
  readonly tickets: TicketStore | undefined;
}

/** Returns the broker with the given name, or undefined if it is not configured. */
export type BrokersByName = (name: string) => Promise<CredentialBroker | undefined>;
