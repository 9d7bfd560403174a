/** Amounts with units: `$50` differs from `€50` and `50%` [provenance.forms]. */
import { normal } from './atoms.ts';

const figures = String.raw`\d{1,15}(?:\.\d{1,9})?`;
const names = 'eur|euros?|usd|dollars?|gbp|pounds?|jpy|yen|percent|per cent|prozent';
const before = new RegExp(String.raw`(?<![\w.])([$€£¥])\s?(${figures})(?![\w.]*\d)`, 'g');
const behind = new RegExp(String.raw`(?<![\w.])(${figures})\s?([$€£¥%]|(?:${names})(?!\w))`, 'g');
const named = new RegExp(String.raw`(?<!\w)(eur|usd|gbp|jpy)\s(${figures})(?![\w.]*\d)`, 'g');

const signs = new Map([
  ...['eur', 'euro', 'euros'].map((name) => [name, '€'] as const),
  ...['usd', 'dollar', 'dollars'].map((name) => [name, '$'] as const),
  ...['gbp', 'pound', 'pounds'].map((name) => [name, '£'] as const),
  ...['jpy', 'yen'].map((name) => [name, '¥'] as const),
  ...['percent', 'per cent', 'prozent'].map((name) => [name, '%'] as const),
]);

/** Returns `u:€50` for each amount with a unit in a text. */
export function unitForms(text: string): string[] {
  if (!/\d/.test(text)) return [];
  const plain = normal(text);
  const form = (unit: string, amount: string): string =>
    `u:${signs.get(unit) ?? unit}${amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount}`;
  return [
    ...Array.from(plain.matchAll(before), ([, unit, amount]) => form(unit!, amount!)),
    ...Array.from(plain.matchAll(behind), ([, amount, unit]) => form(unit!, amount!)),
    ...Array.from(plain.matchAll(named), ([, unit, amount]) => form(unit!, amount!)),
  ];
}

/** Returns the amounts of a value with a unit sign. A unit's name is searched as a word. */
export const signedForms = (value: string): string[] => (/[$€£¥%]/.test(value) ? unitForms(value) : []);
