/**
 * Plays a sequence of calls as the gateway would: with real effect readers, entries sealed into a chain, and the head
 * updated.
 */
import { sqlGrammar } from '#adapters/sql/grammar.ts';
import type { BehaviorSettings } from '#core/contracts/behavior.ts';
import { behaviorSchema } from '#core/contracts/behavior-schema.ts';
import type { EntryKind } from '#core/contracts/entry-kinds.ts';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
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
  /** Whether a human approved the call. */
  readonly approved?: boolean;
  /** Seconds since the previous step; 10 by default. */
  readonly after?: number;
}

export interface Played {
  readonly entries: readonly EvidenceEntry[];
  readonly head: SessionHead | undefined;
  /** Steps (from 0) that the kill switch refused. */
  readonly refused: readonly number[];
  /** The highest score reached. */
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

/** Builds a step for a command line. */
export const sh = (command: string): Step => ({ call: call('shell', 'shell.run', '', 'execute', { command }) });
export const http = (method: string, url: string): Step => ({
  call: call('http', `http.${method}`, url, method === 'get' ? 'read' : 'write'),
});

/** Parses steps in the format of `sequences.yaml`. */
export const stepsOf = (texts: readonly string[]): Step[] =>
  texts.flatMap((text) => {
    const [, count = 1, seconds, mode, kind = '', words = ''] =
      /^(?:(\d+)x )?(?:\+(\d+)s )?(?:(blocked|reviewed|approved) )?(\w+) (.*)$/.exec(text) ?? [];
    return Array.from({ length: Number(count) }, (_, i) => ({
      ...stepOf(kind, words.replaceAll('{i}', String(i))),
      ...(mode === 'blocked' && { decision: 'block' as const }),
      ...(mode === 'reviewed' && { decision: 'review' as const }),
      ...(mode === 'approved' && { approved: true }),
      ...(seconds && { after: Number(seconds) }),
    }));
  });

function stepOf(kind: string, words: string): Step {
  if (kind === 'sh') return sh(words);
  if (kind === 'sql') return { call: call('sql', 'sql.query', '', 'execute', { sql: words }) };
  if (kind !== 'git' && kind !== 'mcp') return http(kind, words);
  const [, tool = '', target = '', rest = '{}'] = /^(\S+) (\S+)(?: (.+))?$/.exec(words) ?? [];
  if (kind === 'mcp') return { call: call('mcp', tool, target, rest) };
  const capability = /^(?:get|list|search)/.test(tool) ? 'read' : /^delete/.test(tool) ? 'delete' : 'write';
  return { call: call('git', `scm.${tool}`, target, capability, JSON.parse(rest)) };
}
