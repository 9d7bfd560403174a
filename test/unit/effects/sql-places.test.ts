/** Where a call contains SQL (named parameters, any parameter, tools of other protocols), and size limits. */

import * as z from 'zod';
import type { Effects } from '#core/effects/ports.ts';
import { sqlEffects } from '#core/effects/sql.ts';
import { flag, object, readCases, rows, text, texts } from '../../support/yaml.ts';
import { callOf, read, readSql, shown } from './sql-reading.ts';

const cases = readCases(
  'test/unit/effects/sql-places.yaml',
  z.strictObject({
    restricting: rows(object, flag),
    runners: rows(text, object),
    withoutStatement: rows(text, object),
    sameEverywhere: texts,
    inParameters: rows(object, texts),
    drops: rows(text, object),
    dialects: rows(text, text),
  }),
);

const maxSqlBytes = 64 * 1024;

describe('where the SQL text is found in a call', () => {
  const sql = 'delete from users';
  test.each([
    ['sql', { parameters: { sql } }],
    ['query', { parameters: { query: sql } }],
    ['statement', { parameters: { statement: sql } }],
    ['text', { parameters: { text: sql } }],
    ['a list', { parameters: { statements: ['select 1', sql] } }],
    ['a list of objects', { parameters: { statements: [{ sql: 'select 1' }, { sql }] } }],
    ['the target', { target: sql }],
    ['the target beside a text', { target: sql, parameters: { sql: 'select 1' } }],
    ['the target of a tool with a verb', { tool: 'sql.select', target: sql }],
    ['a tool of another name', { tool: 'warehouse.run_query', parameters: { sql } }],
    ['names in capitals', { protocol: 'SQL', tool: 'SQL.QUERY', parameters: { sql } }],
  ])('in %s', (_, call) => {
    const effects = read(call);
    expect(shown(effects)).toContain('sql.delete users');
    expect(effects.unclear).toBeUndefined();
  });

  test('only tools that do nothing but run the text are carriers', () => {
    expect(read({ parameters: { sql } }).carrier).toBe(true);
    expect(read({ tool: 'sql.execute_sql', parameters: { sql } }).carrier).toBe(true);
    expect(read({ tool: 'sql.backup', parameters: { sql } }).carrier).toBe(false);
    expect(read({ tool: 'sql.query', parameters: { sql: 'no sql' } }).carrier).toBe(false);
  });

  test('a plain target is a location, not an operation', () => {
    for (const target of ['shop', 'db-1.example.com:5432/shop', 'arn:aws:rds:eu-west-1:1:cluster:x', '']) {
      expect(shown(read({ target, parameters: { sql } }))).toEqual(['sql.delete users']);
    }
  });

  test('a tool that runs SQL is unclear if the call contains no SQL text', () => {
    expect(read({ target: '' }).unclear).toContain('carries no SQL');
    expect(read({ target: 'shop' }).unclear).toContain('grammar rejects');
  });
});
describe('a call without SQL text', () => {
  test('has one part, with the table name in canonical form', () => {
    const { parts, carrier } = read({ tool: 'sql.select', target: 'Public."Users"', parameters: { limit: 3 } });
    expect(carrier).toBe(false);
    expect(parts).toEqual([
      {
        protocol: 'sql',
        tool: 'sql.select',
        target: 'Users',
        capability: 'read',
        parameters: { limit: 3, object: 'table', schema: 'public' },
      },
    ]);
  });

  test.each(cases.restricting)('%j restricts: %s', (parameters, has_where) => {
    for (const target of ['users', 'postgres://db/users']) {
      expect(read({ tool: 'sql.delete', target, parameters }).parts[0]!.parameters.has_where).toBe(has_where);
    }
  });
});
describe('[effects.sql] SQL in the parameters of a call without SQL text', () => {
  const select = (parameters: Record<string, unknown>): Effects =>
    read({ tool: 'sql.select', target: 'users', parameters });

  test.each(cases.inParameters)('%j', (parameters, found) => {
    const effects = select(parameters);
    expect(shown(effects)).toEqual(['sql.select users', ...found]);
    expect(effects.unclear).toBeUndefined();
  });

  test('a string that no grammar parses is unclear', () => {
    expect(select({ where: 'id = 1 ORDER' }).unclear).toContain('grammar rejects');
    expect(select({ raw: 'delete orders from users' }).unclear).toContain('grammar rejects');
  });

  test.each([
    [{ columns: ['id', 'users.name', '*'], order_by: ['name desc'], limit: 10, offset: '5' }],
    [{ where: "status = 'open' and total > 10", columns: ['count(*)', 'lower(name) as n'] }],
    [{ where: { id: 'drop table users; (1).wipe' }, database: 'shop-1' }],
    [{ note: 'update of the report; it is urgent', who: 'the finance team', limit: 5 }],
  ])('%j only reads from the table', (parameters) => {
    expect(shown(select(parameters))).toEqual(['sql.select users']);
    expect(select(parameters).unclear).toBeUndefined();
  });
});
describe('tools of other protocols', () => {
  const mcp = (tool: string, parameters: Record<string, unknown>): Effects =>
    read({ protocol: 'mcp', tool, target: '', parameters });

  test.each(cases.runners)('%s %j', (tool, parameters) => {
    const effects = mcp(tool, parameters);
    expect(shown(effects)).toEqual(['sql.delete users']);
    expect(effects.unclear).toBeUndefined();
  });

  const sql = 'select * from orders';
  test.each([
    { output_file: 'x' },
    { destination: 's3://a' },
    { connection_string: 'postgres://a' },
    { database: 'postgres://a/b' },
    { role: 'admin' },
    { frob: 1 },
  ])('[effects.sql] %j in addition to the text may change what runs', (other) => {
    expect(mcp('db.execute_sql', { sql, ...other }).unclear).toContain('may change what runs');
  });
  test.each([{ database: 'shop' }, { params: ['a@b.example'] }, { limit: 10 }, { projectId: 'p' }, { timeout_ms: 5 }])(
    '[effects.sql] %j does not',
    (other) => expect(mcp('db.execute_sql', { sql, ...other }).unclear).toBeUndefined(),
  );

  test.each(cases.drops)('[effects.sql] %s %j drops a table', (tool, parameters) => {
    expect(shown(mcp(tool, parameters))).toContain('sql.drop orders');
  });

  test.each([
    ['get_rows', { query: "select sleep(5) from dual where x = 'a' limit 1, 2" }],
    ['get_rows', { query: 'replace into a values (1)' }],
    ['get_rows', { query: 'delete from a limit 5' }],
    ['get_rows', { query: 'exec xp_cmdshell' }],
    ['read_query', { query: "unload ('select 1') to 's3://bucket/x'" }],
    ['readQuery', { query: 'put file:///srv/x @stage' }],
    ['read-only-query', { query: 'handler t open' }],
    ['lake__read_sql', { query: "export data options (uri = 'gs://x') as select 1" }],
    ['get_rows', { query: "attach 'x' as y" }],
    ['get_rows', { query: 'set global x = 1' }],
    ['get_rows', { statement: 'begin; frobnicate' }],
    ['get_rows', { query: `${';'.repeat(300)}drop database x frob` }],
  ])('[effects.sql] %s %j is unclear', (tool, parameters) => {
    expect(mcp(tool, parameters).unclear).toBeDefined();
  });

  test.each(cases.withoutStatement)('[effects.sql] %s %j contains no statement', (tool, parameters) => {
    expect(mcp(tool, parameters)).toEqual({ parts: [], carrier: false });
  });

  test('only tools that run the text in a database are carriers', () => {
    const sql = 'select 1';
    for (const tool of ['postgres.query', 'execute_sql', 'db.run_query']) expect(mcp(tool, { sql }).carrier).toBe(true);
    for (const tool of ['postgres.backup', 'search.query', 'anything']) expect(mcp(tool, { sql }).carrier).toBe(false);
  });

  test('parameters that are used for something other than SQL are ignored', () => {
    for (const query of ['weather in Graz', 'open bugs label:x', 'how do I drop a course?']) {
      expect(mcp('search.query', { query })).toEqual({ parts: [], carrier: false });
    }
    expect(mcp('mail.send', { text: 'select * from users' })).toEqual({ parts: [], carrier: false });
  });

  test('text that looks like SQL and cannot be parsed is unclear', () => {
    expect(mcp('mssql.query', { query: 'select top 5 * from users' }).unclear).toContain('grammar rejects');
    expect(mcp('search.query', { query: 'select top 5 * from users' }).unclear).toContain('grammar rejects');
  });

  test.each(cases.dialects)('%s means something different in a database other than PostgreSQL', (sql, why) => {
    expect(mcp('mysql.query', { sql }).unclear).toContain(why);
  });

  test.each(cases.sameEverywhere)('%s means the same thing in all databases', (sql) =>
    expect(mcp('mysql.query', { sql }).unclear).toBeUndefined(),
  );

  test('tools named after PostgreSQL are parsed as PostgreSQL', () => {
    expect(mcp('postgres.query', { sql: "select data #> '{a}', $$x$$ from t --x" }).unclear).toBeUndefined();
    expect(mcp('postgres.query', { sql: 'select * from "a:b"' }).unclear).toBeUndefined();
  });
});
describe('limits', () => {
  test('text above the size limit is unclear', () => {
    expect(readSql(`select '${'x'.repeat(maxSqlBytes)}'`).unclear).toContain('longer than');
    const half = `select '${'x'.repeat(maxSqlBytes / 2)}'`;
    expect(read({ parameters: { statements: [half] } }).unclear).toBeUndefined();
    expect(read({ parameters: { statements: [half, half] } }).unclear).toContain('longer than');
  });

  test('a call with too many SQL texts is unclear', () => {
    expect(read({ parameters: { statements: Array(501).fill('select 1') } }).unclear).toContain('more than 500');
    expect(read({ parameters: { statements: Array(20).fill('select 1') } }).unclear).toBeUndefined();
    expect(
      read({ tool: 'sql.select', target: 'users', parameters: { columns: Array(501).fill('lower(a)') } }).unclear,
    ).toContain('more than 500');
  });

  test('deep nesting is reported as unclear before parsing, and ordinary nesting is not', () => {
    const nested = (depth: number) => readSql(`select ${'('.repeat(depth)}1${')'.repeat(depth)}`);
    expect(nested(300).unclear).toContain('nests parentheses');
    expect(nested(60).unclear).toBeUndefined();
    expect(readSql('select f(a), (b), (c)'.replace('f', 'abs')).unclear).toBeUndefined();
  });

  test('a run of operators that would take the scanner minutes is unclear', () => {
    expect(readSql(`select 1 ${'/*'.repeat(20_000)}`).unclear).toContain('long run');
    expect(readSql(`select 1 -- ${'-'.repeat(900)}`).unclear).toBeUndefined();
  });

  test('lone surrogates are unclear', () => expect(readSql("select '\ud800'").unclear).toContain('well-formed'));

  test('when a long text is truncated, its most severe operations are kept', () => {
    const sql = `${Array.from({ length: 3000 }, (_, i) => `select * from t${i};`).join('')} drop table last`;
    const { parts, unclear } = readSql(sql);
    expect(parts).toHaveLength(1000);
    expect(parts[0]).toMatchObject({ tool: 'sql.drop', target: 'last' });
    expect(unclear).toContain('more than 1000');
  });

  test('long chains and unions are accepted', () => {
    const chain = Array.from({ length: 2000 }, (_, i) => `x = ${i}`).join(' or ');
    expect(shown(readSql(`select * from a where ${chain}`))).toEqual(['sql.select a']);
    const union = Array.from({ length: 1000 }, (_, i) => `select ${i} from t`).join(' union all ');
    expect(shown(readSql(union))).toEqual(['sql.select t']);
  });

  test('a parser failure makes the call unclear', () => {
    const broken = sqlEffects(() => {
      throw new Error('out of memory');
    });
    expect(broken(callOf({ parameters: { sql: 'select 1' } })).unclear).toContain('out of memory');
    for (const tree of [
      undefined,
      null,
      7,
      { stmts: 'x' },
      { stmts: [null] },
      { stmts: [{ stmt: { FutureStmt: {} } }] },
    ]) {
      expect(sqlEffects(() => tree)(callOf({ parameters: { sql: 'select 1' } })).unclear).toBeDefined();
    }
  });

  test('parameters that are not an object make the call unclear', () => {
    expect(read({ parameters: null as never }).unclear).toContain('could not be read');
  });
});
