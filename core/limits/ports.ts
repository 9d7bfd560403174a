/**
 * Rate limits and budgets: the amount is reserved before a call and settled after it. Money is in integer
 * micro-dollars.
 */
import type { rateLimitSchema } from '#core/contracts/answers/status.ts';
import type { ChatRecord } from '#core/contracts/chat.ts';
import type { Shape } from '#core/contracts/shape.ts';

/** Limits for one tenant or key, resolved from the active configuration. */
export interface Limits {
  /** Holder of the limits, as named in refusal messages. @default tenant */
  readonly holder?: 'key';
  readonly requests_per_minute?: number;
  readonly tokens_per_minute?: number;
  /** All budgets that apply to the call. Each of them must have room. */
  readonly budgets: readonly BudgetAccount[];
}

export interface BudgetAccount {
  /** `tenant`, `global` or `key:<key id>`, followed by `:<model glob>` if it covers only some models. */
  readonly account: string;
  readonly scope: 'tenant' | 'global' | 'key';
  readonly period: 'day' | 'month';
  readonly limit_microusd: number;
  /** True if the account never refuses a call and is booked only to give forecasts daily figures. */
  readonly unlimited?: true;
}

export interface ReserveRequest {
  readonly tenant: string;
  /** Envelope id of the call, which identifies the reservation. */
  readonly id: string;
  readonly session_id: string;
  /** End of the session's chain when the call came in, if known. The call's evidence is at this index or later. */
  readonly from_index?: number;
  /** Number of tokens: the input estimate plus the maximum output. */
  readonly tokens: number;
  readonly cost_microusd: number;
  readonly limits: Limits;
  /** Limits of the caller's key, which apply in addition to the tenant's. Both must have room. */
  readonly key?: KeyPart | undefined;
  /** True if the provider is called immediately, so that the reservation includes `begin`. */
  readonly begun?: boolean;
  /** Description of the call for evidence, in case its process ends before the call is recorded. */
  readonly call?: ReservedCall;
}

/** Call data for evidence, used if the process ends during the provider call [chat.killed]. */
export interface ReservedCall
  extends Pick<
    ChatRecord,
    'operation' | 'model' | 'resolved_model' | 'stream' | 'transport' | 'policy_version' | 'request_id'
  > {
  readonly key_id: string;
  readonly agent: string;
  readonly input_tokens: number;
  /** Set for an agent's key, since it owns the sessions that it opens. */
  readonly owns_session?: true;
}

/** A key that has its own limits. It is counted as if it were a tenant. */
export interface KeyPart {
  /** `<tenant>/<key id>`. Tenant names contain no slash. */
  readonly counters: string;
  readonly limits: Limits;
}

/** Reports whether any limit applies. If none does, calls are not counted. */
export const isLimited = ({ requests_per_minute, tokens_per_minute, budgets }: Limits): boolean =>
  requests_per_minute !== undefined || tokens_per_minute !== undefined || budgets.length > 0;

export type LimitStatus = Shape<typeof rateLimitSchema>;

export interface BudgetStatus extends BudgetAccount {
  /** Amount spent and reserved. */
  readonly used_microusd: number;
  /** The part reserved by running calls. */
  readonly reserved_microusd: number;
  /** Tier: `ok` below 80 %, `alert` from 80 %, `warning` from 90 %, `exhausted` at 100 %. */
  readonly tier: 'ok' | 'alert' | 'warning' | 'exhausted';
}

export type ReserveOutcome =
  | { readonly ok: true; readonly limits: LimitStatus; readonly budgets: readonly BudgetStatus[] }
  | {
      readonly ok: false;
      readonly code: 'rate_limit_error' | 'budget_exceeded';
      /** Message naming the limit or account that refused the call, with its numbers. */
      readonly message: string;
      readonly what: string;
      readonly retryAfterSeconds: number;
      /** True if waiting does not help, because the call exceeds the whole limit of a minute. */
      readonly never?: true;
      readonly limits: LimitStatus;
    };

/** A call's actual usage. */
export interface Settlement {
  readonly tokens: number;
  readonly cost_microusd: number;
  /**
   * Whether the request still counts. If false, it is released as well, because the gateway refused the call before it
   * had any effect.
   */
  readonly counted: boolean;
  /**
   * Condition for healing, which settles only if the lease still ends at this time. A call that has renewed its lease
   * is left alone.
   */
  readonly lease_expires_at?: string;
}

export interface OpenReservation {
  readonly id: string;
  readonly tenant: string;
  readonly session_id: string;
  readonly from_index: number;
  readonly tokens: number;
  readonly cost_microusd: number;
  /** True if the provider had been called. */
  readonly begun: boolean;
  /** Absent if the reservation was made without a description of its call. */
  readonly call?: ReservedCall;
  /** Milliseconds from the reservation to the last renewal of its lease, which is the call's minimum duration. */
  readonly lasted_ms: number;
  /** ISO 8601. */
  readonly lease_expires_at: string;
}

/**
 * Tenant counters. Concurrent calls within a process may share writes; across processes, the item's version determines
 * which write succeeds. Every method throws GatewayError `service_unavailable` if the store does not respond (fails
 * closed).
 */
export interface Counters {
  /** Reserves everything or nothing. A refusal consumes nothing, and no window or account ever exceeds its limit. */
  reserve(request: ReserveRequest): Promise<ReserveOutcome>;
  /**
   * Records that the provider is being called. From this point, an expired reservation is charged in full. Renews the
   * lease.
   * @throws GatewayError `service_unavailable` also if the reservation has ended, because the call would not be
   * charged.
   */
  begin(tenant: string, id: string): Promise<void>;
  /** Renews the lease of a running call. */
  extend(tenant: string, id: string): Promise<void>;
  /**
   * Converts the reservation into spend and releases the rest. Settling twice changes nothing. Usage above the
   * reservation is still charged, so spend can exceed a limit by at most one reservation.
   */
  settle(tenant: string, id: string, settlement: Settlement): Promise<void>;
  /**
   * Returns reservations whose lease has ended, or ends before `untilMs` (epoch). With `untilMs`, all reservations of a
   * process known to be gone can be included.
   */
  expired(tenant: string, untilMs?: number): Promise<readonly OpenReservation[]>;
  /**
   * Returns idle slices to the global budgets and books spend beyond a slice. Resolves to the amount returned, in
   * micro-dollars.
   */
  reclaim(tenant: string): Promise<number>;
  /** Reads the current state for display to people. */
  status(tenant: string, limits: Limits): Promise<CountersStatus>;
}

export interface CountersStatus {
  readonly limits: LimitStatus;
  readonly budgets: readonly BudgetStatus[];
  /** Running calls. */
  readonly open: number;
  /** Settled micro-dollars by `accountKey`. */
  readonly spend: Readonly<Record<string, number>>;
}

/** Lease duration, longer than any pause between renewals. */
export const reservationLeaseSeconds = 60;
