/** The event and the stored state, as seen by the rules. */
import type { RiskRule, RiskSettings, Signal, SignalKind } from '#core/contracts/behavior.ts';
import { type Alert, type Cite, type Mark, type RiskState, riskLimits } from './state.ts';

/** An entry as seen by the rules. */
export interface RiskEvent {
  readonly cite: Cite;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /**
   * `approved`: a human approved exactly this call, so it adds no points. `denied`: a human refused a call. `outcome`:
   * the result of an earlier call.
   */
  readonly decision: 'allow' | 'approved' | 'review' | 'block' | 'denied' | 'released' | 'outcome';
  readonly signals: readonly Signal[];
  /** Digest that distinguishes a call from variations of it. */
  readonly digest: string;
}

/** An alert with all entries on which it is based. The state keeps only the last four of them. */
export interface NewAlert extends Alert {
  /** Description of the reason. */
  readonly reason: string;
}

type ListName = 'sensitive' | 'secrets' | 'failures' | 'privileges' | 'deletes' | 'places';

/** Age below which a mark is not renewed, which saves writes to a key's record. */
const freshSeconds = 60;

/** The state while the rules process one event. */
export class Memory {
  state: RiskState;
  readonly now: number;
  readonly event: RiskEvent;
  readonly settings: RiskSettings;
  readonly added: NewAlert[] = [];
  readonly #at: number;

  constructor(state: RiskState, at: number, event: RiskEvent, settings: RiskSettings) {
    this.state = state;
    this.#at = at;
    this.now = at - state.base;
    this.event = event;
    this.settings = settings;
  }

  /** True if the call was allowed or approved. */
  get ran(): boolean {
    return this.event.decision === 'allow' || this.event.decision === 'approved';
  }

  signals(...kinds: SignalKind[]): readonly Signal[] {
    const { signals } = this.event;
    return signals.length === 0 ? signals : signals.filter(({ s }) => kinds.includes(s));
  }

  had(rule: RiskRule): boolean {
    return this.state.alerts.some((alert) => alert.rule === rule) || this.added.some((alert) => alert.rule === rule);
  }

  knows(list: ListName, digest: string): boolean {
    return this.state[list].some(([, , known]) => known === digest);
  }

  /** Removes marks older than `minutes` from a list. */
  keepLatest(list: ListName, minutes: number): void {
    const latest = marksSince(this.state[list], this.now - minutes * 60);
    if (latest !== this.state[list]) this.state = { ...this.state, [list]: latest };
  }

  /** Adds a mark. @param once renews the mark of a known object instead of adding another. */
  mark(list: ListName, digest: string, most: number, { once = false } = {}): void {
    const marks = this.state[list];
    const known = once ? marks.find(([, , other]) => other === digest) : undefined;
    if (known && this.now - known[0] < freshSeconds) return;
    const mark: Mark = [this.now, this.event.cite, digest];
    this.state = { ...this.state, [list]: [...marks.filter((other) => other !== known), mark].slice(-most) };
  }

  /** Adds an alert if the list is full, then empties the list. */
  alertAt(list: ListName, full: number, rule: RiskRule, points: number, reason: (n: number) => string): void {
    const marks = this.state[list];
    if (marks.length < full) return;
    this.alert(
      rule,
      points,
      marks.map(([, cite]) => cite),
      reason(marks.length),
    );
    this.state = { ...this.state, [list]: [] };
  }

  alert(rule: RiskRule, points: number, builtOn: readonly Cite[], reason: string): void {
    if (points === 0) return;
    const earlier = [...new Set(builtOn)].filter((cite) => cite !== this.event.cite);
    this.added.push({ rule, points, at: this.#at, cites: [...earlier, this.event.cite], reason });
  }

  after(): RiskState {
    if (this.added.length === 0) return this.state;
    const added = this.added.map(({ reason: _reason, cites, ...alert }) => ({
      ...alert,
      cites: cites.slice(-riskLimits.cites),
    }));
    return { ...this.state, alerts: newestAlerts([...this.state.alerts, ...added]) };
  }
}

/** Limits the number of alerts by merging the oldest one into the next, so that no points are lost. */
function newestAlerts(alerts: readonly Alert[]): readonly Alert[] {
  let [first, second, ...rest] = alerts;
  while (first && second && rest.length + 2 > riskLimits.alerts) {
    const rule = first.points > second.points ? first.rule : second.rule;
    [first, second, ...rest] = [{ ...second, rule, points: first.points + second.points }, ...rest];
  }
  return [first, second, ...rest].filter((alert) => alert !== undefined);
}

/** Returns the marks that are newer than `from`, or the same array if all of them are. */
export const marksSince = (marks: readonly Mark[], from: number): readonly Mark[] =>
  marks.every(([at]) => at > from) ? marks : marks.filter(([at]) => at > from);
