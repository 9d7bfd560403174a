/** Harmless text, definitions and arguments that look like attacks. */
import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';
import { type Row, rowsOf, type Sample } from './sample.ts';

const result = (text: string): Sample => ({ place: 'result', text });

const list = z.array(z.string());
const object = z.record(z.string(), z.unknown());
const { texts, tools, calls, besides } = readCases(
  'test/corpora/tool-guard/harmless.yaml',
  z.strictObject({
    texts: z.record(z.string(), list),
    tools: z.array(object),
    calls: z.array(object),
    /** Definitions of a server `weather` next to a server `mail` that has `send_email`, `search`, `list_messages`. */
    besides: z.array(z.tuple([object], z.string())),
  }),
);

/** Fills the text slots inside a value. */
const fill =
  (template: string) =>
  (text: string): Sample => {
    const value = JSON.parse(text) as Record<string, unknown>;
    return template === 'argument'
      ? { place: 'argument', parameters: value }
      : { place: 'definition', definition: value };
  };

export function harmless(): Row[] {
  let seed = 9_000;
  return [
    ...Object.entries(texts).flatMap(([kind, templates]) => rowsOf(kind, templates, 6, ++seed, result)),
    ...rowsOf(
      'definition',
      tools.map((tool) => JSON.stringify(tool)),
      3,
      ++seed,
      fill('definition'),
    ),
    ...rowsOf(
      'beside another server',
      besides.map((each) => JSON.stringify(each)),
      3,
      ++seed,
      (text) => {
        const [definition, ...own] = JSON.parse(text) as [Record<string, unknown>, ...string[]];
        return { place: 'beside', definition, own };
      },
    ),
    ...rowsOf(
      'arguments',
      calls.map((call) => JSON.stringify(call)),
      5,
      ++seed,
      fill('argument'),
    ),
  ];
}
