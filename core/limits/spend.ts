/** Budget accounts, periods and tiers. Periods are UTC days and months. */
import { dayMs } from '#core/kernel/durations.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { BudgetAccount, BudgetStatus } from './ports.ts';

/** Returns the account key of a call: `tenant|month|2026-11`, `global:gpt-*|day|2026-11-21`. */
export const accountKey = ({ account, period }: Pick<BudgetAccount, 'account' | 'period'>, nowMs: number): string =>
  `${account}|${period}|${periodOf(period, nowMs)}`;

type Period = BudgetAccount['period'];

const periodOf = (period: Period, ms: number): string => (period === 'day' ? dateOf(ms) : dateOf(ms).slice(0, 7));

/** Cache of formatted dates, because every call formats the same few dates. */
const dates = new RecentMap<number, string>({ max: 64 });

const dateOf = (ms: number): string =>
  dates.getOrInsertComputed(Math.floor(ms / dayMs), () => new Date(ms).toISOString().slice(0, 10));

export const periodStart = (period: Period, ms: number): number => {
  const date = new Date(ms);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), period === 'day' ? date.getUTCDate() : 1);
};

/** Returns the number of whole seconds, at least 1, until the period ends and the account is empty again. */
export function secondsUntilPeriodEnds(period: Period, nowMs: number): number {
  const date = new Date(nowMs);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const end = period === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1);
  return Math.max(1, Math.ceil((end - nowMs) / 1000));
}

/** Number of days for which a key's counters keep its spend, so that forecasts cover each weekday four times. */
export const spendRetentionDays = 28;
/**
 * Reports whether an account is kept. The current and previous periods are kept for reports. An account of a later
 * period was written by a process whose clock is ahead, and is kept too.
 */
export function isKept(key: string, nowMs: number): boolean {
  const [period, name] = key.split('|').slice(-2) as [Period, string];
  if (period === 'day' && key.startsWith('key:')) return name >= periodOf('day', nowMs - spendRetentionDays * dayMs);
  const previous = periodOf(period, periodStart(period, nowMs) - 1);
  return name >= previous;
}

/** Returns the tier: `ok` below 80 %, `alert` from 80 %, `warning` from 90 %, `exhausted` at 100 %. */
export function tierOf(usedMicrousd: number, limitMicrousd: number): BudgetStatus['tier'] {
  if (usedMicrousd >= limitMicrousd) return 'exhausted';
  if (usedMicrousd * 10 >= limitMicrousd * 9) return 'warning';
  return usedMicrousd * 10 >= limitMicrousd * 8 ? 'alert' : 'ok';
}

/** Formats micro-dollars: 12345678 as `12.345678`, 50000000 as `50.00`, with at least two decimals. */
export function usd(microusd: number): string {
  const digits = String(microusd % 1_000_000).padStart(6, '0');
  return `${Math.floor(microusd / 1_000_000)}.${digits.slice(0, 2)}${digits.slice(2).replace(/0+$/, '')}`;
}

/** Converts dollars from the configuration to integer micro-dollars, rounded down. */
export const microusdOf = (dollars: number): number => Math.floor(Number((dollars * 1_000_000).toFixed(3)));
