/** Amounts with their unit: `$50` is not `€50`, and neither is `50%` [provenance.forms]. */
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

/** `u:€50` for each amount of a text that has a unit beside it. */
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

/** Units that a value writes as a sign: the name of one is a word, and stands in the text or not. */
export const signedForms = (value: string): string[] => (/[$€£¥%]/.test(value) ? unitForms(value) : []);
