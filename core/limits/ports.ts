/** Rate limits and budgets: reserve before a call, settle after it. Money is integer micro-dollars. */
import type { ChatOperation } from '#core/contracts/chat.ts';

/** What holds for one tenant, or for one key, resolved from the configuration in force. */
export interface Limits {
  /** Whose limits they are, as refusals name the holder. @default tenant */
  readonly holder?: 'key';
  readonly requests_per_minute?: number;
  readonly tokens_per_minute?: number;
  /** Every budget that applies to the call; all of them must have room. */
  readonly budgets: readonly BudgetAccount[];
}

export interface BudgetAccount {
  /** `tenant`, `global` or `key:<key id>`; with `:<model glob>` after it where it is of some models only. */
  readonly account: string;
  readonly scope: 'tenant' | 'global' | 'key';
  readonly period: 'day' | 'month';
  readonly limit_microusd: number;
  /** Nothing is refused for it: it is booked so that forecasts know the days. */
  readonly unlimited?: true;
}

export interface ReserveRequest {
  readonly tenant: string;
  /** Envelope id of the call: what it is settled by. */
  readonly id: string;
  readonly session_id: string;
  /** Where the session's chain ended when the call came in, if known: its evidence stands at or after this index. */
  readonly from_index?: number;
  /** Input estimate plus the most the call may put out. */
  readonly tokens: number;
  readonly cost_microusd: number;
  readonly limits: Limits;
  /** What holds for the caller's key beside it: both must have room. */
  readonly key?: KeyPart | undefined;
  /** The provider is called at once: `begin` is part of the reservation. */
  readonly begun?: boolean;
  /** Names the call in evidence if its process ends before it is recorded. */
  readonly call?: ReservedCall;
}

/** What evidence says of a call whose process ended while the provider was asked [chat.killed]. */
export interface ReservedCall {
  readonly key_id: string;
  readonly agent: string;
  readonly operation: ChatOperation;
  readonly model: string;
  readonly resolved_model: string;
  readonly stream: boolean;
  readonly transport: 'http' | 'ws';
  readonly input_tokens: number;
  readonly policy_version: number;
  readonly request_id: string;
}

/** A key with limits of its own is counted under a name of its own, as if it were a tenant. */
export interface KeyPart {
  /** `<tenant>/<key id>`: tenants have no slash in their names. */
  readonly counters: string;
  readonly limits: Limits;
}

/** Whether anything holds for a call. Where nothing does, nothing is counted. */
export const isLimited = ({ requests_per_minute, tokens_per_minute, budgets }: Limits): boolean =>
  requests_per_minute !== undefined || tokens_per_minute !== undefined || budgets.length > 0;

/** How much is left, for `x-ratelimit-*`. */
export interface LimitStatus {
  readonly limit_requests?: number;
  readonly remaining_requests?: number;
  /** Seconds until the window is empty. */
  readonly reset_requests?: number;
  readonly limit_tokens?: number;
  readonly remaining_tokens?: number;
  readonly reset_tokens?: number;
}

export interface BudgetStatus extends BudgetAccount {
  /** Spent and reserved. */
  readonly used_microusd: number;
  /** What running calls hold of it. */
  readonly reserved_microusd: number;
  /** `ok` below 80 %, `alert` from 80, `warning` from 90, `exhausted` at 100. */
  readonly tier: 'ok' | 'alert' | 'warning' | 'exhausted';
}

export type ReserveOutcome =
  | { readonly ok: true; readonly limits: LimitStatus; readonly budgets: readonly BudgetStatus[] }
  | {
      readonly ok: false;
      readonly code: 'rate_limit_error' | 'budget_exceeded';
      /** Which limit or account refused, with its numbers. */
      readonly message: string;
      readonly what: string;
      readonly retryAfterSeconds: number;
      readonly limits: LimitStatus;
    };

/** What a call came to. */
export interface Settlement {
  readonly tokens: number;
  readonly cost_microusd: number;
  /** False gives the request back too: the call was refused by us before anything happened. */
  readonly counted: boolean;
  /** Only if the lease still ends then, for healing: a call that came back to life since is left alone. */
  readonly lease_expires_at?: string;
}

export interface OpenReservation {
  readonly id: string;
  readonly tenant: string;
  readonly session_id: string;
  readonly from_index: number;
  readonly tokens: number;
  readonly cost_microusd: number;
  /** The provider had been called. */
  readonly begun: boolean;
  /** Absent in reservations of earlier releases. */
  readonly call?: ReservedCall;
  /** Milliseconds from the reservation to the last renewal of its lease: so long the call lasted at least. */
  readonly lasted_ms: number;
  /** ISO 8601. */
  readonly lease_expires_at: string;
}

/**
 * The counters of tenants. Concurrent calls of one process may share writes; across processes the item's version
 * decides. Every method throws GatewayError `service_unavailable` when the store does not answer: fail closed.
 */
export interface Counters {
  /** All or nothing; a refusal consumes nothing. Never lets a window or an account pass its limit. */
  reserve(request: ReserveRequest): Promise<ReserveOutcome>;
  /**
   * The provider is being called: from now on an expired reservation is charged in full. Renews the lease.
   * @throws GatewayError `service_unavailable` also when the reservation has ended: nothing would be charged.
   */
  begin(tenant: string, id: string): Promise<void>;
  /** Renews the lease of a call that still runs. */
  extend(tenant: string, id: string): Promise<void>;
  /**
   * Turns the reservation into spend and gives the rest back. Settling twice changes nothing. What a call came to above
   * its reservation is charged anyway, so spend can exceed a limit by at most one reservation.
   */
  settle(tenant: string, id: string, settlement: Settlement): Promise<void>;
  /** Reservations whose lease has ended, or ends before `untilMs` (epoch): all of a process that is known to be gone. */
  expired(tenant: string, untilMs?: number): Promise<readonly OpenReservation[]>;
  /** Gives idle slices of global budgets back and books what was spent beyond one. Micro-dollars given back. */
  reclaim(tenant: string): Promise<number>;
  /** As it stands, for people. */
  status(tenant: string, limits: Limits): Promise<CountersStatus>;
}

export interface CountersStatus {
  readonly limits: LimitStatus;
  readonly budgets: readonly BudgetStatus[];
  /** Running calls. */
  readonly open: number;
  /** What was settled, in micro-dollars by `accountKey`. */
  readonly spend: Readonly<Record<string, number>>;
}

/** A lease outlives every pause between renewals. */
export const reservationLeaseSeconds = 60;

export interface CountersPort {
  readonly counters: Counters;
}
