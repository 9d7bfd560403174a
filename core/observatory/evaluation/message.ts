/** What an evaluator gets of a call, and what it answers [evaluation.webhook]. Pure. */
import * as z from 'zod';
import { sha256 } from '#core/kernel/canonical.ts';
import { describeIssue } from '#core/kernel/issue-words.ts';
import { masked } from '#core/text/secrets/masked.ts';

/** The body of the webhook. Secrets of recognised formats are taken out of both texts. */
export interface EvaluationMessage {
  readonly request_id: string;
  readonly tenant: string;
  readonly session_id: string;
  /** As aliases resolved it. */
  readonly model: string;
  readonly provider: string | null;
  readonly prompt: string;
  readonly response: string;
  /** Whether either text was longer. */
  readonly truncated: boolean;
  readonly latency_ms: number;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly finish_reason: string | null;
  /** Hash of the call's entry in evidence. */
  readonly evidence_hash: string;
  /** W3C trace context; null where nothing is traced. */
  readonly traceparent: string | null;
}

/** Whether a call belongs to the share, 0 to 1. By its id: every process says the same, and callers cannot choose. */
export const isSampled = (envelopeId: string, rate: number): boolean =>
  rate > 0 && Number.parseInt(sha256(`sampled:${envelopeId}`).slice(0, 12), 16) / 2 ** 48 < rate;

/** A secret that begins before the cut is recognised whole. */
const margin = 4_096;

/**
 * The beginning of a text without its secrets.
 * @param most code points that are kept: a character outside of the basic plane is never cut in two
 */
export function excerptOf(text: string, most: number): { readonly text: string; readonly truncated: boolean } {
  const shown = masked(text.slice(0, 2 * most + margin).toWellFormed(), '[redacted]');
  const points = [...shown.slice(0, 2 * most)];
  const kept = points.slice(0, most).join('');
  return { text: kept, truncated: kept.length < shown.length || text.length > 2 * most + margin };
}

/** What an evaluator thinks of a call. */
export interface Score {
  readonly score?: number;
  readonly labels?: readonly string[];
  readonly feedback?: string;
}

const furthest = 1_000_000;
const reply = z.object({
  score: z.number().min(-furthest).max(furthest).optional(),
  labels: z.array(z.string().min(1).max(64)).max(20).optional(),
  feedback: z
    .string()
    .transform((text) => excerptOf(text, 2_000).text)
    .optional(),
});

/**
 * Reads an evaluator's answer; other members are left aside.
 * @returns undefined where it says nothing: no JSON object, or none of the members
 * @throws Error for a member that is not what it should be
 */
export function scoreOf(text: string): Score | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const read = reply.safeParse(value, { error: describeIssue });
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Error(`the evaluator's reply has a wrong ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { score, labels, feedback } = read.data;
  const said = {
    ...(score !== undefined && { score }),
    ...(labels && labels.length > 0 && { labels }),
    ...(feedback && { feedback }),
  };
  return Object.keys(said).length > 0 ? said : undefined;
}
