/** SQL limits: schemas, tables, WHERE clauses, definitions and privileges. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { SandboxSettings } from '#core/contracts/sandbox.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { type Check, type LimitViolation, lastName, matchesName, matchesText, textParameter } from './rule.ts';

type Limits = SandboxSettings['sql'];

const definitions = new Set([
  'create',
  'alter',
  'drop',
  'truncate',
  'comment',
  'refresh',
  'reindex',
  'cluster',
  'rename',
]);
const grants = new Set(['grant', 'revoke']);
const needWhere = new Set(['update', 'delete']);
/** Objects that contain tables. */
const wholes = new Set(['schema', 'database', 'tablespace', 'owned', 'foreign_schema']);
const tables = new Set([
  'table',
  'view',
  'matview',
  'foreign_table',
  'index',
  'trigger',
  'rule',
  'policy',
  'column',
  'rows',
  'tabconstraint',
]);

export const checkSql: Check = ({ sql }, part) => {
  const verb = lastName(foldCase(part.tool).trim()).split('_')[0]!;
  if (sql.require_where && needWhere.has(verb) && part.parameters.has_where !== true) {
    return {
      rule: 'sql.require_where',
      reason: `${verb.toUpperCase()} on ${part.target} has no WHERE clause that excludes any rows.`,
    };
  }
  if (sql.block_grant && (grants.has(verb) || part.parameters.rights === true))
    return { rule: 'sql.block_grant', reason: 'Statements that change rights or roles are blocked.' };
  if (sql.block_ddl && definitions.has(verb))
    return { rule: 'sql.block_ddl', reason: `${verb.toUpperCase()} is a DDL statement, which is blocked.` };
  return checkSchema(sql, part) ?? checkTable(sql, part);
};

function checkSchema(sql: Limits, part: ToolCall): LimitViolation | undefined {
  if (!Object.hasOwn(part.parameters, 'schema')) return undefined;
  const schema = textParameter(part, 'schema');
  if (matchesName(sql.blocked_schemas, [schema]))
    return { rule: 'sql.blocked_schemas', reason: `The schema ${schema} is blocked.` };
  if (sql.allowed_schemas && !matchesText(sql.allowed_schemas, [schema]))
    return { rule: 'sql.allowed_schemas', reason: `The schema ${schema} is not among those allowed.` };
  return undefined;
}

function checkTable(sql: Limits, part: ToolCall): LimitViolation | undefined {
  const object = textParameter(part, 'object');
  const isWhole = wholes.has(object);
  if (!tables.has(object) && !isWhole) return undefined;
  // `users` and `public.users` are the same table, and the configuration may contain either.
  const spellings = textParameter(part, 'schema') === 'public' ? [part.target, `public.${part.target}`] : [part.target];
  const isBlocked = isWhole ? containsBlocked(sql.blocked_tables, part) : matchesName(sql.blocked_tables, spellings);
  if (isBlocked) return { rule: 'sql.blocked_tables', reason: `The table ${part.target} is blocked.` };
  if (sql.allowed_tables && (isWhole || !matchesText(sql.allowed_tables, spellings)))
    return { rule: 'sql.allowed_tables', reason: `The ${object} ${part.target} is not among the tables allowed.` };
  return undefined;
}

/**
 * Checks whether a whole object contains a blocked table: dropping a schema or granting rights on it affects all its
 * tables.
 */
function containsBlocked(patterns: readonly string[], part: ToolCall): boolean {
  const schema = textParameter(part, 'schema');
  if (schema === '') return patterns.length > 0;
  return patterns.some((pattern) =>
    matchesName([pattern.includes('.') ? pattern.slice(0, pattern.indexOf('.')) : 'public'], [schema]),
  );
}
