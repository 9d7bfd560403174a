/**
 * Single sentences of four weak kinds for rules on speech acts. The rules were developed with `development` and
 * `neighbours`; `heldOut` was measured once after that.
 */
import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';
import { type Row, rowsOf } from './sample.ts';
import { within } from './weak-kinds.ts';

const list = z.array(z.string());
const sentences = z.strictObject({ development: list, heldOut: list, neighbours: list });
type ActSentences = z.infer<typeof sentences>;

const speechActs = readCases('test/corpora/tool-guard/speech-acts.yaml', z.record(z.string(), sentences));

const rows = (texts: (kind: ActSentences) => readonly string[], heldOut: boolean): Row[] =>
  Object.entries(speechActs).flatMap(([kind, of], at) =>
    rowsOf(kind, texts(of), 1, 8_000 + at, within).map((row) => ({ ...row, heldOut })),
  );

export const speechActRows = (): Row[] => [
  ...rows(({ development }) => development, false),
  ...rows(({ heldOut }) => heldOut, true),
];

export const speechActNeighbours = (): Row[] => rows(({ neighbours }) => neighbours, false);
