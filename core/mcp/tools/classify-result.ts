/** Classifies results that passed the guard's rules: marks them, removes text or withholds them [guard.classifier]. */

import type { ResultAction } from '#core/contracts/config/tool-guard.ts';
import type { ClassifierSettings } from '#core/contracts/config/tool-guard-classifier.ts';
import type { Classification, Classify } from '#core/guard/classifier/ports.ts';
import { textsIn, withoutTexts } from '#core/guard/classifier/texts.ts';
import { type InspectedResult, markOf, type ResultFinding } from '#core/guard/results.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { guardedBytes, markResult } from './inspect-result.ts';

export interface ResultClassifier {
  readonly ask: Classify;
  readonly action: ResultAction;
  readonly onError: ClassifierSettings['on_error'];
}

export interface ClassifiedResult extends InspectedResult {
  /** Absent if there was no text to classify, or the entire result is withheld. */
  readonly judged?: Classification;
}

/**
 * Classifies a result. Never throws: if the classifier fails, `onError` determines the outcome [guard.fails-closed].
 */
export async function classifyResult(
  looked: InspectedResult,
  { ask, action, onError }: ResultClassifier,
  signal: AbortSignal,
): Promise<ClassifiedResult> {
  if (looked.outcome === undefined) return looked;
  const answer = withoutMark(looked.outcome, markOf(looked.findings));
  const text = joinedTexts(answer);
  if (text === '') return looked;
  const judged = await ask(text, signal);
  if ('error' in judged) return onError === 'log' ? { ...looked, judged } : { ...looked, outcome: undefined, judged };
  if (!judged.flagged) return { ...looked, judged };
  const findings = [...looked.findings, classifiedFinding(action)];
  const kept = action === 'strip' ? await stripText(answer, ask, signal) : answer;
  const passes = action !== 'block' && kept !== undefined;
  return { outcome: passes ? markResult(kept, findings) : undefined, findings, judged };
}

const joinedTexts = (answer: JsonObject): string => {
  const { result, error } = answer;
  return textsIn((isObject(error) ? error : (result ?? null)) as Json, guardedBytes).join('\n');
};

/**
 * Removes strings that contain whitespace and keeps single words. Returns undefined if the classifier still flags the
 * rest.
 */
async function stripText(answer: JsonObject, ask: Classify, signal: AbortSignal): Promise<JsonObject | undefined> {
  const { result, error } = answer;
  const rest = isObject(error)
    ? { ...answer, error: withoutTexts(error, guardedBytes) }
    : { ...answer, result: withoutTexts(result ?? null, guardedBytes) };
  const left = await ask(joinedTexts(rest), signal);
  return 'error' in left || left.flagged ? undefined : rest;
}

const classifiedFinding = (action: ResultAction): ResultFinding => ({
  kind: 'classified',
  where: 'result',
  severity: 'high',
  action,
  description: 'The configured classifier scored the text at its threshold or above.',
});

/** Removes the gateway's own mark before classification, because it is not the server's text. */
function withoutMark(outcome: JsonObject, mark: string | undefined): JsonObject {
  const { result, error } = outcome;
  if (mark === undefined) return outcome;
  if (isObject(error) && typeof error.message === 'string' && error.message.startsWith(`${mark} `))
    return { ...outcome, error: { ...error, message: error.message.slice(mark.length + 1) } };
  if (!isObject(result) || !Array.isArray(result.content)) return outcome;
  const [first, ...others] = result.content;
  const isOurs = isObject(first) && first.type === 'text' && first.text === mark;
  return isOurs ? { ...outcome, result: { ...result, content: others } } : outcome;
}
