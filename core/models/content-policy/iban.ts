/** International bank account numbers: validated by country-specific length and check digits (ISO 13616, mod 97). */
import { candidates, type Entity, wordClass } from './entity.ts';

/** Lengths by country, from the IBAN registry. */
const lengths: Readonly<Record<string, number>> = Object.fromEntries(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24
  FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32
  LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24
  RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
const countries = Object.keys(lengths).join('|');

const pattern = new RegExp(`(?<![${wordClass}])(?:${countries})\\d{2}(?:[ -]?[A-Z0-9]){11,29}`, 'giu');
const goesOn = new RegExp(`^[${wordClass}]`, 'u');

export const iban: Entity = {
  name: 'iban',
  shape: String.raw`\b(?i:${countries})\d{2}(?:[ -]?[A-Za-z0-9]){11,29}(?s:.)`,
  find: (text, from) => candidates(pattern, text, from, (found, start) => ibanLength(text, found, start)),
};

/** Returns the length that the country specifies, because a run may continue into the next word. */
function ibanLength(text: string, run: string, start: number): number | undefined {
  const wanted = lengths[run.slice(0, 2).toUpperCase()] ?? 0;
  let characters = 0;
  let length = 0;
  while (length < run.length && characters < wanted) if (/[^ -]/.test(run[length++]!)) characters++;
  const isWhole = characters === wanted && !goesOn.test(text.slice(start + length, start + length + 2));
  return isWhole && remainder(run.slice(0, length).replace(/[ -]/g, '')) === 1 ? length : undefined;
}

/** Returns the account number, followed by country and check digits, modulo 97. Letters count as 10 to 35. */
function remainder(iban: string): number {
  let rest = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}
