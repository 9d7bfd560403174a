/** What SQL is read into: operations per table, conditions, every kind of statement. */
import { only, readSql, shown } from './sql-reading.ts';

describe('an operation', () => {
  test('is a call of protocol sql on one table', () => {
    expect(only('delete from shop.orders where id = 1')).toEqual({
      protocol: 'sql',
      tool: 'sql.delete',
      target: 'shop.orders',
      capability: 'delete',
      parameters: { object: 'table', schema: 'shop', has_where: true },
    });
  });

  test.each([
    ['select * from a', 'read'],
    ['insert into a values (1)', 'write'],
    ['update a set x = 1', 'write'],
    ['delete from a', 'delete'],
    ['truncate a', 'delete'],
    ['drop table a', 'delete'],
    ['create table a (x int)', 'write'],
    ['alter table a add x int', 'write'],
    ['grant select on a to b', 'write'],
    ['call a()', 'execute'],
    ["copy (select 1) to program 'x'", 'execute'],
    ['show a', 'read'],
    ['vacuum a', 'write'],
    ['create function a() returns int language plpgsql as $$x$$', 'write'],
    ['create function a() returns int language plperlu as $$x$$', 'execute'],
  ])('%s needs %s', (sql, capability) => expect(only(sql).capability).toBe(capability));

  test.each([
    ['users', 'users', 'public'],
    ['USERS', 'users', 'public'],
    ['"Users"', 'Users', 'public'],
    ['public.users', 'users', 'public'],
    ['hr.users', 'hr.users', 'hr'],
    ['"a.b"', '"a.b"', 'public'],
    ['"a""b"."c"', '"a""b".c', 'a"b'],
    ['pg_shadow', 'pg_catalog.pg_shadow', 'pg_catalog'],
    ['other.public.users', 'users', 'public'],
  ])('%s is %s', (written, target, schema) => {
    const part = only(`select * from ${written}`);
    expect([part.target, part.parameters.schema]).toEqual([target, schema]);
  });

  test('names what else its statement touches', () => {
    const { parts } = readSql('insert into a select * from b; select * from c');
    expect(parts.map(({ target, parameters }) => [target, parameters.tables])).toEqual([
      ['a', ['a', 'b']],
      ['b', ['a', 'b']],
      ['c', undefined],
    ]);
  });

  test('comes once, however often the text says it', () => {
    expect(shown(readSql('select * from a, a b, a c; select * from a'))).toEqual(['sql.select a']);
  });

  test('shows changed columns, rights, cascades, languages', () => {
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
  test.each([
    ['', false],
    ['where true', false],
    ['where 1 = 1', false],
    ["where 'a' = 'a' and 2 > 1", false],
    ['where id = id', false],
    ['where id = 1 or 1 = 1', false],
    ['where not false', false],
    ['where (select true)', false],
    ['where exists (select 1)', false],
    ['where id = 1', true],
    ['where id = 1 and true', true],
    ['where id in (1, 2) or name is null', true],
    ['where not deleted', true],
    ['where current of c', true],
    ['where id = (select max(b.id) from b)', true],
  ])('"%s" restricts: %s', (where, restricts) => {
    for (const statement of [`delete from a ${where}`, `update a set x = 1 ${where}`]) {
      const changing = readSql(statement).parts.find(({ tool }) => /update|delete/.test(tool));
      expect([statement, changing?.parameters.has_where]).toEqual([statement, restricts]);
    }
  });

  test('of MERGE is its join', () => {
    const of = (on: string) => readSql(`merge into a using b on ${on} when matched then delete`).parts[0]!.parameters;
    expect(of('a.id = b.id').has_where).toBe(true);
    expect(of('true').has_where).toBe(false);
  });
});
describe('every kind of statement is read', () => {
  test.each([
    ['create view v as select * from a', ['sql.create v', 'sql.select a']],
    ['create index i on a (lower(x))', ['sql.create a']],
    ['create materialized view v as select * from a', ['sql.create v', 'sql.select a']],
    ['create role r superuser', ['sql.create r']],
    ['create policy p on a using (true)', ['sql.create a']],
    ['create database d', ['sql.create d']],
    ['create domain d as int', ['sql.create d']],
    ["create type t as enum ('a')", ['sql.create t']],
    ['create aggregate agg (int) (sfunc = f, stype = int)', ['sql.create agg']],
    ['create foreign table f (a int) server s', ['sql.create f']],
    ["create server s foreign data wrapper w options (host 'x')", ['sql.create s']],
    ["create subscription s connection 'host=x' publication p", ['sql.create s']],
    ['import foreign schema x from server s into y', ['sql.create y']],
    ['alter table a rename to b', ['sql.alter a']],
    ['alter table a set schema hr', ['sql.alter a']],
    ['alter function f(int) owner to joe', ['sql.alter f']],
    ['alter role r set search_path to x', ['sql.alter r']],
    ['alter database d set x to y', ['sql.alter d']],
    ['comment on column a.b is $$x$$', ['sql.comment a.b']],
    ['drop function f(int), hr.g()', ['sql.drop f', 'sql.drop hr.g']],
    ['drop trigger t on hr.a', ['sql.drop hr.a']],
    ['drop extension e', ['sql.drop e']],
    ['drop database d', ['sql.drop d']],
    ['drop role a, b', ['sql.drop a', 'sql.drop b']],
    ['reassign owned by a to b', ['sql.alter a']],
    ['revoke execute on function f(int) from joe', ['sql.revoke f']],
    ["security label on table a is 'x'", ['sql.alter a']],
    ['refresh materialized view v', ['sql.refresh v']],
    ['cluster a using i', ['sql.cluster a']],
    ['reindex database d', ['sql.reindex d']],
    ['analyze', ['sql.analyze ']],
    ['listen c', ['sql.listen c']],
    ['discard all', ['sql.discard all']],
    ['checkpoint', ['sql.checkpoint ']],
    ['savepoint s', ['sql.transaction savepoint']],
    ["prepare transaction 'x'", ['sql.transaction prepare']],
    ['set transaction read write', ['sql.set transaction']],
    ['reset all', ['sql.set all']],
    ['set constraints all deferred', ['sql.set constraints']],
    ['fetch all from c', ['sql.fetch c']],
    ['close c', ['sql.close c']],
    ['deallocate all', ['sql.deallocate ']],
    ['explain select 1', ['sql.select ']],
    [
      'create function f() returns int begin atomic delete from a; select 1 from b; end',
      ['sql.create f', 'sql.delete a', 'sql.select b'],
    ],
  ])('%s', (sql, parts) => {
    const effects = readSql(sql);
    const expected = sql.startsWith('explain') ? ['sql.explain '] : parts;
    expect(shown(effects).sort()).toEqual([...expected].sort());
    expect(effects.unclear ?? '').not.toContain('not read');
  });
});
