/** Plays a sequence of calls as the gateway would: real readers of effects, entries sealed into a chain, the head moved on. */
import { sqlGrammar } from '#adapters/sql/grammar.ts';
import { type BehaviorSettings, behaviorSchema } from '#core/contracts/behavior.ts';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import type { EntryKind, EvidenceEntry } from '#core/contracts/evidence.ts';
import { gitEffects } from '#core/effects/git.ts';
import { httpEffects } from '#core/effects/http.ts';
import type { EffectReader } from '#core/effects/ports.ts';
import { readEffects } from '#core/effects/read.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { sqlEffects } from '#core/effects/sql.ts';
import { advanceHead, sealEntry } from '#core/evidence/chain.ts';
import type { SessionHead } from '#core/evidence/ports.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { assessAction, blockedBy } from '#core/session/risk/assess.ts';
import { replayRisk } from '#core/session/risk/replay.ts';
import { signalContext } from '#core/session/risk/signals.ts';

export const startMs = Date.UTC(2026, 0, 1, 12);

export interface Step {
  readonly call: ToolCall;
  readonly decision?: Decision;
  /** A human approved it. */
  readonly approved?: boolean;
  /** Seconds after the step before; 10 unless told. */
  readonly after?: number;
}

export interface Played {
  readonly entries: readonly EvidenceEntry[];
  readonly head: SessionHead | undefined;
  /** Steps (from 0) that the kill switch refused. */
  readonly refused: readonly number[];
  /** The highest it ever was. */
  readonly highest: number;
  readonly rules: readonly string[];
}

export async function readers(): Promise<EffectReader> {
  const grammar = await sqlGrammar();
  return readEffects({ shell: shellEffects, sql: sqlEffects(grammar), http: httpEffects, git: gitEffects });
}

export function entryAfter(
  head: SessionHead | undefined,
  kind: EntryKind,
  body: Record<string, unknown>,
  at: number,
): { entry: EvidenceEntry; head: SessionHead } {
  const draft = {
    tenant: 'default',
    session_id: 's1',
    timestamp: new Date(at).toISOString(),
    kind,
    envelope_id: 'e1',
    actor: { key_id: 'k1' },
    body,
  };
  const entry = sealEntry(draft, head);
  return { entry, head: advanceHead(head, entry, 'k1') };
}

export async function play(
  effectsOf: EffectReader,
  steps: readonly Step[],
  given: Partial<BehaviorSettings> = {},
): Promise<Played> {
  const settings = behaviorSchema.parse(given);
  const context = signalContext(settings);
  const entries: EvidenceEntry[] = [];
  const refused: number[] = [];
  let head: SessionHead | undefined;
  let now = startMs;
  let highest = 0;
  steps.forEach(({ call, decision = 'allow', approved = false, after = 10 }, at) => {
    now += after * 1000;
    const standing = { session: head?.risk, key: undefined };
    const before = blockedBy(settings, standing, now);
    const call_digest = digestOf(call);
    const assessed = assessAction({
      settings,
      context,
      standing,
      call: { ...call, call_digest },
      effects: effectsOf(call),
      decision,
      approved,
      nowMs: now,
    });
    const blocked = before ?? assessed?.blocked;
    if (blocked) refused.push(at);
    const kind = blocked ? 'block' : decision;
    const { parameters: _parameters, ...words } = call;
    const body = {
      ...words,
      call_digest,
      matched_rule: blocked?.matched_rule ?? 'rule',
      ...(approved && { approval_ref: 'e0' }),
      ...(!before && assessed && { behavior: assessed.note }),
    };
    const next = entryAfter(head, kind, body, now);
    head = next.head;
    highest = Math.max(highest, head.risk?.score ?? 0);
    entries.push(next.entry);
  });
  const { alerts } = await replayRisk(entries);
  return { entries, head, refused, highest, rules: [...new Set(alerts.map(({ rule }) => rule))] };
}

const call = (protocol: string, tool: string, target: string, capability: string, parameters = {}): ToolCall => ({
  protocol,
  tool,
  target,
  capability,
  parameters,
});

/** A command line. */
export const sh = (command: string): Step => ({ call: call('shell', 'shell.run', '', 'execute', { command }) });
export const sql = (text: string): Step => ({ call: call('sql', 'sql.query', '', 'execute', { sql: text }) });
export const http = (method: string, url: string): Step => ({
  call: call('http', `http.${method}`, url, method === 'get' ? 'read' : 'write'),
});
export const git = (tool: string, repository: string, parameters = {}): Step => ({
  call: call('git', `scm.${tool}`, repository, /^(?:get|list|search)/.test(tool) ? 'read' : 'write', parameters),
});
export const mcp = (tool: string, target: string, capability: string, parameters = {}): Step => ({
  call: call('mcp', tool, target, capability, parameters),
});

export const blocked = (step: Step): Step => ({ ...step, decision: 'block' });
export const reviewed = (step: Step): Step => ({ ...step, decision: 'review' });
export const approved = (step: Step): Step => ({ ...step, approved: true });
export const later = (seconds: number, step: Step): Step => ({ ...step, after: seconds });
export const times = (count: number, step: (i: number) => Step): Step[] =>
  Array.from({ length: count }, (_, i) => step(i));
