/**
 * The parameters of a call, read strictly: what the policy saw is what is carried out, so a parameter that is not read here
 * is refused instead of ignored.
 */
import type * as z from 'zod';
import { describeIssue } from '#core/kernel/issue-words.ts';
import { refused } from './fault.ts';

/** @throws ExecutionFault `refused` naming the first parameter that does not fit. */
export function parametersOf<Schema extends z.ZodType>(
  schema: Schema,
  parameters: Readonly<Record<string, unknown>>,
): z.infer<Schema> {
  const read = schema.safeParse(parameters, { error: describeIssue });
  if (read.success) return read.data;
  const [{ path, message } = { path: [], message: 'they do not fit' }] = read.error.issues;
  const where = path.length === 0 ? 'the parameters' : `parameter ${path.join('.')}`;
  throw refused(`${where} cannot be carried out: ${message}`);
}
