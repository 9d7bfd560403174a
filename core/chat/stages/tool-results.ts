/**
 * Checks tool results and definitions in chat requests, like those from MCP servers, before the model reads them
 * [guard.chat].
 */

import type { Finding } from '#core/contracts/chat.ts';
import type { ResultAction, ToolGuard } from '#core/contracts/config/tool-guard.ts';
import { checkDefinition } from '#core/guard/definitions.ts';
import type { DefinitionKind } from '#core/guard/finding.ts';
import { type GuardedResult, guardResult, markOf, type ResultActions } from '#core/guard/results.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, objectsOf } from '#core/kernel/narrow.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import { remembered } from '#core/kernel/remembered.ts';
import type { Verdict } from '#core/models/content-policy/ports.ts';
import type { TextSlot } from '#core/models/dialects/dialect.ts';
import type { ChatCall } from '../call.ts';
import type { ScreenedCall } from '../call-stages.ts';
import type { ChatPorts } from '../ports.ts';
import { blockFailure, countFindings } from './input-policy.ts';

const name = 'tool_guard';

/**
 * Checks tools and marks or strips text in place.
 * @throws GatewayError `policy_violation` for content that must be blocked or cannot be checked [guard.fails-closed].
 */
export function guardTools(ports: ChatPorts, screened: ScreenedCall): ScreenedCall {
  const findings = lookAtTools(screened.call, screened.body);
  if (findings.length === 0) return screened;
  const verdict = verdictOf(findings);
  countFindings(ports, verdict);
  const { inputVerdict } = screened;
  const all = [...inputVerdict.findings, ...findings];
  if (verdict.decision !== 'block') return { ...screened, inputVerdict: { ...inputVerdict, findings: all } };
  throw blockFailure({ ...screened, inputVerdict: { ...verdict, findings: all } }, verdict);
}

export function verdictOf(findings: readonly Finding[]): Verdict {
  const blocks = findings.some(({ action }) => action === 'block');
  return blocks ? { decision: 'block', matched_rule: `content:${name}`, findings } : { decision: 'allow', findings };
}

/** Returns the findings in one request, and marks or strips its tool results in place. */
export function lookAtTools({ snapshot, wire }: ChatCall, body: JsonObject): readonly Finding[] {
  const { chat_results, chat_definitions, results, definitions } = snapshot.configuration.tool_guard;
  const { secret_files: secretFiles } = snapshot.configuration.catalog;
  const found = new Map<string, Finding>();
  if (chat_definitions !== 'off')
    for (const kind of definitionKindsIn(body, secretFiles)) {
      const acts = chat_definitions === 'on' && definitions[kind] !== 'log';
      count(found, `definition:${kind}`, acts ? 'block' : 'log');
    }
  if (chat_results === 'off') return [...found.values()];
  for (const slots of resultsIn(wire.requestTexts(body))) {
    const { value, findings } = guarded(
      slots.map(({ text }) => text),
      { actions: results, secretFiles },
    );
    for (const { kind, action } of findings) count(found, kind, chat_results === 'log' ? 'log' : action);
    if (chat_results === 'log' || findings.length === 0 || !Array.isArray(value)) continue;
    const mark = markOf(findings);
    for (const [at, slot] of slots.entries()) {
      const { text } = value[at] as { text: string };
      slot.set(at === 0 && mark ? `${mark}\n${text}` : text);
    }
  }
  return [...found.values()];
}

/** Returns the kinds of findings in tool definitions, once per tool. */
function definitionKindsIn(
  { tools, functions }: JsonObject,
  secretFiles: readonly string[],
): readonly DefinitionKind[] {
  const seen = definitionsUnder(secretFiles);
  return [...objectsOf(tools), ...objectsOf(functions)].flatMap((tool) => {
    const { name, description, parameters, input_schema } = isObject(tool.function) ? tool.function : tool;
    const definition = { name, description, inputSchema: parameters ?? input_schema };
    const digest = sha256(JSON.stringify(definition));
    const kinds = seen.get(digest) ?? kindsOf(definition as JsonObject, secretFiles);
    seen.set(digest, kinds);
    return kinds;
  });
}

const kindsOf = (definition: JsonObject, secretFiles: readonly string[]): readonly DefinitionKind[] => [
  ...new Set(
    checkDefinition(definition, secretFiles).flatMap(({ kind, severity }) => (severity === 'low' ? [] : [kind])),
  ),
];

/**
 * Returns the text slots of tool results, grouped by turn, so that instructions split over several results are found.
 */
function resultsIn(slots: readonly TextSlot[]): TextSlot[][] {
  const results = slots.filter(({ kind }) => kind === 'tool_result');
  return Object.values(Object.groupBy(results, ({ group, channel }) => group ?? channel)) as TextSlot[][];
}

/**
 * Maximum number of texts whose check results are cached, by digest and active actions. Caching helps because a
 * conversation is sent again with each turn.
 */
const maxRemembered = 2_000;
const resultsUnder = remembered(
  (_actions: ResultActions) => new RecentMap<string, GuardedResult>({ max: maxRemembered }),
);
const definitionsUnder = remembered(
  (_secretFiles: readonly string[]) => new RecentMap<string, readonly DefinitionKind[]>({ max: maxRemembered }),
);

type ResultGuard = { readonly actions: ToolGuard['results']; readonly secretFiles: readonly string[] };

function guarded(texts: readonly string[], guarding: ResultGuard): GuardedResult {
  // The actions belong to one configuration, and therefore to one list of files.
  const known = resultsUnder(guarding.actions);
  const digest = sha256(texts.map((text) => `${text.length} ${text}`).join('\n'));
  const result = known.get(digest) ?? guardTexts(texts, guarding);
  known.set(digest, result);
  return result;
}

function guardTexts(texts: readonly string[], guarding: ResultGuard): GuardedResult {
  const blocks: Json[] = texts.map((text) => ({ type: 'text', text }));
  const { value, findings } = guardResult(blocks, { ...guarding, bytes: noBytes });
  // Findings are counted by kind; their positions do not help readers of the entry.
  return { value, findings: findings.map((finding) => ({ ...finding, where: 'result' })) };
}

const noBytes = { memberOf: () => undefined, textOf: () => undefined, ofText: (base64: string) => base64 };

const actionOf: Readonly<Record<ResultAction, Finding['action']>> = {
  log: 'log',
  mark: 'warn',
  strip: 'redact',
  block: 'block',
};

function count(found: Map<string, Finding>, kind: string, action: ResultAction): void {
  const key = `${kind} ${action}`;
  const before = found.get(key);
  found.set(key, {
    policy: name,
    type: name,
    action: actionOf[action],
    phase: 'input',
    detail: kind,
    count: (before?.count ?? 0) + 1,
  });
}
