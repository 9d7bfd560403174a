/** Results of tools in the request of a chat, looked over as those of MCP servers are, before the model reads them [guard.chat-results]. */
import type { Finding } from '#core/contracts/chat.ts';
import type { ResultAction, ToolGuard } from '#core/contracts/config/tool-guard.ts';
import type { TextSlot } from '#core/dialects/dialect.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { type GuardedResult, guardResult, markOf, type ResultActions } from '#core/tool-guard/results.ts';
import type { ChatCallState } from '../call-state.ts';
import type { ChatPorts } from '../ports.ts';
import { note, violation } from './input-policy.ts';

const name = 'tool_guard';

/**
 * Texts are marked or stripped in place.
 * @throws GatewayError `policy_violation` for what is to be blocked, and for what cannot be looked over [guard.fails-closed].
 */
export function guardToolResults(ports: ChatPorts, state: ChatCallState, body: JsonObject): void {
  const { call } = state;
  const { chat_results, results: actions } = call.snapshot.configuration.tool_guard;
  if (chat_results === 'off') return;
  const found = new Map<string, Finding>();
  for (const slots of resultsIn(call.wire.requestTexts(body))) {
    const { value, findings } = guarded(
      slots.map(({ text }) => text),
      actions,
    );
    for (const { kind, action } of findings) count(found, kind, chat_results === 'log' ? 'log' : action);
    if (chat_results === 'log' || findings.length === 0 || !Array.isArray(value)) continue;
    const mark = markOf(findings);
    for (const [at, slot] of slots.entries()) {
      const { text } = value[at] as { text: string };
      slot.set(at === 0 && mark ? `${mark}\n${text}` : text);
    }
  }
  if (found.size === 0) return;
  const findings = [...found.values()];
  const blocks = findings.some(({ action }) => action === 'block');
  const decided = blocks
    ? ({ decision: 'block', matched_rule: `content:${name}` } as const)
    : { decision: 'allow' as const };
  note(ports, state, { ...decided, findings });
  if (blocks) throw violation(state, { ...decided, findings });
}

/** Texts of results, those of one turn together: words that only together speak to the model are found in what they make up. */
function resultsIn(slots: readonly TextSlot[]): TextSlot[][] {
  const results = slots.filter(({ kind }) => kind === 'tool_result');
  return Object.values(Object.groupBy(results, ({ group, channel }) => group ?? channel)) as TextSlot[][];
}

/** A conversation is sent again with each turn: what a text came to is remembered by its digest, under the actions in force. */
const remembered = new WeakMap<ResultActions, RecentMap<string, GuardedResult>>();
const maxRemembered = 2_000;

function guarded(texts: readonly string[], actions: ToolGuard['results']): GuardedResult {
  const known = remembered.get(actions) ?? new RecentMap<string, GuardedResult>({ max: maxRemembered });
  remembered.set(actions, known);
  const digest = sha256(texts.map((text) => `${text.length} ${text}`).join('\n'));
  const result = known.get(digest) ?? looked(texts, actions);
  known.set(digest, result);
  return result;
}

function looked(texts: readonly string[], actions: ToolGuard['results']): GuardedResult {
  const blocks: Json[] = texts.map((text) => ({ type: 'text', text }));
  const { value, findings } = guardResult(blocks, { actions, bytes: noBytes });
  // Findings are counted by kind; places are of no use to who reads the entry.
  return { value, findings: findings.map((finding) => ({ ...finding, where: 'result' })) };
}

const noBytes = { memberOf: () => undefined, textOf: () => undefined, ofText: (base64: string) => base64 };

const actionOf: Readonly<Record<ResultAction, Finding['action']>> = {
  ...{ log: 'log', mark: 'warn', strip: 'redact', block: 'block' },
};

function count(found: Map<string, Finding>, kind: string, action: ResultAction): void {
  const key = `${kind} ${action}`;
  const before = found.get(key);
  found.set(key, {
    ...{ policy: name, type: name, action: actionOf[action], phase: 'input', detail: kind },
    count: (before?.count ?? 0) + 1,
  });
}
