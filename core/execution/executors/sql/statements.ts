/**
 * Builds the statements of a SQL action, which are either the given SQL with bound values or a statement built from a
 * table and columns.
 */
import * as z from 'zod';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import { callRefused } from '../fault.ts';
import { parametersOf } from '../parameters.ts';
import type { SqlStatement } from '../ports.ts';
import { scanSql } from './scan.ts';
import { builtStatement, isBuilt } from './structured.ts';

interface SqlCall {
  readonly statements: readonly SqlStatement[];
  /** Whether the transaction is read-only; true for the capability `read`. */
  readonly readOnly: boolean;
}

const values = z.array(z.json()).max(10_000);
const sqlParameters = z.strictObject({
  /** Name of the database to use. */
  database: z.string().optional(),
  sql: z.string().optional(),
  query: z.string().optional(),
  statement: z.string().optional(),
  text: z.string().optional(),
  statements: z
    .array(z.union([z.string(), z.strictObject({ sql: z.string(), parameters: values.optional() })]))
    .min(1)
    .max(50)
    .optional(),
  /** Values for `$1`, `$2` … */
  parameters: values.optional(),
});

/** Returns the statements of a call. @throws ExecutionFault `refused` */
export function sqlCallOf(envelope: Pick<ActionEnvelope, 'tool' | 'target' | 'capability' | 'parameters'>): SqlCall {
  const readOnly = envelope.capability.toLowerCase() === 'read';
  const statements = isBuilt(envelope) ? [builtStatement(envelope)] : parseStatements(envelope.parameters);
  for (const { text } of statements) assertOne(text, readOnly);
  return { statements, readOnly };
}

function parseStatements(raw: Readonly<Record<string, unknown>>): readonly SqlStatement[] {
  const { sql, query, statement, text, statements, parameters } = parametersOf(sqlParameters, raw);
  const single = [sql, query, statement, text].filter((given) => given !== undefined);
  if (single.length + (statements ? 1 : 0) !== 1)
    throw callRefused(
      'the call carries no SQL, or more than one SQL parameter',
      'Give one of sql, query, statement, text, statements.',
    );
  if (!statements) return [{ text: single[0]!, values: parameters ?? [] }];
  if (parameters)
    throw callRefused(
      'parameters are given together with a list of statements',
      'Give each statement its own parameters.',
    );
  return statements.map((each) =>
    typeof each === 'string' ? { text: each, values: [] } : { text: each.sql, values: each.parameters ?? [] },
  );
}

const reading = new Set(['select', 'with', 'values', 'table', 'explain', 'show', '(']);
/** Statements that would end the enclosing transaction or switch the protocol. */
const unfit = new Set(
  'begin start commit end rollback abort savepoint release prepare deallocate copy listen unlisten load checkpoint discard'.split(
    ' ',
  ),
);

function assertOne(text: string, readOnly: boolean): void {
  if (text.includes('\0') || !text.isWellFormed()) throw callRefused('the SQL is not well-formed text');
  const { statements, firstWord } = scanSql(text);
  if (statements !== 1)
    throw callRefused(
      `one string contains ${statements} statements`,
      'Give several as a list in the parameter statements; they run in one transaction.',
    );
  if (unfit.has(firstWord))
    throw callRefused(`${firstWord.toUpperCase()} is not supported`, 'Every action is its own transaction.');
  if (readOnly && !reading.has(firstWord))
    throw callRefused(`${firstWord.toUpperCase()} is not a read statement, but the action has the capability read`);
}
