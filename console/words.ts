/** Times and numbers in words. */

const units = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** Formats a duration: `90` → `1 min`, `45` → `45 s`. */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  for (const [size, unit] of units) {
    if (whole < size) continue;
    const rest = Math.floor((whole % size) / (size === 60 ? 1 : size === 3_600 ? 60 : 3_600));
    const next = size === 60 ? 's' : size === 3_600 ? 'min' : 'h';
    const shown = size === 60 && whole >= 600 ? 0 : rest;
    return shown === 0 ? `${Math.floor(whole / size)} ${unit}` : `${Math.floor(whole / size)} ${unit} ${shown} ${next}`;
  }
  return `${whole} s`;
}

/** Returns the age in one unit, according to this machine's clock. */
export function ageText(iso: string, nowMs = Date.now()): string {
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(iso)) / 1000));
  const [size, unit] = units.find(([size]) => seconds >= size) ?? [1, 's'];
  return `${Math.floor(seconds / size)} ${unit} ago`;
}

/** Formats a measured value: whole numbers with thousands separators, others with three significant digits. */
export const figure = (value: number): string =>
  value.toLocaleString('en', Number.isInteger(value) ? {} : { maximumSignificantDigits: 3 });

/** Formats an amount: `$1,234.50`, and below ten cents two significant digits, as in `$0.0042`. */
export const money = (usd: number): string =>
  `$${usd.toLocaleString('en', usd === 0 || Math.abs(usd) >= 0.1 ? { minimumFractionDigits: 2, maximumFractionDigits: 2 } : { maximumSignificantDigits: 2 })}`;
