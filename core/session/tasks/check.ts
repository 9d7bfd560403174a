/**
 * Manifest drift: every way in which a call departs from its declared tasks. `warn` records it, `review` requires an
 * approval, `enforce` blocks the call. All manifests apply, so an additional one can only narrow the limits.
 */

import type { BehaviorSettings, Signal } from '#core/contracts/behavior.ts';
import type { Drift, DriftKind } from '#core/contracts/drift.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { type RiskTier, riskTiers, type TaskManifest } from '#core/contracts/task-manifest.ts';
import type { Effects } from '#core/effects/ports.ts';
import { readingsOf } from '#core/policy/rules/normalise.ts';
import { tierOfScore } from '#core/session/risk/risk-tier.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { compileGlob, globMatches } from '#core/text/matching/glob.ts';
import { driftKey, shortenValue } from './accepted.ts';
import type { AttachedManifests } from './ports.ts';
import { recipientsOf } from './recipients.ts';

/** A session's history so far. */
export interface TaskHistory {
  /** Number of actions allowed before this one. */
  readonly actions: number;
  /** Cost of the session's model calls in micro-dollars. */
  readonly spent_microusd: number;
  /** Current risk score. */
  readonly score: number;
  /** Keys of drift that a human accepted in the session. Such drift counts as declared. */
  readonly accepted?: readonly string[] | undefined;
}

interface TaskCall {
  readonly call: ToolCall;
  readonly effects: Effects;
  readonly session: string;
  readonly key_id: string;
  /** Signals of the call, as determined for session risk. */
  readonly signals: readonly Signal[];
}

/** Returns a call's drift from one manifest. Empty if the call complies with it. */
export function checkManifest(
  manifest: TaskManifest,
  asked: TaskCall,
  history: TaskHistory,
  settings: Pick<BehaviorSettings, 'kill_switch_score'>,
  nowMs: number,
): Drift[] {
  const found: Drift[] = [];
  const add = (kind: DriftKind, what: string, allowed: string): void => {
    found.push({ manifest_id: manifest.id, kind, found: what, allowed });
  };
  checkAttachment(manifest, asked, add);
  if (Date.parse(manifest.expires_at) <= nowMs)
    add('expired', 'a call after its expiry', `until ${manifest.expires_at}`);
  const accepts = (kind: DriftKind, what: string): boolean => {
    const key = driftKey({ manifest_id: manifest.id, kind, found: what });
    return key !== undefined && (history.accepted ?? []).includes(key);
  };
  checkCalls(manifest, asked, add, accepts);

  const { max_actions, budget_usd } = manifest;
  if (max_actions !== undefined && history.actions >= max_actions)
    add('count', `action ${history.actions + 1}`, `${max_actions} actions`);
  if (budget_usd !== undefined && history.spent_microusd >= budget_usd * 1_000_000)
    add('budget', `${history.spent_microusd / 1_000_000} USD spent`, `${budget_usd} USD`);
  const tier = worstTier(tierOfCall(asked.signals), tierOfScore(history.score, settings.kill_switch_score));
  if (riskTiers.indexOf(tier) > riskTiers.indexOf(manifest.risk_tier))
    add('risk_tier', tier, `at most ${manifest.risk_tier}`);
  return found;
}

/** Limit per entry. */
const maxDrift = 16;

/** Returns a call's drift from all manifests that apply to it. */
export function checkManifests(
  attached: AttachedManifests,
  asked: TaskCall,
  history: TaskHistory,
  settings: Pick<BehaviorSettings, 'kill_switch_score'>,
  nowMs: number,
): Drift[] {
  const { manifests, unknown } = attached;
  const none: Drift[] =
    unknown === undefined
      ? []
      : [{ manifest_id: unknown, kind: 'unknown', found: unknown, allowed: 'a manifest of this tenant' }];
  return [...none, ...manifests.flatMap((manifest) => checkManifest(manifest, asked, history, settings, nowMs))].slice(
    0,
    maxDrift,
  );
}

type AddDrift = (kind: DriftKind, found: string, allowed: string) => void;
type DriftFilter = (kind: DriftKind, found: string) => boolean;

/** Checks whether a manifest was made for this session and key, because a call may name any manifest. */
function checkAttachment({ sessions, key_id }: TaskManifest, asked: TaskCall, add: AddDrift): void {
  if (sessions && !sessions.includes(asked.session)) add('attachment', `session ${asked.session}`, sessions.join(', '));
  if (key_id !== undefined && key_id !== asked.key_id) add('attachment', `key ${asked.key_id}`, key_id);
}

