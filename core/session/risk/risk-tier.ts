/** How grave a score of session or key is, in the words of task sheets. */
import type { RiskTier } from '#core/contracts/task-manifest.ts';

/** A session on its way to the kill switch is not a quiet one any more. */
export const tierOfScore = (score: number, killSwitch: number): RiskTier =>
  score >= killSwitch / 2 ? 'high' : score >= killSwitch / 4 ? 'medium' : 'low';
