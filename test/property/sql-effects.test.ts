/** Parsing SQL never throws, and comments, blanks and upper case do not change the effects. */
import fc from 'fast-check';
import { type SqlGrammar, sqlGrammar } from '#adapters/sql/grammar.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { sqlEffects } from '#core/effects/sql.ts';
import { codePoint } from '../support/code-point.ts';
import { runs } from '../support/extent.ts';

let grammar: SqlGrammar;
beforeAll(async () => {
  grammar = await sqlGrammar();
});

const read = (sql: string) =>
  sqlEffects(grammar)({ protocol: 'sql', tool: 'sql.query', target: '', capability: 'read', parameters: { sql } });

const words =
  'select delete from users where with as ( ) , ; * = 1 update set a insert into values returning copy to program explain analyze drop table \'x\' "y" $$ /* */ -- \n union all create function language do grant on lateral exists not and or null'.split(
    ' ',
  );
const soup = fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((list) => list.join(' '));

test('any text yields a result', () => {
  fc.assert(
    fc.property(fc.oneof(soup, fc.string({ unit: codePoint }), fc.string()), (sql) => {
      const { parts, carrier, unclear } = read(sql);
      // Fail closed: without any known effect, the result is unclear.
      expect(parts.length > 0 || unclear !== undefined).toBe(true);
      if (carrier) expect(parts.length).toBeGreaterThan(0);
      for (const part of parts) expect(part.tool).toMatch(/^sql\.[a-z]+$/);
    }),
    { numRuns: runs(2000, 400) },
  );
});

test('any call yields a result', () => {
  const call = fc.record({
    protocol: fc.constantFrom('sql', 'mcp', 'SQL ', '', 'x'),
    tool: fc.oneof(fc.constantFrom('sql.query', 'query', 'sql.delete', 'db.x', ''), fc.string()),
    target: fc.string(),
    capability: fc.string(),
    parameters: fc.dictionary(
      fc.oneof(fc.constantFrom('sql', 'query', 'statements', '__proto__'), fc.string()),
      fc.jsonValue(),
    ),
  });
  fc.assert(
    fc.property(call, (each) => {
      expect(sqlEffects(grammar)(each as ToolCall).parts).toBeInstanceOf(Array);
    }),
    { numRuns: runs(1000, 200) },
  );
});

const statements = [
  ['delete', 'from', 'users', 'where', 'id', '=', '1'],
  ['select', '*', 'from', 'a', ',', 'hr.b', 'for', 'update'],
  ['with', 'x', 'as', '(', 'delete', 'from', 'a', 'returning', '*', ')', 'select', '*', 'from', 'x'],
  ['explain', 'analyze', 'update', 'a', 'set', 'b', '=', 'nextval', '(', "'s'", ')'],
  ['drop', 'table', 'a', ';', 'truncate', 'b', ';', 'grant', 'select', 'on', 'c', 'to', 'd'],
] as const;
const gap = fc.constantFrom(' ', '\n', '\t', '/**/', ' /* ; drop table x -- */ ', ' -- delete\n', '/* /* */ */');
const recase = (word: string, upper: boolean): string => (upper && !word.startsWith("'") ? word.toUpperCase() : word);

test('comments, whitespace and letter case do not matter', () => {
  const dressed = fc
    .constantFrom(...statements)
    .chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.array(gap, { minLength: 20, maxLength: 20 }),
        fc.array(fc.boolean(), { minLength: 20, maxLength: 20 }),
      ),
    );
  fc.assert(
    fc.property(dressed, ([list, gaps, uppers]) => {
      const text = list.map((word, i) => recase(word, uppers[i]!) + gaps[i]).join('');
      expect(read(text)).toEqual(read(list.join(' ')));
    }),
    { numRuns: 500 },
  );
});
