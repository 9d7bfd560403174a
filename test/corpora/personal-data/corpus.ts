/** Samples with personal data at known positions, and samples that only look similar; the same on every run. */
import { type PiiEntity, piiEntities } from '#core/contracts/config.ts';
import { readCases, texts } from '../../support/yaml.ts';
import { falseFriend } from './false-friends.ts';
import { type Random, seeded } from './random.ts';
import { makers } from './values.ts';

export interface Sample {
  readonly text: string;
  /** Personal data from `start` to `end`; absent in samples without any. */
  readonly planted?: { readonly kind: PiiEntity; readonly start: number; readonly end: number };
}

const frames = readCases('test/corpora/personal-data/frames.yaml', texts);

function planted(kind: PiiEntity, random: Random): Sample {
  const made = makers[kind](random);
  const [value = '', ...others] = made.split('\u0000').toReversed();
  const lead = others.join('');
  const personal = value.split('\u0001', 1)[0]!;
  const frame = random.one(frames);
  const at = frame.indexOf('{}', frame.startsWith('{"') ? 2 : 0);
  const start = at + lead.length;
  const text = frame.slice(0, at) + lead + value.replace('\u0001', '') + frame.slice(at + 2);
  return { text, planted: { kind, start, end: start + personal.length } };
}

function without(random: Random): Sample {
  const frame = random.one(frames);
  return { text: frame.replace(/\{\}(?!.*\{\})/s, () => falseFriend(random)) };
}

export const sizes = { planted: 500, without: 1500 } as const;

/** Returns `sizes.planted` samples of every kind, then `sizes.without` samples without personal data. */
export function corpus(seed = 20261122): Sample[] {
  const random = seeded(seed);
  return [
    ...piiEntities.flatMap((kind) => Array.from({ length: sizes.planted }, () => planted(kind, random))),
    ...Array.from({ length: sizes.without }, () => without(random)),
  ];
}
