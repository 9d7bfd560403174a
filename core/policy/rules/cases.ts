/** Decision tables for policies: calls with their expected decisions [cli.config-check]. */
import * as z from 'zod';
import { decisions, type ToolCall } from '#core/contracts/envelope.ts';
import { actionRequestSchema } from '#core/contracts/envelope-schema.ts';
import { type Path, pathText, problemsOf, sentenceOf } from '#core/contracts/problems.ts';
import { sourceKey, unknown, type ValueSource } from '#core/contracts/provenance.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { describeAllowed } from '#core/kernel/issue-words.ts';

const policyCaseSchema = z.strictObject({
  why: z.string().min(1).optional(),
  ...actionRequestSchema.pick({
    protocol: true,
    tool: true,
    target: true,
    capability: true,
    upstream: true,
    parameters: true,
  }).shape,
  /** Sources of values: maps a dotted path into `parameters` to labels. All other values have no known source. */
  from: z.record(z.string().min(1), z.union([z.string(), z.array(z.string())])).optional(),
  decision: z.enum(decisions),
  matched_rule: z.string().min(1).optional(),
});
type PolicyCase = z.infer<typeof policyCaseSchema>;

/**
 * Parses the rows of a decision table.
 * @param where name of the table for error messages.
 * @param lineOf finds the line of a path in the file that contains the rows.
 * @throws GatewayError `invalid_request` with the row, its line, the member, what was found and what is allowed.
 */
export function parseCases(
  value: unknown,
  where: string,
  lineOf: (path: Path) => number | undefined = () => undefined,
): PolicyCase[] {
  if (!Array.isArray(value) || value.length === 0)
    throw invalidRequest(`${where}: found no rows; expected a list of calls, each with its decision.`);
  const parsed = z.array(policyCaseSchema).safeParse(value, { error: describeAllowed });
  if (parsed.success) return parsed.data;
  const lines = problemsOf(parsed.error.issues, value).map((problem) => {
    const [row, ...members] = problem.path;
    const line = lineOf(problem.path);
    const at = `row ${Number(row) + 1}${line === undefined ? '' : ` (line ${line})`}`;
    return `${where}: ${at}${members.length > 0 ? ` ${pathText(members)}` : ''}: ${sentenceOf(problem)}`;
  });
  throw invalidRequest(lines.join('\n'));
}

/** Returns the call of a row, with the sources of its values. */
export function callOfCase(row: PolicyCase) {
  const { why: _why, decision: _decision, matched_rule: _rule, from: _from, ...call } = row;
  return { ...call, ...sourcesOfCase(row) };
}

/** Returns the sources of a row's values, if it states any. */
export function sourcesOfCase({
  parameters = {},
  from,
}: {
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  readonly from?: Readonly<Record<string, string | readonly string[]>> | undefined;
}): Pick<ToolCall, 'sources'> {
  if (from === undefined) return {};
  const sources: Record<string, ValueSource> = {};
  const mark = (value: unknown, source: ValueSource): void => {
    if (value !== null && typeof value === 'object')
      for (const [name, item] of Object.entries(value)) {
        if (!Array.isArray(value)) sources[sourceKey(name)] ??= { whole: [], parts: [] };
        mark(item, source);
      }
    else sources[sourceKey(value)] = source;
  };
  mark(parameters, { whole: [unknown], parts: [] });
  for (const [path, labels] of Object.entries(from)) {
    const value = path
      .split('.')
      .reduce<unknown>((found, key) => (found as Record<string, unknown> | undefined)?.[key], parameters);
    const all = typeof labels === 'string' ? [labels] : labels;
    const isPart = (label: string): boolean => label.startsWith('address:');
    mark(value, { whole: all.filter((label) => !isPart(label)), parts: all.filter(isPart) });
  }
  return { sources };
}

/** Describes how a decision differs from the row, or returns undefined if it matches. */
export function mismatch(
  row: PolicyCase,
  found: { readonly decision: string; readonly matched_rule: string },
): string | undefined {
  if (found.decision !== row.decision)
    return `expected ${row.decision}, got ${found.decision} by ${found.matched_rule}`;
  if (row.matched_rule !== undefined && found.matched_rule !== row.matched_rule)
    return `expected rule ${row.matched_rule}, got ${found.matched_rule}`;
  return undefined;
}
