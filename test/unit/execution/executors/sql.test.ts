/**
 * The pure part of the `sql` executor: text split into statements, statements built from tables, logins and databases.
 */

import * as z from 'zod';
import type { SqlDatabaseEntry } from '#core/contracts/config.ts';
import { ExecutionFault } from '#core/execution/executors/fault.ts';
import { assertTarget, databaseOf, serverOf } from '#core/execution/executors/sql/database.ts';
import { namedPlaceholders, scanSql } from '#core/execution/executors/sql/scan.ts';
import { sqlCallOf } from '#core/execution/executors/sql/statements.ts';
import { configured, credentialOf, envelopeOf, faultOf } from '../../../support/executor-cases.ts';
import { anything, object, readCases, rows, text } from '../../../support/yaml.ts';

const { parted, refusedTexts, statements, refusedTables } = readCases(
  'test/unit/execution/executors/sql.yaml',
  z.strictObject({
    parted: rows(text, z.number(), text),
    refusedTexts: rows(object, text),
    statements: rows(text, text, object, text, anything),
    refusedTables: rows(text, text, object),
  }),
);

const call = (tool: string, target: string, capability: string, parameters: Record<string, unknown>) =>
  envelopeOf('sql', tool, target, capability, parameters);
const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
};
const refusedWith = (text: string) =>
  expect.objectContaining({ kind: 'refused', message: expect.stringContaining(text) });

describe('SQL text is split the way PostgreSQL splits it', () => {
  test.each(parted)('%j holds %d', (text, statements, firstWord) => {
    expect(scanSql(text)).toMatchObject({ statements, firstWord });
  });

  test('placeholders are recognised only in code', () => {
    const text = "SELECT $1, '$2', \"$3\", $$ $4 $$, -- $5\n a$6, $12::text /* $7 */, E'\\'$8'";
    expect(namedPlaceholders(text)).toBe(
      "SELECT :p1, '$2', \"$3\", $$ $4 $$, -- $5\n a$6, :p12::text /* $7 */, E'\\'$8'",
    );
  });
});

describe('the statements that are run', () => {
  test('a query runs with its values, and is read-only only for a read call', () => {
    const parameters = { query: 'SELECT $1', parameters: [{ a: 1 }] };
    expect(sqlCallOf(call('sql.query', 'shop', 'read', parameters))).toEqual({
      statements: [{ text: 'SELECT $1', values: [{ a: 1 }] }],
      readOnly: true,
    });
    expect(sqlCallOf(call('sql.query', 'shop', 'write', parameters)).readOnly).toBe(false);
  });

  test('several statements run in one transaction, each with its own values', () => {
    const statements = ['UPDATE t SET a = 1', { sql: 'DELETE FROM t WHERE id = $1', parameters: [2] }];
    expect(sqlCallOf(call('sql.execute', 'shop', 'write', { statements })).statements).toEqual([
      { text: 'UPDATE t SET a = 1', values: [] },
      { text: 'DELETE FROM t WHERE id = $1', values: [2] },
    ]);
  });

  test.each([...refusedTexts, [{ sql: 'SELECT \ud800' }, 'well-formed'] as const])(
    '%j is refused',
    (parameters, words) => {
      expect(thrownBy(() => sqlCallOf(call('sql.query', 'shop', 'write', parameters)))).toEqual(refusedWith(words));
    },
  );

  test.each(['INSERT INTO t VALUES (1)', 'DO $$ $$', 'SET x = 1', 'CALL p()', 'VACUUM'])(
    '%s is not a read statement',
    (sql) => {
      expect(thrownBy(() => sqlCallOf(call('sql.query', 'shop', 'read', { sql })))).toEqual(
        refusedWith('not a read statement'),
      );
    },
  );
});

describe('statements built from a table', () => {
  const built = (tool: string, target: string, parameters: Record<string, unknown>) =>
    sqlCallOf(call(tool, target, 'write', parameters)).statements[0];

  test.each(statements)('%s on %s', (tool, target, parameters, text, values) => {
    expect(built(tool, target, parameters)).toEqual({ text, values });
  });

  test('table and column lookups pass names as bound parameters', () => {
    expect(built('sql.describe', 'Users', {})).toMatchObject({ values: ['public', 'users'] });
    expect(built('sql.list_tables', '', { schema: 'app' })).toMatchObject({ values: ['app'] });
  });

  test.each(refusedTables)('%s on %j with %j is refused', (tool, target, parameters) => {
    expect(thrownBy(() => built(tool, target, parameters))).toMatchObject({ kind: 'refused' });
  });
});

