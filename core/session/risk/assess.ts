/**
 * The kill switch: checks whether a session or key is blocked, whether this call would cause a block, and what the
 * decision's entry records for the score.
 */
import {
  type BehaviorNote,
  type BehaviorSettings,
  maxCounted,
  type RiskRecord,
  type RiskSettings,
  riskSettingsOf,
  type Signal,
} from '#core/contracts/behavior.ts';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Effects } from '#core/effects/ports.ts';
import { canonicalize } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { remembered } from '#core/kernel/remembered.ts';
import type { KeyRisks } from './ports.ts';
import { differingSettings, recordOf, riskEventOf, scoreEntry } from './replay.ts';
import { type NewAlert, nextRisk, type RiskEvent, type RiskScore, scoreAt } from './score.ts';
import type { SignalContext } from './signals/call.ts';
import { signalOf, signalsOf } from './signals.ts';
import { isEmpty, type RiskState, stateOf } from './state.ts';

/** A caller's risk records, read before its call. */
export interface RiskRecords {
  readonly session: RiskRecord | undefined;
  /** The key's record across all its sessions; undefined for callers that are not scored. */
  readonly key: RiskRecord | undefined;
}

export interface BehaviorBlock {
  /** `behavior:<rule>`. */
  readonly matched_rule: string;
  readonly score: number;
  readonly of: 'session' | 'key';
  readonly reason: string;
}

/**
 * Returns the block if the kill switch has been triggered for the session or its key. Called before any decision,
 * including for chats.
 */
export function blockedBy(settings: BehaviorSettings, standing: RiskRecords, nowMs: number): BehaviorBlock | undefined {
  if (!settings.enabled) return undefined;
  for (const whose of ['session', 'key'] as const) {
    const record = standing[whose];
    if (!record) continue;
    const { score, rule } = scoreNow(settings, record, nowMs);
    if (score >= settings.kill_switch_score) return behaviorBlock(settings, whose, score, rule);
  }
  return undefined;
}

/** Cached settings, since each call needs them several times. */
const numbersOf = remembered(riskSettingsOf);

/** Returns a record's current score. Scores decrease over time. */
function scoreNow(settings: BehaviorSettings, record: RiskRecord, nowMs: number): Pick<RiskRecord, 'score' | 'rule'> {
  const state = stateOf(record);
  return state ? scoreAt(state, nowMs, numbersOf(settings)) : record;
}

/** Returns a caller's current scores, or 0 if there is no record. */
export const scoresOf = (settings: BehaviorSettings, { session, key }: RiskRecords, nowMs: number) => ({
  session: session ? scoreNow(settings, session, nowMs).score : 0,
  key: key ? scoreNow(settings, key, nowMs).score : 0,
});

function behaviorBlock(
  settings: BehaviorSettings,
  whose: BehaviorBlock['of'],
  score: number,
  rule: string,
): BehaviorBlock {
  const who = whose === 'session' ? 'The session' : 'The key';
  return {
    matched_rule: `behavior:${rule}`,
    score,
    of: whose,
    reason: `${who} is blocked: its risk score ${score} has reached ${settings.kill_switch_score}. A human can release it.`,
  };
}

/** Returns the error for a blocked caller: 403 `session_blocked`. */
export const sessionBlocked = (
  { reason, matched_rule, score }: BehaviorBlock,
  more: Record<string, unknown> = {},
): GatewayError =>
  new GatewayError('session_blocked', reason, { data: { decision: 'block', matched_rule, score, ...more } });

interface Assessment {
  /** Member `behavior` in the decision entry's body. */
  readonly note: BehaviorNote;
  /** Set if this call would trigger the kill switch. The call is then blocked together with its session. */
  readonly blocked?: BehaviorBlock;
}

interface RiskInput {
  readonly settings: BehaviorSettings;
  readonly context: SignalContext;
  readonly standing: RiskRecords;
  readonly call: ToolCall & { readonly call_digest: string };
  readonly effects: Effects;
  /** Combined decision of policy, sandbox and manifest. */
  readonly decision: Decision;
  /** True if a human approved exactly this call. */
  readonly approved?: boolean;
  /** Number of full batches of probes that the key has made since the last report. */
  readonly probed?: number;
  readonly nowMs: number;
}

/** Returns how the call would change the score, or undefined if scoring is disabled. */
export function assessAction(assessed: RiskInput): Assessment | undefined {
  const { settings, standing, decision, call, nowMs } = assessed;
  if (!settings.enabled) return undefined;
  const signals = [...signalsOf(call, assessed.effects, decision, assessed.context), ...probesOf(assessed)];
  const numbers = numbersOf(settings);
  const event: RiskEvent = {
    cite: -1,
    at: nowMs,
    decision: assessed.approved ? 'approved' : decision,
    signals,
    digest: call.call_digest.slice(0, 6),
  };
  const note = noteOf(settings, signals);
  for (const whose of ['session', 'key'] as const) {
    const { score, rule } = nextRisk(stateOf(standing[whose]), event, whose === 'key' ? forKeys(numbers) : numbers);
    if (score < settings.kill_switch_score) continue;
    return { note: { ...note, decided: decision }, blocked: behaviorBlock(settings, whose, score, rule) };
  }
  return { note };
}

