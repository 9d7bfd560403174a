/** Shared parts of SQL effect tests. */
import { type SqlGrammar, sqlGrammar } from '#adapters/sql/grammar.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { Effects } from '#core/effects/ports.ts';
import { sqlEffects } from '#core/effects/sql.ts';

let grammar: SqlGrammar;
beforeAll(async () => {
  grammar = await sqlGrammar();
});

export const callOf = (more: Partial<ToolCall>): ToolCall => ({
  protocol: 'sql',
  tool: 'sql.query',
  target: 'shop',
  capability: 'read',
  parameters: {},
  ...more,
});
export const read = (call: Partial<ToolCall>): Effects => sqlEffects(grammar)(callOf(call));
export const readSql = (sql: string): Effects => read({ parameters: { sql } });
export const only = (sql: string): ToolCall => {
  const { parts } = readSql(sql);
  expect(parts).toHaveLength(1);
  return parts[0]!;
};
export const shown = ({ parts }: Effects): string[] => parts.map(({ tool, target }) => `${tool} ${target}`);
