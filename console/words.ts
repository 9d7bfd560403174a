/** Times and numbers in words. */

const units = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;

/** `90` → `1 min`, `45` → `45 s`. */
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

/** How long ago, by this machine's clock. */
export const ago = (iso: string, nowMs = Date.now()): string => `${duration((nowMs - Date.parse(iso)) / 1000)} ago`;

export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Of measured values: whole numbers with their thousands parted, others with three digits that count. */
export const figure = (value: number): string =>
  value.toLocaleString('en', Number.isInteger(value) ? {} : { maximumSignificantDigits: 3 });

export const usd = (value: number): string => `${value.toFixed(2)} USD`;
