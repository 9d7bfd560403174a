/** Decision tables of policies: calls, and what a policy has to decide of each [cli.policy-test]. */
import * as z from 'zod';
import { actionRequestSchema, decisions } from '#core/contracts/envelope.ts';
import { invalidRequest } from '#core/kernel/errors.ts';

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
  decision: z.enum(decisions, `decision must be one of ${decisions.join(', ')}`),
  matched_rule: z.string().min(1).optional(),
});
export type PolicyCase = z.infer<typeof policyCaseSchema>;

/**
 * @param where names the table in errors.
 * @throws GatewayError `invalid_request` with the row, the member, what was found and what is allowed.
 */
export function parseCases(value: unknown, where: string): PolicyCase[] {
  if (!Array.isArray(value) || value.length === 0)
    throw invalidRequest(`${where}: found no rows; allowed is a list of calls, each with its decision.`);
  const parsed = z.array(policyCaseSchema).safeParse(value);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(
    ({ path: [row, ...members], message }) =>
      `row ${Number(row) + 1}${members.length > 0 ? ` ${members.join('.')}` : ''}: ${message}`,
  );
  throw invalidRequest(`${where}: ${lines.join('\n')}`);
}

/** What is wrong with a decision; undefined where it is as the row says. */
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
