/** Operations per table that SQL is parsed into, for every kind of statement. */

import * as z from 'zod';
import { flag, readCases, rows, text, texts } from '../../support/yaml.ts';
import { only, readSql, shown } from './sql-reading.ts';

const cases = readCases(
  'test/unit/effects/sql.yaml',
  z.strictObject({
    names: rows(text, text, text),
    capabilities: rows(text, text),
    restricts: rows(text, flag),
    statements: rows(text, texts),
  }),
);

describe('an operation', () => {
  test('is a call with protocol sql on one table', () => {
    expect(only('delete from shop.orders where id = 1')).toEqual({
      protocol: 'sql',
      tool: 'sql.delete',
      target: 'shop.orders',
      capability: 'delete',
      parameters: { object: 'table', schema: 'shop', has_where: true },
    });
  });

  test.each(cases.capabilities)('%s needs %s', (sql, capability) => expect(only(sql).capability).toBe(capability));

  test.each(cases.names)('%s is %s', (written, target, schema) => {
    const part = only(`select * from ${written}`);
    expect([part.target, part.parameters.schema]).toEqual([target, schema]);
  });

  test('lists the other tables in its statement', () => {
    const { parts } = readSql('insert into a select * from b; select * from c');
    expect(parts.map(({ target, parameters }) => [target, parameters.tables])).toEqual([
      ['a', ['a', 'b']],
      ['b', ['a', 'b']],
      ['c', undefined],
    ]);
  });

  test('is listed once, even if the text repeats it', () => {
    expect(shown(readSql('select * from a, a b, a c; select * from a'))).toEqual(['sql.select a']);
  });

  test('shows changed columns, privileges, cascade and language', () => {
    expect(only('update a set x = 1, y = 2').parameters.columns).toEqual(['x', 'y']);
    expect(only('insert into a (x) values (1)').parameters.columns).toEqual(['x']);
    expect(only('drop schema hr cascade').parameters).toEqual({ object: 'schema', schema: 'hr', cascade: true });
    expect(only('grant select, update on a to b').parameters).toMatchObject({
      privileges: ['select', 'update'],
      to: ['b'],
      rights: true,
    });
    expect(only('alter table a owner to b').parameters).toMatchObject({ rights: true, changes: ['ChangeOwner'] });
    expect(only('create function f() returns int language plperlu security definer as $$x$$').parameters).toMatchObject(
      {
        language: 'plperlu',
        security_definer: true,
      },
    );
    expect(only("select lo_import('/etc/passwd')").parameters.args).toEqual(['/etc/passwd']);
  });
});
describe('a WHERE', () => {
  test.each(cases.restricts)('"%s" restricts: %s', (where, restricts) => {
    for (const statement of [`delete from a ${where}`, `update a set x = 1 ${where}`]) {
      const changing = readSql(statement).parts.find(({ tool }) => /update|delete/.test(tool));
      expect([statement, changing?.parameters.has_where]).toEqual([statement, restricts]);
    }
  });

  test('for MERGE the join condition counts as its condition', () => {
    const of = (on: string) => readSql(`merge into a using b on ${on} when matched then delete`).parts[0]!.parameters;
    expect(of('a.id = b.id').has_where).toBe(true);
    expect(of('true').has_where).toBe(false);
  });
});
describe('every kind of statement is understood', () => {
  test.each(cases.statements)('%s', (sql, parts) => {
    const effects = readSql(sql);
    const expected = sql.startsWith('explain') ? ['sql.explain '] : parts;
    expect(shown(effects).sort()).toEqual([...expected].sort());
    expect(effects.unclear ?? '').not.toContain('not read');
  });
});
