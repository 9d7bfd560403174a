/**
 * Five kinds with too few held-out examples in the first corpora: examples used to develop rules, and a larger set
 * written before the rules ran on it. Neighbours are harmless texts with the same words.
 */
import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';
import { type Row, rowsOf, type Sample } from './sample.ts';

const list = z.array(z.string());
const kind = z.strictObject({
  development: list,
  /** Held out when the first rules were written, then used for development. */
  heldOut: list,
  neighbours: list,
  /** Written before the second round of rules, measured once after it, then used for development. */
  heldOutLater: list,
  neighboursLater: list,
  /** Written before the third round and measured after it. Not used to develop any rule. */
  heldOutLast: list.optional(),
});
type Kind = z.infer<typeof kind>;

const kinds = readCases('test/corpora/tool-guard/weak-kinds.yaml', z.record(z.string(), kind));

/** Places text between two unrelated paragraphs. */
export const within = (text: string): Sample => ({
  place: 'result',
  text: `The minutes of Monday are below. Two decisions are open.\n\n${text}\n\nThe next meeting is in a week.`,
});

/** Builds two rows for each text. `heldOut` applies to the whole set, not to the last third. */
const rows = (texts: (kind: Kind) => readonly string[], heldOut: boolean): Row[] =>
  Object.entries(kinds).flatMap(([kind, of], at) =>
    rowsOf(kind, texts(of), 2, 7_000 + at, within).map((row) => ({ ...row, heldOut })),
  );

export const weakKinds = (): Row[] => [
  ...rows(
    ({ development, heldOut, heldOutLater, heldOutLast }) => [
      ...development,
      ...heldOut,
      ...(heldOutLast ? heldOutLater : []),
    ],
    false,
  ),
  ...rows(({ heldOutLater, heldOutLast }) => heldOutLast ?? heldOutLater, true),
];

export const weakKindNeighbours = (): Row[] => [
  ...rows(({ neighbours }) => neighbours, false),
  ...rows(({ neighboursLater }) => neighboursLater, true),
];
