/** Parses an evaluator's response [evaluation.webhook]. */
import * as z from 'zod';
import { describeIssue } from '#core/kernel/issue-words.ts';
import type { Score } from '#core/observatory/evaluation/score.ts';
import { excerptOf } from './excerpt.ts';

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
 * Parses an evaluator's response. Ignores other members.
 * @returns undefined if there is no JSON object, or if the object has none of the members
 * @throws Error for an invalid member
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
