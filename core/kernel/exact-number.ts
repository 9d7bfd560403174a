/** Which numbers JSON carries exactly: every reader that uses doubles gets the value that was written. */

const form = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Fewer digits than this always come back from a double as they were. */
const safeDigits = 15;
/** What `toPrecision` takes. */
const maxDigits = 100;

/**
 * Whether a number, as JSON writes it, is carried exactly. Integers: up to 2^53−1 on either side (RFC 7493), however they are
 * written. Decimals: the double they become, written with as many digits, is the same number; so `0.1`, `0.10` and
 * `0.1000000000000000055511151231257827` pass, and `0.1234567890123456789` does not.
 */
export function isExactNumber(written: string): boolean {
  // Short ones without exponent, which nearly all are.
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

/** Below it doubles lose digits. */
const smallestNormal = 2 ** -1022;

/** Significant digits without zeros at either end, and the power of ten of the last of them. */
function decimalOf(written: string): { readonly digits: string; readonly exponent: number } {
  const [, whole = '', fraction = '', power = '0'] = form.exec(written) ?? [];
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  return { digits, exponent: Number(power) - fraction.length + (all.length - digits.length) };
}
