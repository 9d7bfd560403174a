/**
 * Session risk: computes how an event changes the score of a session or key. Pure and exact: the same events give the
 * same points everywhere. Only events within the time window count.
 */
import { type RiskRule, type RiskSettings, riskRules } from '#core/contracts/behavior.ts';
import { Memory, marksSince, type NewAlert, type RiskEvent } from './memory.ts';
import { rules } from './rules.ts';
import { type Alert, emptyState, markLists, type RiskState } from './state.ts';

export type { NewAlert, RiskEvent } from './memory.ts';

export interface RiskScore {
  /** Undefined if there is no state to store. */
  readonly state: RiskState | undefined;
  readonly score: number;
  /** The rule that gave the most points. Empty if there are no points. */
  readonly rule: RiskRule | '';
  /** Alerts added by this event. */
  readonly alerts: readonly NewAlert[];
}

/**
 * Returns the score after an event. An event dated before the previous one gets that one's time, because the clocks of
 * two instances may differ while the order of the chain is fixed.
 */
export function nextRisk(before: RiskState | undefined, event: RiskEvent, settings: RiskSettings): RiskScore {
  if (event.decision === 'released') return { state: undefined, score: 0, rule: '', alerts: [] };
  const at = Math.max(Math.floor(event.at / 1000), latestOf(before));
  const state = pruneState(before ?? emptyState(at), at, settings);
  const memory = new Memory(state, at, event, settings);
  for (const rule of rules) rule(memory);
  const after = memory.after();
  const score = sum(after.alerts);
  const next = score >= settings.kill_switch_score ? { ...after, tripped: true } : after;
  return { state: next, score, rule: heaviest(next.alerts), alerts: memory.added };
}

/** Returns the score at a given time. Points expire with the time window, unless the kill switch has been triggered. */
export function scoreAt(
  state: RiskState | undefined,
  nowMs: number,
  settings: RiskSettings,
): Pick<RiskScore, 'score' | 'rule'> {
  if (!state) return { score: 0, rule: '' };
  if (state.alerts.length === 0) return { score: 0, rule: '' };
  const alerts = alertsWithin(state, Math.max(Math.floor(nowMs / 1000), latestOf(state)), settings);
  return { score: sum(alerts), rule: heaviest(alerts) };
}

/** Returns the alerts within the time window, or all of them if the kill switch has been triggered. */
const alertsWithin = (
  { tripped, alerts }: RiskState,
  at: number,
  { window_minutes }: RiskSettings,
): readonly Alert[] =>
  tripped || alerts.length === 0 ? alerts : alerts.filter((alert) => alert.at > at - window_minutes * 60);

/** Removes everything older than the time window. */
function pruneState(state: RiskState, at: number, settings: RiskSettings): RiskState {
  const from = at - settings.window_minutes * 60 - state.base;
  const denial = state.denial && state.denial[0] > from ? state.denial : undefined;
  return {
    base: state.base,
    alerts: alertsWithin(state, at, settings),
    sensitive: marksSince(state.sensitive, from),
    secrets: marksSince(state.secrets, from),
    failures: marksSince(state.failures, from),
    privileges: marksSince(state.privileges, from),
    deletes: marksSince(state.deletes, from),
    places: marksSince(state.places, from),
    attempts: state.attempts.filter((one) => one.at > from),
    ...(denial && { denial }),
    ...(state.tripped && { tripped: true }),
    ...(state.settings && { settings: state.settings }),
  };
}

function latestOf(state: RiskState | undefined): number {
  if (!state) return 0;
  let relative = state.denial?.[0] ?? 0;
  for (const name of markLists) for (const [at] of state[name]) if (at > relative) relative = at;
  for (const { at } of state.attempts) if (at > relative) relative = at;
  let latest = state.base + Math.max(relative, 0);
  for (const { at } of state.alerts) if (at > latest) latest = at;
  return latest;
}

const sum = (alerts: readonly Alert[]): number => alerts.reduce((total, { points }) => total + points, 0);

function heaviest(alerts: readonly Alert[]): RiskRule | '' {
  if (alerts.length === 0) return '';
  let found: RiskRule | '' = '';
  let most = 0;
  for (const rule of riskRules) {
    const total = sum(alerts.filter((alert) => alert.rule === rule));
    if (total > most) [found, most] = [rule, total];
  }
  return found;
}
