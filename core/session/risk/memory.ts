/** An event as the rules see it, and their view of what is remembered while it is worked in. */
import type { RiskRule, RiskSettings, Signal, SignalKind } from '#core/contracts/behavior.ts';
import { type Alert, type Cite, kept, type Mark, type RiskState } from './state.ts';

/** What the rules see of an entry. */
export interface RiskEvent {
  readonly cite: Cite;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /**
   * `approved`: a human answers for exactly this call, so it adds no points. `denied`: a human refused one. `outcome`: what
   * became of a call that was decided before.
   */
  readonly decision: 'allow' | 'approved' | 'review' | 'block' | 'denied' | 'released' | 'outcome';
  readonly signals: readonly Signal[];
  /** Tells a call from its variations. */
  readonly digest: string;
}

/** With every entry it rests on; what is remembered of it keeps the last four. */
export interface NewAlert extends Alert {
  /** Why, in words. */
  readonly reason: string;
}

type ListName = 'sensitive' | 'secrets' | 'failures' | 'privileges' | 'deletes' | 'places';

/** A mark so young is not renewed: what a key remembers is written when it changes. */
const freshSeconds = 60;

/** The rules' view of the memory while one event is worked in. */
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

  /** The call went through. */
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

  /** Forgets the marks of a list that are older than some minutes. */
  keepLatest(list: ListName, minutes: number): void {
    const latest = marksSince(this.state[list], this.now - minutes * 60);
    if (latest !== this.state[list]) this.state = { ...this.state, [list]: latest };
  }

  /** @param once the same object again only renews its mark. */
  mark(list: ListName, digest: string, most: number, { once = false } = {}): void {
    const marks = this.state[list];
    const known = once ? marks.find(([, , other]) => other === digest) : undefined;
    if (known && this.now - known[0] < freshSeconds) return;
    const mark: Mark = [this.now, this.event.cite, digest];
    this.state = { ...this.state, [list]: [...marks.filter((other) => other !== known), mark].slice(-most) };
  }

  /** Alerts when the list is full, and then counts again. */
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
      cites: cites.slice(-kept.cites),
    }));
    return { ...this.state, alerts: bounded([...this.state.alerts, ...added]) };
  }
}

/** Too many to remember: the oldest lends its points to the next, which lives longer. No point is lost. */
function bounded(alerts: readonly Alert[]): readonly Alert[] {
  let [first, second, ...rest] = alerts;
  while (first && second && rest.length + 2 > kept.alerts) {
    const rule = first.points > second.points ? first.rule : second.rule;
    [first, second, ...rest] = [{ ...second, rule, points: first.points + second.points }, ...rest];
  }
  return [first, second, ...rest].filter((alert) => alert !== undefined);
}

/** Marks that are younger than a time; the same list where all of them are. */
export const marksSince = (marks: readonly Mark[], from: number): readonly Mark[] =>
  marks.every(([at]) => at > from) ? marks : marks.filter(([at]) => at > from);
