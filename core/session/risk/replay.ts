/**
 * Computes risk from evidence, for one entry or for a whole chain. The same function updates the session's head, so any
 * chain's score can be recomputed.
 */
import {
  type BehaviorNote,
  defaultRiskSettings,
  type RiskRecord,
  type RiskSettings,
} from '#core/contracts/behavior.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { type NewAlert, nextRisk, type RiskEvent, type RiskScore } from './score.ts';
import { type Cite, isEmpty, type RiskState, stateOf, stateText } from './state.ts';

/** Action of the entry that releases a session. */
export const releaseAction = 'session.release';

/** Returns the record after an entry, or the same record if the entry does not affect it. */
export function riskAfter(record: RiskRecord | undefined, entry: EvidenceEntry): RiskRecord | undefined {
  const event = riskEventOf(entry);
  if (!event) return record;
  if (event.decision === 'released') return undefined;
  return recordOf(scoreEntry(stateOf(record), event, entry));
}

/**
 * Scores one entry with the settings recorded in it.
 * @param adapt changes those settings: for a key, the limits are higher.
 */
export function scoreEntry(
  before: RiskState | undefined,
  event: RiskEvent,
  entry: EvidenceEntry,
  adapt: (settings: RiskSettings) => RiskSettings = (settings) => settings,
): RiskScore {
  const note = noteOf(entry);
  const named = note ? note.settings : before?.settings;
  const scored = nextRisk(before, event, adapt(withDefaults(named)));
  const { settings: _last, ...state } = scored.state ?? {};
  return scored.state ? { ...scored, state: { ...(state as RiskState), ...(named && { settings: named }) } } : scored;
}

/** Returns the record to store for a score, or undefined if the state is empty. */
export function recordOf({ state, score, rule }: Pick<RiskScore, 'state' | 'score' | 'rule'>): RiskRecord | undefined {
  return state === undefined || isEmpty(state) ? undefined : { score, rule, state: stateText(state) };
}

interface Replay {
  readonly record: RiskRecord | undefined;
  readonly state: RiskState | undefined;
  /** The newest alerts, including released and expired ones. */
  readonly alerts: readonly NewAlert[];
  readonly total_alerts: number;
}

/** Maximum number of alerts per response; the newest are listed. */
const maxListed = 200;

/**
 * Recomputes the score from the entries of a chain, in order.
 * @param settings settings to use instead of the recorded ones, for a what-if analysis.
 */
export async function replayRisk(
  entries: AsyncIterable<EvidenceEntry> | Iterable<EvidenceEntry>,
  settings?: RiskSettings,
): Promise<Replay> {
  let record: RiskRecord | undefined;
  let total_alerts = 0;
  const alerts: NewAlert[] = [];
  for await (const entry of entries) {
    const event = riskEventOf(entry);
    if (!event) continue;
    const before = stateOf(record);
    const scored = settings ? nextRisk(before, event, settings) : scoreEntry(before, event, entry);
    record = recordOf(scored);
    total_alerts += scored.alerts.length;
    alerts.push(...scored.alerts);
    if (alerts.length > maxListed) alerts.splice(0, alerts.length - maxListed);
  }
  return { record, state: stateOf(record), alerts, total_alerts };
}

/** Converts an entry to an event, or returns undefined if the entry is not relevant to the rules. */
export function riskEventOf(entry: EvidenceEntry, cite: Cite = entry.index): RiskEvent | undefined {
  const { body, kind } = entry;
  const at = Date.parse(entry.timestamp);
  if (kind === 'admin') {
    if (body.action !== releaseAction) return undefined;
    return { cite, at, decision: 'released', signals: [], digest: '' };
  }
  if (kind === 'deny') {
    // On a timeout, no human has refused the call.
    if (body.reason === 'timeout') return undefined;
    return { cite, at, decision: 'denied', signals: [], digest: digestOf(body) };
  }
  const note = noteOf(entry);
  if (note === undefined) return undefined;
  const { signals } = note;
  return { cite, at, decision: note.decided ?? decisionOf(entry), signals, digest: digestOf(body) };
}

function decisionOf({ kind, body }: EvidenceEntry): RiskEvent['decision'] {
  if (kind === 'allow') return body.approval_ref === undefined ? 'allow' : 'approved';
  if (kind === 'review' || kind === 'block') return kind;
  if (kind === 'chat') return body.decision === 'block' ? 'block' : body.decision === 'review' ? 'review' : 'allow';
  // Outcomes carry only signals of refused logins.
  return 'outcome';
}

const digestOf = ({ call_digest, request_sha256 }: EvidenceEntry['body']): string =>
  String(call_digest ?? request_sha256 ?? '').slice(0, 6);

/** Returns the settings recorded by an entry: the defaults with the recorded differences applied. @internal */
export const settingsOf = (entry: EvidenceEntry): RiskSettings => withDefaults(noteOf(entry)?.settings);

const noteOf = ({ body }: EvidenceEntry): BehaviorNote | undefined => body.behavior as BehaviorNote | undefined;

const withDefaults = (named: BehaviorNote['settings']): RiskSettings =>
  named === undefined ? defaultRiskSettings : completed(named);

/** Cached settings, since an entry is scored both for its session and for its key. */
const completed = remembered((named: Members): RiskSettings => mergeSettings(defaultRiskSettings, named));

/**
 * Returns the settings that differ from the defaults and so must be recorded in an entry, or undefined if there are
 * none.
 */
export const differingSettings = remembered((settings: RiskSettings): Members | undefined =>
  difference(settings, defaultRiskSettings),
);

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

const mergeSettings = <T extends object>(usual: T, named: Members): T =>
  Object.fromEntries(
    Object.entries(usual).map(([name, value]) => {
      const other = named[name];
      return [
        name,
        other === undefined ? value : isObject(value) && isObject(other) ? mergeSettings(value, other) : other,
      ];
    }),
  ) as T;

function difference(given: object, usual: object): Members | undefined {
  const differing = Object.entries(given).flatMap(([name, value]) => {
    const other = (usual as Members)[name];
    if (isObject(value) && isObject(other)) {
      const inner = difference(value, other);
      return inner === undefined ? [] : [[name, inner] as const];
    }
    return value === other ? [] : [[name, value] as const];
  });
  return differing.length === 0 ? undefined : Object.fromEntries(differing);
}
