/** The rules' state for each session: bounded lists within the time window, about 1 kB as text (2 kB at most). */
import type { RiskRecord, RiskRule } from '#core/contracts/behavior.ts';
import { remembered } from '#core/kernel/remembered.ts';

/** Reference to an entry: its index, or `session#index` in the state of a key. */
export type Cite = number | string;

export interface Alert {
  readonly rule: RiskRule;
  readonly points: number;
  /** Seconds since the Unix epoch. */
  readonly at: number;
  /** Entries on which the alert is based, with the triggering one last. */
  readonly cites: readonly Cite[];
}

/** An observation: seconds since `base`, entry, and short digest of its object. */
export type Mark = readonly [at: number, cite: Cite, digest: string];

/** Refused attempts of one class. */
interface Attempts {
  readonly kind: string;
  readonly at: number;
  readonly count: number;
  /** Digest of the last call, so that an identical retry does not count. */
  readonly last: string;
  readonly cites: readonly Cite[];
}

export interface RiskState {
  /** Reference time of the marks, in seconds since the Unix epoch. */
  readonly base: number;
  readonly alerts: readonly Alert[];
  readonly sensitive: readonly Mark[];
  readonly secrets: readonly Mark[];
  readonly failures: readonly Mark[];
  readonly privileges: readonly Mark[];
  readonly deletes: readonly Mark[];
  readonly places: readonly Mark[];
  readonly attempts: readonly Attempts[];
  /** A human refusal that has not yet been followed by a deletion. */
  readonly denial?: Mark | undefined;
  /** True if the kill switch has been triggered. In that case, points remain until a human releases the session. */
  readonly tripped?: boolean | undefined;
  /** Settings from the last entry that recorded any. Votes do not record settings and are scored with these. */
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
}

/** Limits of the state. Lists used for counting are limited by the settings. */
export const riskLimits = { alerts: 8, cites: 4, sensitive: 3, privileges: 8, kinds: 5 } as const;

export const emptyState = (base: number): RiskState => ({
  base,
  alerts: [],
  sensitive: [],
  secrets: [],
  failures: [],
  privileges: [],
  deletes: [],
  places: [],
  attempts: [],
});

export const markLists = ['sensitive', 'secrets', 'failures', 'privileges', 'deletes', 'places'] as const;

export const isEmpty = (state: RiskState): boolean =>
  state.alerts.length === 0 &&
  state.attempts.length === 0 &&
  state.denial === undefined &&
  !state.tripped &&
  state.settings === undefined &&
  markLists.every((name) => state[name].length === 0);

/** Formats the state as short text, omitting empty members. */
export function stateText({ base, alerts, attempts, denial, tripped, settings, ...marks }: RiskState): string {
  return JSON.stringify({
    base,
    ...(alerts.length > 0 && {
      alerts: alerts.map(({ rule, points, at, cites }) => [rule, points, at - base, cites]),
    }),
    ...(attempts.length > 0 && {
      attempts: attempts.map(({ kind, at, count, last, cites }) => [kind, at, count, last, cites]),
    }),
    ...Object.fromEntries(markLists.flatMap((name) => (marks[name].length > 0 ? [[name, marks[name]]] : []))),
    ...(denial && { denial }),
    ...(tripped && { tripped }),
    ...(settings && { settings }),
  });
}

/** Returns a record's state, or undefined if there is no record. */
export function stateOf(record: RiskRecord | undefined): RiskState | undefined {
  return record?.state === undefined ? undefined : parseState(record);
}

/** Cached state, since several steps of a call read the same record. */
const parseState = remembered((record: RiskRecord): RiskState => {
  const { alerts = [], attempts = [], ...rest } = JSON.parse(record.state!) as StoredRiskState;
  return {
    ...emptyState(rest.base),
    ...rest,
    alerts: alerts.map(([rule, points, at, cites]) => ({ rule, points, at: at + rest.base, cites })),
    attempts: attempts.map(([kind, at, count, last, cites]) => ({ kind, at, count, last, cites })),
  };
});

type StoredRiskState = Partial<Omit<RiskState, 'base' | 'alerts' | 'attempts'>> & {
  readonly base: number;
  readonly alerts?: readonly [RiskRule, number, number, readonly Cite[]][];
  readonly attempts?: readonly [string, number, number, string, readonly Cite[]][];
};
