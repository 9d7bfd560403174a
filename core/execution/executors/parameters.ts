/**
 * Parses a call's parameters strictly. The executed call must be the one that the policy saw, so unknown parameters are
 * refused rather than ignored.
 */
import type * as z from 'zod';
import { describeIssue } from '#core/kernel/issue-words.ts';
import { callRefused } from './fault.ts';

/** Parses the parameters. @throws ExecutionFault `refused`, naming the first invalid parameter. */
export function parametersOf<Schema extends z.ZodType>(
  schema: Schema,
  parameters: Readonly<Record<string, unknown>>,
): z.infer<Schema> {
  const read = schema.safeParse(parameters, { error: describeIssue });
  if (read.success) return read.data;
  const [{ path, message } = { path: [], message: 'they do not match the schema' }] = read.error.issues;
  const where = path.length === 0 ? 'the parameters' : `parameter ${path.join('.')}`;
  throw callRefused(`${where} cannot be carried out: ${message}`);
}
