/** What a worker thread does: filters over large texts, effects of large calls. Loaded when the first of its kind comes. */
import type { CheckedTexts, TextJob } from '#core/content-policy/text-work.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';

export type Job =
  | { readonly kind: 'texts'; readonly job: TextJob }
  | { readonly kind: 'effects'; readonly call: ToolCall };

export type Done = { readonly value: CheckedTexts | Effects } | { readonly error: string };

export async function done(job: Job): Promise<Done> {
  try {
    return { value: await resultOf(job) };
  } catch (thrown) {
    return { error: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

async function resultOf(job: Job): Promise<CheckedTexts | Effects> {
  if (job.kind === 'effects') return (await import('../sql/effect-reader.ts')).readCallEffects(job.call);
  return (await import('#core/content-policy/check-texts.ts')).checkTexts(job.job);
}
