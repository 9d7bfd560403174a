/** Corpus values: people, accounts, files, days. A seed always produces the same values. */
import { mulberry32 } from '../../../../test/support/mulberry32.ts';

export interface Values {
  readonly of: <T>(list: readonly T[]) => T;
  readonly number: (from: number, to: number) => number;
  readonly person: () => Person;
  readonly iban: () => string;
  readonly day: () => Day;
  readonly attacker: () => Attacker;
}

export interface Person {
  readonly name: string;
  readonly email: string;
  readonly phone: string;
}

export interface Attacker {
  readonly email: string;
  readonly host: string;
  readonly iban: string;
  readonly user: string;
  readonly password: string;
}

interface Day {
  readonly iso: string;
  readonly said: string;
}

const first =
  'Anna Ben Clara David Elif Farid Greta Hugo Ines Jonas Kofi Lena Mira Nils Olga Paul Rosa Sven Tara Umut'.split(' ');
const last = 'Smith Okafor Tanaka Weber Rossi Novak Silva Haddad Larsen Moreau Kaya Petrov Brandt Costa Ivers'.split(
  ' ',
);
const hosts = 'example.com example.org partner.example acme.example northwind.example contoso.example'.split(' ');
const badHosts = 'evil.example collect-data.example acme-payments.example secure-login.example paste.example'.split(
  ' ',
);
const badNames = 'accounting support billing admin no-reply m.brown ceo.office it-helpdesk data'.split(' ');
const months = 'January February March April May June July August September October November December'.split(' ');

/** Builds the values for a seed. */
export function valuesOf(seed: number): Values {
  const random = mulberry32(seed);
  const number = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1));
  const of = <T>(list: readonly T[]): T => list[number(0, list.length - 1)]!;
  const digits = (count: number): string => Array.from({ length: count }, () => number(0, 9)).join('');
  const iban = (): string => `${of(['DE', 'AT', 'NL', 'FR'])}${digits(2)}${digits(18)}`;
  return {
    of,
    number,
    iban,
    person: () => {
      const [given, family] = [of(first), of(last)];
      return {
        name: `${given} ${family}`,
        email: `${given}.${family}@${of(hosts)}`.toLowerCase(),
        phone: `+49 30 ${digits(3)} ${digits(4)}`,
      };
    },
    day: () => {
      const [year, month, at] = [2026, number(1, 12), number(1, 28)];
      const two = (value: number): string => String(value).padStart(2, '0');
      const said = of([
        `${at} ${months[month - 1]} ${year}`,
        `${months[month - 1]} ${at}, ${year}`,
        `${year}-${two(month)}-${two(at)}`,
      ]);
      return { iso: `${year}-${two(month)}-${two(at)}`, said };
    },
    attacker: () => ({
      email: `${of(badNames)}${number(1, 99)}@${of(badHosts)}`,
      host: of(badHosts),
      iban: iban(),
      user: `${of(badNames)}-${number(10, 99)}`,
      password: `Summer${number(1000, 9999)}!`,
    }),
  };
}

/** Splits an IBAN into groups of four, as people write account numbers. */
export const grouped = (iban: string): string => iban.replace(/(.{4})(?=.)/g, '$1 ');
