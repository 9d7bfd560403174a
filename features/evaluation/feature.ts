/** Sends a sample of chat calls to an evaluator. Its documentation page is docs/how-to/evaluate-answers.md. */
import type { Feature } from '../feature.ts';

export const feature = { channels: { evaluation: () => import('./notifier.ts') } } satisfies Feature;
