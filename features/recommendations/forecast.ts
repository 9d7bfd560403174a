/**
 * Forecasts the spend at the end of a budget's period from recent days [budget.forecast]. Each weekday has a mean from
 * which days deviate, and the interval covers four out of five periods.
 */

export interface DaySpend {
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly usd: number;
}

interface Forecast {
  readonly projected_usd: number;
  /** Lower end of the 80 % interval. */
  readonly low_usd: number;
  readonly high_usd: number;
}

/** Standard normal quantile: 10 % of the values are above it. */
const z80 = 1.2816;
/** Weight, in days, of the overall mean in a weekday's mean, because a single day is weak evidence. */
const priorDays = 2;
/** Error shared by all days of a period, as a fraction of a day's deviation, because spend drifts. */
const sharedError = 0.2;

interface Level {
  readonly mean: number;
  readonly deviation: number;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const weekdayOf = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay();

/** Returns the mean and deviation per weekday, with weekday means shrunk towards the overall mean. */
function levels(history: readonly DaySpend[]): (weekday: number) => Level {
  const overall = mean(history.map(({ usd }) => usd));
  const means = Array.from({ length: 7 }, (_, weekday) => {
    const own = history.filter(({ day }) => weekdayOf(day) === weekday).map(({ usd }) => usd);
    return (own.reduce((sum, usd) => sum + usd, 0) + priorDays * overall) / (own.length + priorDays);
  });
  const residuals = history.map(({ day, usd }) => usd - means[weekdayOf(day)]!);
  const variance = residuals.reduce((sum, residual) => sum + residual * residual, 0) / Math.max(1, history.length - 3);
  const deviation = Math.sqrt(variance * (1 + 7 / history.length));
  return (weekday) => ({ mean: means[weekday]!, deviation });
}

/**
 * Forecasts the spend at the end of the period.
 * @param history full days without gaps; with fewer than three, the result is undefined.
 * @param rest the remaining days of the period; today counts as the fraction that remains (0 to 1).
 */
export function forecast(
  history: readonly DaySpend[],
  spentUsd: number,
  rest: readonly { readonly day: string; readonly share: number }[],
): Forecast | undefined {
  if (history.length < 3) return undefined;
  const levelOf = levels(history);
  const coming = rest.map(({ day, share }) => ({ ...levelOf(weekdayOf(day)), share }));
  const more = coming.reduce((sum, level) => sum + level.mean * level.share, 0);
  const days = coming.reduce((sum, { share }) => sum + share, 0);
  const own = coming.reduce((sum, { deviation, share }) => sum + deviation ** 2 * share, 0);
  const shared = (coming[0]?.deviation ?? 0) * sharedError * days;
  const spread = z80 * Math.sqrt(own + shared ** 2);
  const round = (usd: number) => Math.round(usd * 1e6) / 1e6;
  return {
    projected_usd: round(spentUsd + more),
    low_usd: round(spentUsd + Math.max(0, more - spread)),
    high_usd: round(spentUsd + more + spread),
  };
}

/**
 * Returns the day on which the limit is reached at the expected spend, or undefined if it is not reached within the
 * period.
 */
export function exhaustedOn(
  history: readonly DaySpend[],
  spentUsd: number,
  limitUsd: number,
  rest: readonly { readonly day: string; readonly share: number }[],
): string | undefined {
  if (history.length < 3) return undefined;
  const levelOf = levels(history);
  let spent = spentUsd;
  for (const { day, share } of rest) {
    if (spent >= limitUsd) return day;
    spent += levelOf(weekdayOf(day)).mean * share;
    if (spent >= limitUsd) return day;
  }
  return undefined;
}
