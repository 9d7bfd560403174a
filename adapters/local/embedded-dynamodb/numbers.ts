/**
 * DynamoDB's numbers: decimals of 38 significant digits between 1E-130 and 9.99…E+125, stored as text. Equal values
 * have equal text.
 */
import { invalid } from './faults.ts';

/** 0.d₁d₂d₃… × 10^exponent; no digits for zero. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const zero: Decimal = { negative: false, digits: '', exponent: 0 };
const maxDigits = 38;
const form = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;
/** Everyday numbers as `String` writes them, which is the stored form. */
const plainInteger = /^(?:0|-?[1-9]\d{0,14})$/;

/** Returns the stored form. @throws ValidationException unless the text is a number that DynamoDB stores */
export const canonicalNumber = (text: string): string => (plainInteger.test(text) ? text : plain(parse(text)));

export function addNumbers(one: string, other: string): string {
  if (plainInteger.test(one) && plainInteger.test(other)) {
    const sum = Number(one) + Number(other);
    if (Number.isSafeInteger(sum)) return String(sum);
  }
  const [a, b] = [scaled(parse(one)), scaled(parse(other))];
  const scale = Math.max(a.scale, b.scale);
  const sum = a.units * 10n ** BigInt(scale - a.scale) + b.units * 10n ** BigInt(scale - b.scale);
  return plain(decimalOf(sum < 0n, String(sum < 0n ? -sum : sum), -scale));
}

export const negated = (text: string): string =>
  text === '0' ? text : text.startsWith('-') ? text.slice(1) : `-${text}`;

export function compareNumbers(one: string, other: string): number {
  if (plainInteger.test(one) && plainInteger.test(other)) return Number(one) - Number(other);
  const [a, b] = [orderedNumber(one), orderedNumber(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

const exponentOffset = 500;
const complement = (digits: string): string => digits.replace(/\d/g, (digit) => String(9 - Number(digit)));

/** Returns a text whose byte order is that of the numbers. */
export function orderedNumber(text: string): string {
  const { negative, digits, exponent } = parse(text);
  if (digits === '') return '1';
  if (!negative) return `2${exponentOffset + exponent}${digits}`;
  return `0${999 - exponentOffset - exponent}${complement(digits)}~`;
}

/** Returns the number of an ordered text. */
export function numberOfOrdered(text: string): string {
  if (text === '1') return '0';
  const negative = text.startsWith('0');
  const exponent = Number(text.slice(1, 4));
  return plain({
    negative,
    digits: negative ? complement(text.slice(4, -1)) : text.slice(4),
    exponent: negative ? 999 - exponentOffset - exponent : exponent - exponentOffset,
  });
}

function parse(text: string): Decimal {
  const [, sign, whole = '', fraction = '', exponent = '0'] = form.exec(text) ?? [];
  if (sign === undefined || whole + fraction === '')
    throw invalid(`The parameter cannot be converted to a numeric value: ${text}`);
  return decimalOf(sign === '-', whole + fraction, Number(exponent) - fraction.length);
}

/** Returns digits × 10^power, checked. */
function decimalOf(negative: boolean, all: string, power: number): Decimal {
  const significant = all.replace(/^0+/, '');
  if (significant === '') return zero;
  const digits = significant.replace(/0+$/, '');
  const exponent = significant.length + power;
  if (digits.length > maxDigits) throw invalid('Attempting to store more than 38 significant digits in a Number');
  if (exponent > 126)
    throw invalid('Number overflow. Attempting to store a number with magnitude larger than supported range');
  if (exponent < -129)
    throw invalid('Number underflow. Attempting to store a number with magnitude smaller than supported range');
  return { negative, digits, exponent };
}

/** Writes a number without an exponent, as DynamoDB answers. */
function plain({ negative, digits, exponent }: Decimal): string {
  if (digits === '') return '0';
  const sign = negative ? '-' : '';
  if (exponent <= 0) return `${sign}0.${'0'.repeat(-exponent)}${digits}`;
  if (exponent >= digits.length) return `${sign}${digits}${'0'.repeat(exponent - digits.length)}`;
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
}

/** Returns units / 10^scale. */
function scaled({ negative, digits, exponent }: Decimal): { units: bigint; scale: number } {
  const scale = Math.max(0, digits.length - exponent);
  const units = BigInt(digits || '0') * 10n ** BigInt(Math.max(0, exponent - digits.length));
  return { units: negative ? -units : units, scale };
}
