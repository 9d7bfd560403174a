/** Requests outside the shipped fence, and similar ones inside it. The last third of each kind is held out. */
import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';
import { seeded } from '../personal-data/random.ts';
import { type Row, rowsFrom } from './measure.ts';

const kinds = z.record(z.string(), z.array(z.string()));
const { frames, refused, allowed } = readCases(
  'test/corpora/plugins/fence.yaml',
  /** Frames surround a sentence, so that a row contains more than the sentence. */
  z.strictObject({ frames: z.array(z.string()), refused: kinds, allowed: kinds }),
);

export function fenceRows(each = 8): Row[] {
  const { number, one } = seeded(20261125);
  const framed = (text: string): string =>
    one(frames)
      .replaceAll('{n}', () => String(number(1000, 99_999)))
      .replace('{}', () => text);
  const rows = (texts: typeof refused, wanted: boolean) =>
    Object.entries(texts).flatMap(([kind, of]) => rowsFrom(kind, wanted, of, each, framed));
  return [...rows(refused, true), ...rows(allowed, false)];
}
