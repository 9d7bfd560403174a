/**
 * Checks whether a JSON number survives conversion to a double, so that every reader gets the value that was written.
 */

const form = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Maximum number of digits that always survive the round trip through a double. */
const safeDigits = 15;
/** Limit of `toPrecision`. */
const maxDigits = 100;

/**
 * Checks whether a double represents a JSON number exactly. Integers must be between ±(2^53−1) (RFC 7493), in any
 * notation. A decimal passes if the double, printed with as many digits, is the same number: `0.1`, `0.10` and
 * `0.1000000000000000055511151231257827` pass; `0.1234567890123456789` does not.
 */
export function isExactNumber(written: string): boolean {
  // Fast path: nearly all numbers are short and have no exponent.
  if (written.length <= safeDigits && !/[eE]/.test(written)) return true;
  const value = Number(written);
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const { digits, exponent } = decimalOf(written);
  if (digits === '') return true; // zero
  if (digits.length <= safeDigits && value !== 0 && Math.abs(value) >= smallestNormal) return true;
  if (digits.length > maxDigits) return false;
  const carried = decimalOf(Math.abs(value).toPrecision(digits.length));
  return carried.digits === digits && carried.exponent === exponent;
}

/** Smallest double with full precision. Smaller ones lose digits. */
const smallestNormal = 2 ** -1022;

/** Returns the significant digits without leading and trailing zeros, and the power of ten for the last digit. */
function decimalOf(written: string): { readonly digits: string; readonly exponent: number } {
  const [, whole = '', fraction = '', power = '0'] = form.exec(written) ?? [];
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  return { digits, exponent: Number(power) - fraction.length + (all.length - digits.length) };
}