/** Returns the signal for probing, weighted by the number of full batches of denied dry runs and simulations. */
const probesOf = ({ probed = 0, settings }: RiskInput): Signal[] =>
  probed === 0
    ? []
    : [
        {
          ...signalOf({ kind: 'probed', object: `${probed * settings.repeated_escalation.probes} trial calls` }),
          n: probed,
        },
      ];

/** Returns the note for an event outside of a call: a refused chat, a refused login, or a misused ticket. */
export const noteOfSignal = (settings: BehaviorSettings, kind: Signal['s'], object: string): BehaviorNote =>
  noteOf(settings, [signalOf({ kind, object })]);

/** Adds a signal to a call's note that cannot be derived from the call itself. */
export function noteWith(
  settings: BehaviorSettings,
  note: BehaviorNote | undefined,
  kind: Signal['s'],
  object: string,
): BehaviorNote {
  if (!note) return noteOfSignal(settings, kind, object);
  return { ...note, signals: [...note.signals, signalOf({ kind, object })] };
}

/** Returns the note for a chat blocked by content policy, which counts as a refused attempt. */
export const noteOfBlockedChat = (settings: BehaviorSettings): BehaviorNote =>
  noteOfSignal(settings, 'refused', 'chat');

function noteOf(settings: BehaviorSettings, signals: readonly Signal[]): BehaviorNote {
  const differing = differingSettings(numbersOf(settings));
  return { signals, ...(differing && { settings: differing }) };
}

/**
 * Scales the settings up for keys, since one key serves several sessions. The scaling is limited by the size of the
 * record.
 */
export const forKeys = remembered((settings: RiskSettings): RiskSettings => {
  const scaled = (count: number, most: number): number => Math.min(most, Math.round(count * settings.key_factor));
  const { credential_abuse, destructive_sequence, fan_out, repeated_escalation } = settings;
  return {
    ...settings,
    credential_abuse: {
      ...credential_abuse,
      secrets: scaled(credential_abuse.secrets, maxCounted.secrets),
      failures: scaled(credential_abuse.failures, maxCounted.failures),
    },
    destructive_sequence: {
      ...destructive_sequence,
      deletes: scaled(destructive_sequence.deletes, maxCounted.deletes),
    },
    fan_out: { ...fan_out, places: scaled(fan_out.places, maxCounted.places) },
    repeated_escalation: {
      ...repeated_escalation,
      attempts: scaled(repeated_escalation.attempts, maxCounted.attempts),
      reviews: scaled(repeated_escalation.reviews, maxCounted.reviews),
    },
  };
});

/**
 * Follows up on an appended entry: reports its alerts and updates the key's record. Callers await this before executing
 * the call, so that a new session cannot start in between. Calls the store only if the key's record changes.
 * @param before the session's record before the entry, as far as known.
 * @param scored whether the acting key is scored, as agents' keys are.
 * @throws GatewayError `service_unavailable`.
 */
export async function followRisk(
  ports: { readonly keyRisks?: KeyRisks; readonly telemetry: Pick<Telemetry, 'count' | 'log'> },
  entry: EvidenceEntry,
  { before, key, scored }: { before: RiskRecord | undefined; key: RiskRecord | undefined; scored: boolean },
): Promise<void> {
  const event = riskEventOf(entry);
  if (!event) return;
  for (const alert of scoreEntry(stateOf(before), event, entry).alerts) tell(ports, entry, alert);
  if (!scored || !ports.keyRisks) return;
  const fold = (record: RiskRecord | undefined) => keyRiskAfter(record, entry);
  if (isSameState(keyStateAfter(key, entry), stateOf(key))) return;
  await ports.keyRisks.update(entry.tenant, entry.actor.key_id, fold);
}

/** Returns a key's record after an entry in one of its sessions. */
export function keyRiskAfter(record: RiskRecord | undefined, entry: EvidenceEntry): RiskRecord | undefined {
  const scored = keyScoreAfter(record, entry);
  return scored ? recordOf(scored) : record;
}

/** Returns the same state that `keyRiskAfter` stores, without serialising and parsing it. */
function keyStateAfter(record: RiskRecord | undefined, entry: EvidenceEntry): RiskState | undefined {
  const scored = keyScoreAfter(record, entry);
  return scored ? scored.state : stateOf(record);
}

/** Returns a key's score after an entry, or undefined if the entry does not affect a key. */
function keyScoreAfter(record: RiskRecord | undefined, entry: EvidenceEntry): RiskScore | undefined {
  const event = riskEventOf(entry, `${entry.session_id}#${entry.index}`);
  if (!event || event.decision === 'released') return undefined;
  return scoreEntry(stateOf(record), event, entry, forKeys);
}

function tell(
  { telemetry }: { readonly telemetry: Pick<Telemetry, 'count' | 'log'> },
  { tenant, session_id, envelope_id }: EvidenceEntry,
  { rule, points, cites, reason }: NewAlert,
): void {
  telemetry.count('svc_risk_alerts_total', { rule });
  telemetry.log('warn', 'risk alert', { tenant, session_id, envelope_id, rule, points, cites, reason });
}

/** Reports whether two states are equal. An empty state counts as equal to an absent one. */
function isSameState(one: RiskState | undefined, other: RiskState | undefined): boolean {
  const [a, b] = [stateWithoutBase(one), stateWithoutBase(other)];
  return a === undefined || b === undefined ? a === b : canonicalize(a) === canonicalize(b);
}

const stateWithoutBase = (state: RiskState | undefined): RiskState | undefined =>
  state === undefined || isEmpty(state) ? undefined : { ...state, base: 0 };
