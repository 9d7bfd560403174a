/** Forecasts compared with generated spend: weekdays, holidays, launches. */

import { runs } from '../../../test/support/extent.ts';
import { type DaySpend, exhaustedOn, forecast } from '../forecast.ts';

/** Returns a Mulberry32 generator that produces the same numbers every time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
const dayMs = 86_400_000;
const dayAt = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * dayMs).toISOString().slice(0, 10);

/**
 * Generates seventy days of spend: weekends at a third of weekdays, noise, some holidays, and sometimes a launch that
 * raises all later costs.
 */
function spendOf(seed: number): DaySpend[] {
  const next = random(seed);
  const level = 5 + next() * 95;
  const noise = 0.1 + next() * 0.25;
  const launch = next() < 0.3 ? 10 + Math.floor(next() * 45) : Number.POSITIVE_INFINITY;
  const growth = 1.1 + next() * 0.5;
  return Array.from({ length: 70 }, (_, n) => {
    const weekday = new Date(`${dayAt(n)}T00:00:00Z`).getUTCDay();
    const week = weekday === 0 || weekday === 6 ? 0.35 : 1;
    const holiday = next() < 0.03 ? 0.4 : 1;
    const gauss = Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
    return {
      day: dayAt(n),
      usd: Math.max(0, level * week * holiday * (n >= launch ? growth : 1) * (1 + noise * gauss)),
    };
  });
}

test('[budget.forecast] the 80 % interval covers 75 to 88 % of the generated months', () => {
  let covered = 0;
  let tried = 0;
  for (let seed = 1; seed <= runs(1_500, 300); seed++) {
    const days = spendOf(seed);
    for (const left of [5, 12, 20]) {
      const now = 50;
      const history = days.slice(now - 28, now);
      const rest = days.slice(now, now + left);
      const made = forecast(
        history,
        0,
        rest.map(({ day }) => ({ day, share: 1 })),
      )!;
      const truth = rest.reduce((sum, { usd }) => sum + usd, 0);
      tried += 1;
      if (truth >= made.low_usd && truth <= made.high_usd) covered += 1;
    }
  }
  expect(covered / tried).toBeGreaterThan(0.75);
  expect(covered / tried).toBeLessThan(0.88);
});

test('[budget.forecast] weekends are forecast from past weekends, not by a straight line', () => {
  const history = Array.from({ length: 28 }, (_, n) => {
    const weekday = new Date(`${dayAt(n)}T00:00:00Z`).getUTCDay();
    return { day: dayAt(n), usd: weekday === 0 || weekday === 6 ? 0 : 10 };
  });
  const saturday = history.find(({ day }) => new Date(`${day}T00:00:00Z`).getUTCDay() === 6)!.day;
  const monday = history.find(({ day }) => new Date(`${day}T00:00:00Z`).getUTCDay() === 1)!.day;
  const of = (day: string) => forecast(history, 0, [{ day, share: 1 }])!.projected_usd;
  expect(of(saturday)).toBeLessThan(3);
  expect(of(monday)).toBeGreaterThan(8);
});

test('[budget.forecast] money already spent is certain, a short history gives no forecast, and the exhaustion date is named', () => {
  const flat = Array.from({ length: 14 }, (_, n) => ({ day: dayAt(n), usd: 10 }));
  const rest = Array.from({ length: 10 }, (_, n) => ({ day: dayAt(14 + n), share: 1 }));
  expect(forecast(flat, 7, [])).toEqual({ projected_usd: 7, low_usd: 7, high_usd: 7 });
  expect(forecast(flat, 5, rest)).toMatchObject({ projected_usd: 105, low_usd: 105, high_usd: 105 });
  expect(forecast(flat.slice(0, 2), 5, rest)).toBeUndefined();
  expect(exhaustedOn(flat, 0, 35, rest)).toBe(dayAt(17));
  expect(exhaustedOn(flat, 50, 35, rest)).toBe(dayAt(14));
  expect(exhaustedOn(flat, 0, 1_000, rest)).toBeUndefined();
});
