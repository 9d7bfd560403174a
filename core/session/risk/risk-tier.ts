/** Converts risk scores to the tiers used by task sheets. */
import type { RiskTier } from '#core/contracts/task-manifest.ts';

/** Returns the tier of a score: `high` from half of the kill-switch score, `medium` from a quarter of it. */
export const tierOfScore = (score: number, killSwitch: number): RiskTier =>
  score >= killSwitch / 2 ? 'high' : score >= killSwitch / 4 ? 'medium' : 'low';
