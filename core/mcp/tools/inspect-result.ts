/**
 * Prepares a server's response for the client: redacts secrets, and marks, removes or withholds content flagged by the
 * guard.
 */

import {
  findingsKey,
  type GuardSettings,
  guardResult,
  type InspectedResult,
  markOf,
  type ResultActions,
  type ResultFinding,
} from '#core/guard/results.ts';
import { asText } from '#core/kernel/as-text.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { redactResult } from './redact-result.ts';
import { bytesMember, bytesOfText, textOfBytes } from './text-bytes.ts';

/** Replaces `mark` with removal: a message, list or form has no place for a mark. */
export const withoutMarks = (guard: GuardSettings): GuardSettings => ({
  ...guard,
  actions: Object.fromEntries(
    Object.entries(guard.actions).map(([kind, action]) => [kind, action === 'mark' ? 'strip' : action]),
  ) as unknown as ResultActions,
});

/**
 * Inspects a response. A response that the guard cannot parse is withheld [guard.fails-closed].
 * @param outcome `{ result }` or `{ error }`.
 * @param secrets secrets minted for the call.
 * @param guard absent if the guard is off for the server.
 */
export function inspectResult(
  outcome: JsonObject,
  secrets: readonly string[],
  guard: GuardSettings | undefined,
): InspectedResult {
  const leaked: ResultFinding[] = [];
  try {
    const redacted = redactResult(
      outcome,
      secrets,
      () => void (guard && leaked.length === 0 && leaked.push(credential(guard))),
    );
    if (!guard) return { outcome: redacted, findings: [] };
    const { value, findings } = guardResult(redacted as Json, { ...guard, bytes: guardedBytes });
    const all = [...leaked, ...findings];
    const blocked = value === undefined || leaked.some(({ action }) => action === 'block');
    return { outcome: blocked ? undefined : markResult(value as JsonObject, all), findings: all };
  } catch {
    return { outcome: undefined, findings: leaked };
  }
}

export const guardedBytes = { memberOf: bytesMember, textOf: textOfBytes, ofText: bytesOfText };

const credential = ({ actions }: GuardSettings): ResultFinding => ({
  kind: 'credential',
  where: 'result',
  severity: 'high',
  action: actions.credential,
  description: 'A token or key of a known format.',
});

/** Adds the mark to the content and the findings to `_meta`, so that structured results still fit their schema. */
export function markResult(outcome: JsonObject, findings: readonly ResultFinding[]): JsonObject {
  const acted = findings.filter(({ action, kind }) => action !== 'log' && kind !== 'credential');
  if (acted.length === 0) return outcome;
  const mark = markOf(findings);
  const { result, error } = outcome;
  if (isObject(error))
    return mark ? { ...outcome, error: { ...error, message: `${mark} ${asText(error.message)}` } } : outcome;
  if (!isObject(result)) return outcome;
  const listed = acted.map(({ kind, where, action }) => ({ kind, where, action }));
  const meta = { ...(isObject(result._meta) && result._meta), [findingsKey]: listed };
  return { ...outcome, result: { ...result, ...(mark && withMark(result, mark)), _meta: meta } };
}

/** Puts the mark before a tool result's content or a resource's contents. */
function withMark({ content, contents }: JsonObject, mark: string): JsonObject {
  if (Array.isArray(content)) return { content: [{ type: 'text', text: mark }, ...content] };
  if (!Array.isArray(contents)) return {};
  const [first] = contents;
  const uri = isObject(first) ? asText(first.uri) : '';
  return { contents: [{ uri, mimeType: 'text/plain', text: mark }, ...contents] };
}
