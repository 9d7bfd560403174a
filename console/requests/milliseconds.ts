/** Formats a duration: milliseconds below a second, then seconds. */
export const milliseconds = (value: number): string => {
  if (value >= 10_000) return `${(value / 1000).toFixed(0)} s`;
  return value >= 1_000 ? `${(value / 1000).toFixed(1)} s` : `${Math.round(value)} ms`;
};