describe('the database and its credentials', () => {
  const databases = (...entries: object[]): readonly SqlDatabaseEntry[] =>
    configured({ executors: { sql: { databases: entries } } }).executors.sql.databases;
  const shop = { name: 'shop', host: 'db.test', database: 'shop' };
  const byUrl = { name: 'log', url_env: 'LOG_URL' };
  const aurora = {
    name: 'big',
    database: 'big',
    resource_arn: 'arn:aws:rds:eu-west-1:123456789012:cluster:big',
    secret_arn: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:big-AbCdEf',
  };
  const all = databases(shop, byUrl, aurora);
  const named = (target: string, parameters = {}) => databaseOf({ target, parameters }, all)?.name;

  test('the named database is used, or the only one configured', () => {
    expect(named('users', { database: 'log' })).toBe('log');
    expect(named('shop')).toBe('shop');
    expect(named('db.test:5432')).toBe('shop');
    expect(named(aurora.resource_arn)).toBe('big');
    expect(named('users')).toBeUndefined();
    expect(named('shop', { database: 'nowhere' })).toBeUndefined();
    expect(databaseOf({ target: 'users', parameters: {} }, databases(shop))?.name).toBe('shop');
  });

  test('an address or the name of another database is not treated as a label', () => {
    const target = (text: string) => thrownBy(() => assertTarget(text, all[0]!, all));
    expect([target('shop'), target('users'), target('app."odd/name"')]).toEqual([undefined, undefined, undefined]);
    expect(target('log')).toEqual(refusedWith('names database log'));
    for (const text of ['other.test:5432', 'postgres://other/x', 'a b', 'arn:aws:rds:x'])
      expect(target(text)).toEqual(refusedWith('is an address'));
  });

  const secrets = { get: async (name: string) => ({ LOG_URL: 'postgres://own:own-pa%24s@log.test:6432/logs' })[name] };

  test('a minted login is accepted as JSON or as a URL of exactly this server; otherwise the configured login is used', async () => {
    const [one, two] = all;
    const json = await serverOf(one!, credentialOf('{"username":"u","password":"p"}'), secrets);
    expect(json.server).toEqual({
      host: 'db.test',
      port: 5432,
      database: 'shop',
      tls: 'verify',
      user: 'u',
      password: 'p',
    });
    const url = await serverOf(one!, credentialOf('postgres://u2:p2@db.test/shop'), secrets);
    expect(url.server).toMatchObject({ user: 'u2', password: 'p2' });
    const own = await serverOf(two!, undefined, secrets);
    expect(own).toEqual({
      server: { host: 'log.test', port: 6432, database: 'logs', tls: 'verify', user: 'own', password: 'own-pa$s' },
      configured: ['own-pa$s'],
    });
    const minted = await serverOf(two!, credentialOf('{"username":"u","password":"p"}'), secrets);
    expect(minted.server).toMatchObject({ host: 'log.test', user: 'u' });
  });

  test.each([
    [undefined, 'no_credential'],
    ['postgres://u:p@elsewhere.test/shop', 'refused'],
    ['postgres://u:p@db.test/other', 'refused'],
    ['just-a-token', 'refused'],
    ['{"username":"u"}', 'refused'],
  ])('the credential %p results in %s', async (secret, kind) => {
    const fault = await faultOf(serverOf(all[0]!, secret === undefined ? undefined : credentialOf(secret), secrets));
    expect(fault).toBeInstanceOf(ExecutionFault);
    expect(fault).toMatchObject({ kind });
    if (secret !== undefined) expect((fault as Error).message).not.toContain(secret);
  });

  test('a missing or unreadable database URL is reported as unreachable', async () => {
    const fault = await faultOf(serverOf(all[1]!, undefined, { get: async () => undefined }));
    expect(fault).toMatchObject({ kind: 'unreachable' });
    const closed = { get: () => Promise.reject(new Error('the store is down')) };
    expect(await faultOf(serverOf(all[1]!, undefined, closed))).toMatchObject({
      kind: 'unreachable',
      effect: 'none',
    });
  });
});
