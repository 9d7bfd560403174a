/** Finds drift in a session's evidence, including drift from manifests declared later. */

import type { BehaviorNote, RiskRecord } from '#core/contracts/behavior.ts';
import { behaviorSchema } from '#core/contracts/behavior-schema.ts';
import type { Drift } from '#core/contracts/drift.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { EffectSummary, TaskManifest } from '#core/contracts/task-manifest.ts';
import type { Effects } from '#core/effects/ports.ts';
import { riskAfter } from '#core/session/risk/replay.ts';
import { mask } from '#core/text/secrets/masked.ts';
import { checkManifest, type TaskHistory } from './check.ts';
import { maxTarget } from './decide-manifests.ts';

interface DriftedEntry {
  readonly index: number;
  readonly timestamp: string;
  readonly envelope_id: string;
  readonly decision: string;
  readonly tool: string;
  readonly target: string;
  readonly drift: readonly Drift[];
}

interface DriftReport {
  readonly session_id: string;
  /** Number of entries read, including those for actions. */
  readonly entries: number;
  readonly actions: number;
  readonly drifted: readonly DriftedEntry[];
  readonly total_drifted: number;
  /**
   * Number of actions whose target or effects are withheld or shortened in evidence. Only the available part was
   * checked.
   */
  readonly partly_checked: number;
}

/** Maximum number of actions with drift per response. */
const maxListed = 200;

/** Default settings, used only for the kill-switch score that defines the risk tiers. */
const standardBehavior = behaviorSchema.parse({});

/**
 * Returns a session's drift from a manifest.
 * @param manifest manifest to compare with, as if it had been attached since the session's first entry.
 */
export async function replayDrift(
  manifest: TaskManifest,
  sessionId: string,
  entries: AsyncIterable<EvidenceEntry> | Iterable<EvidenceEntry>,
  settings = standardBehavior,
): Promise<DriftReport> {
  let [seen, actions, total_drifted, partly_checked] = [0, 0, 0, 0];
  let history: TaskHistory = { actions: 0, spent_microusd: 0, score: 0 };
  let risk: RiskRecord | undefined;
  const drifted: DriftedEntry[] = [];
  for await (const entry of entries) {
    seen++;
    const asked = actionOf(entry, manifest.recipients !== undefined);
    if (asked) {
      actions++;
      if (asked.partly) partly_checked++;
      const now = Date.parse(entry.timestamp);
      const call = { ...asked, session: sessionId, key_id: entry.actor.key_id };
      const drift = checkManifest(manifest, call, history, settings, now);
      if (drift.length > 0) {
        total_drifted++;
        if (drifted.length < maxListed) drifted.push(lineOf(entry, asked.call, drift));
      }
    }
    risk = riskAfter(risk, entry);
    history = {
      actions: history.actions + (entry.kind === 'allow' ? 1 : 0),
      spent_microusd: history.spent_microusd + costOf(entry),
      score: risk?.score ?? 0,
    };
  }
  return { session_id: sessionId, entries: seen, actions, drifted, total_drifted, partly_checked };
}

const lineOf = (entry: EvidenceEntry, { tool, target }: ToolCall, drift: readonly Drift[]): DriftedEntry => ({
  index: entry.index,
  timestamp: entry.timestamp,
  envelope_id: entry.envelope_id,
  decision: entry.kind,
  tool,
  target,
  drift,
});

/** Returns the call described by a decision entry, as far as evidence records it. */
function actionOf({ kind, body }: EvidenceEntry, withArguments: boolean) {
  if (kind !== 'allow' && kind !== 'block' && kind !== 'review') return undefined;
  const { protocol, tool, capability, target, upstream, withheld = [] } = body as Readonly<Record<string, unknown>>;
  // A held chat does not count as an action.
  if (typeof protocol !== 'string' || typeof tool !== 'string' || typeof capability !== 'string') return undefined;
  const parts = withArguments ? /^\$?\.?(?:target|effects|parameters|sent_with)\b/ : /^\$?\.?(?:target|effects)\b/;
  const hidden = (withheld as readonly unknown[]).some((path) => parts.test(String(path)));
  const parameters = body.parameters as ToolCall['parameters'] | undefined;
  const call: ToolCall = {
    protocol,
    tool,
    capability,
    target: typeof target === 'string' ? target : '',
    ...(typeof upstream === 'string' && { upstream }),
    parameters: parameters ?? {},
    ...(body.sent_with !== undefined && { sent_with: body.sent_with as Record<string, unknown> }),
  };
  const summary = (body.effects ?? []) as readonly EffectSummary[];
  const unclear = body.unclear as string | undefined;
  const effects: Effects = {
    parts: summary.map(({ t, c, x }) => ({ protocol, tool: t, capability: c, target: x, parameters: {} })),
    carrier: body.carrier === true,
    ...(unclear !== undefined && { unclear }),
  };
  const signals = (body.behavior as BehaviorNote | undefined)?.signals ?? [];
  return {
    call,
    effects,
    signals,
    partly:
      hidden ||
      body.effects_left_out !== undefined ||
      summary.some(({ x }) => x.length >= maxTarget || x.includes(mask)),
  };
}

const costOf = ({ kind, body }: EvidenceEntry): number =>
  kind === 'chat' && typeof body.cost_microusd === 'number' ? body.cost_microusd : 0;