/**
 * Maximum number of items of one kind that a person is shown at the same time. Additional items need approval with a
 * later call.
 */
const maxNamed = 8;

/** Checks the parts of a call, and the call itself unless it is only a carrier for them. */
function checkCalls(manifest: TaskManifest, { call, effects }: TaskCall, add: AddDrift, accepts: DriftFilter): void {
  const { parts, carrier, unclear } = effects;
  const calls = carrier && parts.length > 0 ? parts : [call, ...parts];
  const verbs = parts.length > 0 && unclear === undefined ? parts : [call, ...parts];
  // Names each item, so that it needs to be accepted only once.
  const addEach = (kind: DriftKind, outside: readonly string[], allowed: string) => {
    const named = new Set(outside.filter((name) => !accepts(kind, name)).map(shortenValue));
    for (const name of [...named].slice(0, maxNamed)) add(kind, name, allowed);
  };
  const check = (
    kind: DriftKind,
    among: readonly ToolCall[],
    fits: (one: ToolCall) => boolean,
    allowed: readonly string[],
    name: (one: ToolCall) => string,
  ) => addEach(kind, among.filter((one) => !fits(one)).map(name), allowed.join(', '));
  const { protocols, tools, resources, capabilities, recipients } = manifest;
  if (protocols)
    check(
      'protocol',
      calls,
      ({ protocol }) => isOneOf(protocols, protocol),
      protocols,
      (one) => one.protocol,
    );
  if (tools)
    check(
      'tool',
      calls,
      (one) => fitsInAllReadings(one, (call) => tools.some((glob) => globMatches(glob, call.tool))),
      tools,
      (one) => one.tool,
    );
  if (resources) {
    const globs = resources.map((resource) => compileGlob(resource, 'text'));
    const fits = (one: ToolCall) => fitsInAllReadings(one, ({ target }) => globs.some((glob) => glob.matches(target)));
    // A message has no target. It is checked against the list of recipients instead.
    const isMessage = (one: ToolCall) =>
      one.target === '' && recipients !== undefined && recipientsOf([one]).found.length > 0;
    check('resource', calls, (one) => isMessage(one) || fits(one), resources, nameOfResource);
  }
  if (capabilities)
    check(
      'capability',
      verbs,
      ({ capability }) => isOneOf(capabilities, capability),
      capabilities,
      (one) => one.capability,
    );
  if (recipients) {
    const { found, unread } = recipientsOf([call, ...parts]);
    const fits = isRecipient(recipients);
    addEach(
      'recipient',
      found.filter((one) => !fits(one)),
      recipients.join(', ') || 'no recipient',
    );
    if (unread) add('unclear', 'more arguments than the gateway checks', 'calls whose recipients can be determined');
  }
  const limits = protocols ?? tools ?? resources ?? capabilities;
  if (unclear !== undefined && limits) add('unclear', unclear, 'calls whose effects can be determined');
}

/**
 * Returns the name of a call's resource. Without a target, the name includes the tool, so that accepting one tool does
 * not cover another.
 */
const nameOfResource = ({ tool, target }: ToolCall): string => (target === '' ? `${tool} without a target` : target);

/** Returns a case-insensitive check for recipients. Look-alike letters do not match each other. */
function isRecipient(recipients: readonly string[]): (one: string) => boolean {
  const globs = recipients.map((glob) => compileGlob(glob.toLowerCase(), 'text'));
  return (one) => globs.some((glob) => glob.matches(one.toLowerCase()));
}

const isOneOf = (words: readonly string[], word: string): boolean =>
  words.some((each) => foldCase(each).trim() === foldCase(word).trim());

/** Checks whether a call fits in every way that a tool could interpret it. */
function fitsInAllReadings(call: ToolCall, fits: (call: ToolCall) => boolean): boolean {
  try {
    return readingsOf(call, false).every(fits);
  } catch {
    return false;
  }
}

const worstTier = (a: RiskTier, b: RiskTier): RiskTier => (riskTiers.indexOf(a) >= riskTiers.indexOf(b) ? a : b);

/** Returns a call's risk tier, based on its signals. */
function tierOfCall(signals: readonly Signal[]): RiskTier {
  const has = (...kinds: Signal['s'][]) => signals.some(({ s }) => kinds.includes(s));
  if (has('privilege', 'secret') || signals.some(({ s, n = 1 }) => s === 'destroy' && n >= 3)) return 'high';
  return has('destroy', 'sink', 'personal', 'sudo') ? 'medium' : 'low';
}
