/** The table of sql-bypasses.ts against PostgreSQL's own grammar and pack sql-explorer. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type SqlGrammar, sqlGrammar } from '#adapters/sql/grammar.ts';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { sqlEffects } from '#core/effects/sql.ts';
import { compilePolicy } from '#core/policy/rules/compile.ts';
import { parsePack } from '#core/policy/rules/pack.ts';
import { bypasses, harmless, impliedCalls, systemRelations } from './sql-bypasses.ts';

const file = 'policies/sql-explorer.yaml';
const policy = compilePolicy(parsePack(parse(readFileSync(join(process.cwd(), file), 'utf8')), file));
let grammar: SqlGrammar;
beforeAll(async () => {
  grammar = await sqlGrammar();
});

const callOf = (sql: string, more: Partial<ToolCall> = {}): ToolCall => ({
  protocol: 'sql',
  tool: 'sql.query',
  target: 'shop',
  capability: 'read',
  parameters: { sql },
  ...more,
});

const decided = (call: ToolCall): Decision => decideEffects(policy, call, sqlEffects(grammar)(call)).decision;

describe.each([
  ['harmless', harmless],
  ['bypass', bypasses],
  ['[effects.sql-closed-world] implied call', impliedCalls],
  ['[pack.sql-system-relations] system relation', systemRelations],
] as const)('%s', (_, rows) => {
  test.each(rows.map((row) => [row.why, row] as const))('%s', (_why, { sql, parts, decision, unclear }) => {
    const effects = sqlEffects(grammar)(callOf(sql));
    const shown = effects.parts.map(({ tool, target }) => `${tool.slice('sql.'.length)} ${target}`);
    expect([...new Set(shown)].sort()).toEqual([...parts].sort());
    if (unclear === undefined) expect(effects.unclear).toBeUndefined();
    else expect(effects.unclear).toContain(unclear);
    expect(decided(callOf(sql))).toBe(decision);
  });

  test('decides the same whichever tool or place carries the text', () => {
    for (const { sql, decision } of rows) {
      for (const tool of ['sql.query', 'sql.execute', 'sql.select', 'SQL.Run_SQL']) {
        for (const parameters of [{ query: sql }, { statements: [sql] }, { statements: [{ sql }] }]) {
          expect([sql, tool, decided(callOf(sql, { tool, parameters }))]).toEqual([sql, tool, decision]);
        }
      }
      const asTarget = decided(callOf(sql, { tool: 'sql.query', target: sql, parameters: {} }));
      expect([sql, asTarget]).toEqual([sql, decision]);
    }
  });
});

test('[action.normalisers] [effects.bypasses] the table is as long as it claims', () => {
  expect(harmless.length).toBeGreaterThanOrEqual(12);
  expect(bypasses.length).toBeGreaterThanOrEqual(40);
});
