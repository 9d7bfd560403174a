/**
 * Known ways around SQL filters, tested with PostgreSQL's own grammar and pack sql-explorer: injection and
 * firewall-evasion lists, and real attacks on agents' SQL tools. For each of them, `test/corpora/sql-bypasses.tsv`
 * lists the kind, the decision, the reason, the SQL text (`\n` and `\u0000` are escapes), the operations read from it,
 * and the cause if it is unclear.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SqlGrammar, sqlGrammar } from '#adapters/sql/grammar.ts';
import type { Decision, ToolCall } from '#core/contracts/envelope.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { sqlEffects } from '#core/effects/sql.ts';
import { shippedPolicy } from '../support/decide-line.ts';

const policy = shippedPolicy('sql-explorer');
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

const rows = readFileSync(join(process.cwd(), 'test/corpora/sql-bypasses.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [kind = '', decision, why = '', text = '', parts = '', unclear] = line.split('\t');
    const sql = text
      .replaceAll('\\n', '\n')
      .replace(/\\u([0-9a-f]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
    return { kind, decision: decision as Decision, why, sql, parts: parts === '' ? [] : parts.split('; '), unclear };
  });

const decided = (call: ToolCall): Decision => decideEffects(policy, call, sqlEffects(grammar)(call)).decision;

describe.each([
  ['[effects.bypasses] harmless', 30],
  ['[effects.bypasses] bypass', 80],
  ['[effects.sql] implied call', 30],
  ['[pack.sql-explorer] system relation', 10],
])('%s', (title, least) => {
  const ofKind = rows.filter(({ kind }) => title.endsWith(`] ${kind}`));

  test('the table has at least the required number of rows', () => expect(ofKind.length).toBeGreaterThanOrEqual(least));

  test.each(ofKind.map((row) => [row.why, row] as const))('%s', (_why, { sql, parts, decision, unclear }) => {
    const effects = sqlEffects(grammar)(callOf(sql));
    const shown = effects.parts.map(({ tool, target }) => `${tool.slice('sql.'.length)} ${target}`);
    expect([...new Set(shown)].sort()).toEqual([...parts].sort());
    if (unclear === undefined) expect(effects.unclear).toBeUndefined();
    else expect(effects.unclear).toContain(unclear);
    expect(decided(callOf(sql))).toBe(decision);
  });

  test('makes the same decision regardless of which tool or parameter carries the text', () => {
    for (const { sql, decision } of ofKind) {
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
