/**
 * Risk as the evidence tells it: what one entry does to a record, and the same over a whole chain. The head of a session is
 * kept by this same function as its entries are appended, so the score of any chain can be worked out again.
 */
import {
  type BehaviorNote,
  defaultRiskSettings,
  type RiskRecord,
  type RiskSettings,
} from '#core/contracts/behavior.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { remembered } from '#core/kernel/remembered.ts';
import { type NewAlert, nextRisk, type RiskEvent, type Scored } from './score.ts';
import { type Cite, isEmpty, type RiskState, stateOf, stateText } from './state.ts';

/** The action of the entry that ends what was counted against a session. */
export const releaseAction = 'session.release';

/** The record after an entry; the same record where the entry does not touch it. */
export function riskAfter(record: RiskRecord | undefined, entry: EvidenceEntry): RiskRecord | undefined {
  const event = riskEventOf(entry);
  if (!event) return record;
  if (event.decision === 'released') return undefined;
  return recordOf(scoreEntry(stateOf(record), event, entry));
}

/**
 * Scores one entry by the numbers it names.
 * @param adapt what else becomes of the numbers: those of a key are larger.
 */
export function scoreEntry(
  before: RiskState | undefined,
  event: RiskEvent,
  entry: EvidenceEntry,
  adapt: (settings: RiskSettings) => RiskSettings = (settings) => settings,
): Scored {
  const note = noteOf(entry);
  const named = note ? note.settings : before?.settings;
  const scored = nextRisk(before, event, adapt(withDefaults(named)));
  const { settings: _last, ...state } = scored.state ?? {};
  return scored.state ? { ...scored, state: { ...(state as RiskState), ...(named && { settings: named }) } } : scored;
}

/** What is kept of a score; undefined where nothing is remembered. */
export function recordOf({ state, score, rule }: Pick<Scored, 'state' | 'score' | 'rule'>): RiskRecord | undefined {
  return state === undefined || isEmpty(state) ? undefined : { score, rule, state: stateText(state) };
}

interface Replay {
  readonly record: RiskRecord | undefined;
  readonly state: RiskState | undefined;
  /** Everything that ever brought points, released or faded since. */
  readonly alerts: readonly NewAlert[];
  readonly total_alerts: number;
}

/** As many alerts as an answer lists; the newest. */
const maxListed = 200;

/**
 * Works the score out again from the entries of a chain, in order.
 * @param settings other numbers than those the entries were scored with: what would have been.
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

/** What an entry is to the rules; undefined for one that is nothing to them. */
export function riskEventOf(entry: EvidenceEntry, cite: Cite = entry.index): RiskEvent | undefined {
  const { body, kind } = entry;
  const at = Date.parse(entry.timestamp);
  if (kind === 'admin') {
    if (body.action !== releaseAction) return undefined;
    return { cite, at, decision: 'released', signals: [], digest: '' };
  }
  if (kind === 'deny') {
    // Time ran out: no human refused anything.
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
  // Outcomes report refused logins only.
  return 'outcome';
}

const digestOf = ({ call_digest, request_sha256 }: EvidenceEntry['body']): string =>
  String(call_digest ?? request_sha256 ?? '').slice(0, 6);

/** The numbers an entry names: the defaults, but for what differs. */
export const settingsOf = (entry: EvidenceEntry): RiskSettings => withDefaults(noteOf(entry)?.settings);

const noteOf = ({ body }: EvidenceEntry): BehaviorNote | undefined => body.behavior as BehaviorNote | undefined;

const withDefaults = (named: BehaviorNote['settings']): RiskSettings =>
  named === undefined ? defaultRiskSettings : completed(named);

/** An entry is scored for its session and for its key. */
const completed = remembered((named: Members): RiskSettings => merged(defaultRiskSettings, named));

/** What differs from the defaults, for an entry to carry; undefined for nothing. */
export const differingSettings = remembered((settings: RiskSettings): Members | undefined =>
  difference(settings, defaultRiskSettings),
);

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

const merged = <T extends object>(usual: T, named: Members): T =>
  Object.fromEntries(
    Object.entries(usual).map(([name, value]) => {
      const other = named[name];
      return [name, other === undefined ? value : isObject(value) && isObject(other) ? merged(value, other) : other];
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
