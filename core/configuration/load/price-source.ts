/** Reads prices from their file and checks them with its line numbers. */
import { type PriceTable, priceTableSchema } from '#core/contracts/prices.ts';
import { type Path, type Problem, problemsOf } from '#core/contracts/problems.ts';
import { allowed } from '#core/kernel/issue-words.ts';
import { globProblems } from '../checks/glob-checks.ts';
import { readYaml } from './yaml.ts';

interface ReadPrices {
  readonly table: PriceTable | undefined;
  readonly problems: readonly Problem[];
}

const tablePath: Path = ['prices', 'table'];

let last: { readonly text: string; readonly file: string; readonly read: ReadPrices } | undefined;

/**
 * Reads a price table. The last one is cached, because it seldom changes between configurations.
 * @param file name of the text in error messages.
 * @throws GatewayError `invalid_request` for text that is not YAML.
 */
export function readPrices(text: string, file: string): ReadPrices {
  if (last?.text !== text || last.file !== file) last = { text, file, read: parsePrices(text, file) };
  return last.read;
}

function parsePrices(text: string, file: string): ReadPrices {
  const { value, lineOf } = readYaml(text, file);
  const parsed = priceTableSchema.safeParse(value, { error: allowed });
  const problems = parsed.success
    ? priceProblems(parsed.data)
    : problemsOf(parsed.error.issues, { prices: { table: value } }, tablePath);
  const placed = problems.map((problem) => {
    const line = lineOf(problem.path.slice(tablePath.length));
    return { ...problem, place: line === undefined ? file : `${file} line ${line}` };
  });
  return { table: parsed.data, problems: placed };
}

/** Checks what the schema of a table cannot express: its day exists, its globs compile. */
export function priceProblems({ as_of, models }: PriceTable): Problem[] {
  const day = new Date(`${as_of}T00:00:00Z`);
  const exists = !Number.isNaN(day.getTime()) && day.toISOString().startsWith(as_of);
  return [
    ...(exists ? [] : [{ path: [...tablePath, 'as_of'], found: JSON.stringify(as_of), allowed: 'a day that exists' }]),
    ...models.flatMap(({ match }, i) => globProblems([match], () => [...tablePath, 'models', i, 'match'])),
  ];
}
