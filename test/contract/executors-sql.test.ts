/**
 * Transactions of executor `sql`: against a real PostgreSQL server if the machine has one, and as RDS Data API calls.
 */
import { Client } from 'pg';
import { postgresTransaction } from '#adapters/executors/postgres.ts';
import { rdsDataTransaction } from '#adapters/executors/rds-data.ts';
import { executorsFrom } from '#core/execution/executors/executors.ts';
import type { AuroraCluster, PostgresServer, SqlResult, SqlWork } from '#core/execution/executors/ports.ts';
import { configured, credentialOf, envelopeOf, faultOf, noClients } from '../support/executor-cases.ts';
import { postgresPrograms, startPostgres } from '../support/postgres.ts';
import { awsError, type Scripted, scriptedAws } from '../support/scripted-aws.ts';
import { useStarted } from '../support/use-started.ts';

const limits = { maxRows: 5, maxResultBytes: 10_000, statementTimeoutMs: 10_000 };

// Without the server's programs (Debian: postgresql), there is no server to test against.
(postgresPrograms === undefined ? describe.skip : describe)('PostgreSQL', () => {
  let owner: Client;
  const place = (): PostgresServer => ({ ...server, database: 'postgres', tls: 'off' });
  const work = (readOnly: boolean, texts: (string | [string, unknown[]])[], rest = {}): SqlWork<PostgresServer> => ({
    server: place(),
    readOnly,
    ...limits,
    ...rest,
    statements: texts.map((each) =>
      typeof each === 'string' ? { text: each, values: [] } : { text: each[0], values: each[1] },
    ),
  });
  const one = async (readOnly: boolean, text: string, values: unknown[] = [], rest = {}): Promise<SqlResult> =>
    (await postgresTransaction(work(readOnly, [[text, values]], rest)))[0]!;
  const rowsNow = async () => (await owner.query('SELECT count(*)::int AS n FROM items')).rows[0].n as number;

  // Runs before the server stops.
  afterAll(() => owner?.end());
  const server = useStarted(() => startPostgres());
  beforeAll(async () => {
    owner = new Client({ ...place(), ssl: false });
    await owner.connect();
    await owner.query(`
      CREATE TABLE items (id int PRIMARY KEY, name text, extra jsonb);
      CREATE FUNCTION grow() RETURNS int LANGUAGE sql AS 'INSERT INTO items VALUES (999) RETURNING id';
      CREATE SCHEMA hidden; CREATE TABLE hidden.items (id int);
      INSERT INTO items SELECT n, 'name ' || n FROM generate_series(1, 100) n;
    `);
  });

  test('rows are returned as typed JSON, up to the requested number', async () => {
    const result = await one(
      true,
      "SELECT 1 AS i, 2::bigint AS b, 9007199254740993::bigint AS big, 1.50::numeric AS n, true AS t, null AS nothing, 'x' AS s, '{\"a\":[1]}'::jsonb AS j, '2026-01-02'::date AS d, 'NaN'::float8 AS f, 3 AS i",
    );
    expect(result.rows).toEqual([
      {
        i: 1,
        b: 2,
        big: '9007199254740993',
        n: '1.50',
        t: true,
        nothing: null,
        s: 'x',
        j: { a: [1] },
        d: '2026-01-02',
        f: 'NaN',
        i_2: 3,
      },
    ]);
    expect(result.fields.slice(0, 2)).toEqual([
      { name: 'i', type: 'integer' },
      { name: 'b', type: 'bigint' },
    ]);
    expect(await one(true, 'SELECT * FROM items ORDER BY id')).toMatchObject({ row_count: 5, truncated: true });
    expect(await one(true, 'SELECT * FROM items WHERE id <= 5')).toMatchObject({ row_count: 5, truncated: false });
    expect(await one(true, 'SELECT * FROM items WHERE false')).toMatchObject({
      rows: [],
      row_count: 0,
      truncated: false,
    });
  });

  test('a read is limited on the server, which sends no more rows than are returned', async () => {
    // The division by zero comes after the requested rows.
    const { rows } = await one(true, 'SELECT 1 / (50 - n) AS x FROM generate_series(1, 100) n');
    expect(rows).toHaveLength(5);
  });

  test('results are also limited in bytes', async () => {
    const wide = "SELECT repeat('x', 4000) FROM generate_series(1, 4)";
    expect(await one(true, wide)).toMatchObject({ row_count: 2, truncated: true });
    const fault = await faultOf(one(true, "SELECT repeat('x', 1000000)"));
    expect(fault).toMatchObject({ kind: 'too_large', effect: 'none' });
  });

  test('[executor.http] values are bound and never parsed as SQL', async () => {
    const hostile = "x'; DROP TABLE items; --";
    expect(
      (await one(true, 'SELECT $1::text AS v, $2::int AS n, $3::jsonb AS j', [hostile, 7, { a: hostile }])).rows,
    ).toEqual([{ v: hostile, n: 7, j: { a: hostile } }]);
    expect((await one(true, 'SELECT $1::bool AS b, $2::text AS n', [true, null])).rows).toEqual([{ b: true, n: null }]);
  });

  test.each([
    'DELETE FROM items',
    'SELECT grow()',
    'WITH x AS (DELETE FROM items RETURNING id) SELECT * FROM x',
    'EXPLAIN ANALYZE DELETE FROM items',
    "SELECT set_config('transaction_read_only', 'off', false), grow()",
    'SET TRANSACTION READ WRITE',
    'DO $$ BEGIN SET TRANSACTION READ WRITE; DELETE FROM items; END $$',
    'DO $$ BEGIN COMMIT; DELETE FROM items; END $$',
    'SELECT 1; DELETE FROM items',
    'COMMIT; DELETE FROM items',
    'CREATE TABLE other (id int)',
  ])('a read-only transaction changes no data: %s', async (text) => {
    await faultOf(postgresTransaction(work(true, [text, 'SELECT 1']))).catch(() => {});
    expect(await rowsNow()).toBe(100);
    expect((await owner.query("SELECT to_regclass('other') AS t")).rows).toEqual([{ t: null }]);
  });

  test('writes form one transaction: all or none', async () => {
    const done = await postgresTransaction(
      work(false, [
        'INSERT INTO items (id) VALUES (201), (202)',
        ['UPDATE items SET name = $1 WHERE id > 200 RETURNING id', ['new']],
        'DELETE FROM items WHERE id = 202',
      ]),
    );
    expect(done.map(({ row_count }) => row_count)).toEqual([2, 2, 1]);
    expect(done[1]!.rows).toEqual([{ id: 201 }, { id: 202 }]);
    expect(await rowsNow()).toBe(101);
    const broken = postgresTransaction(work(false, ['DELETE FROM items', 'INSERT INTO items (id) VALUES (1), (1)']));
    expect(await faultOf(broken)).toMatchObject({ kind: 'conflict', effect: 'none' });
    expect(await rowsNow()).toBe(101);
    await one(false, 'DELETE FROM items WHERE id = 201');
  });

  test('a write runs to completion even if only a few of its rows are shown', async () => {
    const result = await one(false, 'UPDATE items SET name = name RETURNING id');
    expect(result).toMatchObject({ row_count: 100, truncated: true });
    expect(result.rows).toHaveLength(5);
  });

  test('a constraint violation at COMMIT is a failure, not an unknown outcome', async () => {
    await owner.query('CREATE TABLE late (id int UNIQUE DEFERRABLE INITIALLY DEFERRED)');
    const fault = await faultOf(one(false, 'INSERT INTO late VALUES (1), (1)'));
    expect(fault).toMatchObject({ kind: 'conflict', effect: 'none' });
  });

  test('names without a schema refer to schema public', async () => {
    await owner.query('ALTER ROLE owner SET search_path = hidden');
    expect((await one(true, 'SELECT count(*)::int AS n FROM items')).rows).toEqual([{ n: 100 }]);
    await owner.query('ALTER ROLE owner RESET search_path');
  });

  test.each([
    ['SELECT pg_sleep(60)', 'timeout'],
    ['SELECT * FROM nowhere', 'not_found'],
    ['SELEC 1', 'invalid'],
    ["SELECT 'x'::int", 'invalid'],
    ['SELECT 1 AS a; SELECT 2', 'invalid'],
    ['COPY items TO STDOUT', undefined],
    ['COPY items FROM STDIN', undefined],
  ])('%s is %s', async (text, kind) => {
    const fault = await faultOf(one(false, text, [], { statementTimeoutMs: 1000 })).catch((thrown: Error) => thrown);
    if (kind !== undefined) expect(fault).toMatchObject({ name: 'ExecutionFault', kind, effect: 'none' });
    expect(await rowsNow()).toBe(100);
  });

  test('a wrong login and an unreachable server are reported differently', async () => {
    const wrong = { ...place(), password: 'wrong-password' };
    const refused = await faultOf(postgresTransaction({ ...work(true, ['SELECT 1']), server: wrong }));
    expect(refused).toMatchObject({ kind: 'unauthorized', effect: 'none' });
    expect((refused as Error).message).not.toContain('wrong-password');
    const absent = { ...place(), port: 1 };
    expect(await faultOf(postgresTransaction({ ...work(true, ['SELECT 1']), server: absent }))).toMatchObject({
      kind: 'unreachable',
    });
    const encrypted = { ...place(), tls: 'verify' as const };
    expect(await faultOf(postgresTransaction({ ...work(true, ['SELECT 1']), server: encrypted }))).toMatchObject({
      kind: 'unreachable',
    });
  });

  test('no connection is left open', async () => {
    await one(true, 'SELECT 1');
    const open = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'agent-governance-gateway'";
    for (;;) if ((await owner.query(open)).rows[0].n === 0) break;
  });

  test('tables can be described and changed without SQL, using the login from a configured URL', async () => {
    const url = `postgres://${server.user}:${server.password}@${server.host}:${server.port}/postgres`;
    const databases = [{ name: 'shop', url_env: 'SHOP_URL', tls: 'off' }];
    const [executor] = executorsFrom(configured({ executors: { sql: { databases } } }), {
      ...noClients,
      secrets: { get: async (name) => (name === 'SHOP_URL' ? url : undefined) },
      postgres: postgresTransaction,
    });
    const act = (tool: string, capability: string, parameters: Record<string, unknown>) =>
      executor!.execute(envelopeOf('sql', tool, 'items', capability, parameters), undefined);
    expect(await act('sql.describe', 'read', {})).toMatchObject({ row_count: 3 });
    expect(
      await act('sql.insert', 'write', { values: { id: 300, extra: { a: 1 } }, returning: ['extra'] }),
    ).toMatchObject({
      rows: [{ extra: { a: 1 } }],
    });
    expect(await act('sql.update', 'write', { set: { name: 'n' }, where: { id: 300 } })).toMatchObject({
      row_count: 1,
    });
    expect(await act('sql.select', 'read', { columns: ['name'], where: { id: [300, 301], name: 'n' } })).toMatchObject({
      rows: [{ name: 'n' }],
    });
    expect(await act('sql.delete', 'delete', { where: { id: 300 } })).toMatchObject({ row_count: 1 });
    expect(JSON.stringify(await act('sql.select', 'read', { where: { name: 'name 1' } }))).toContain('name 1');
    const told = executor!.execute(
      envelopeOf('sql', 'sql.query', 'shop', 'read', { sql: `SELECT '${server.password}' AS p` }),
      undefined,
    );
    expect(await told).toMatchObject({ rows: [{ p: '[credential withheld]' }] });
    const failed = executor!.execute(
      envelopeOf('sql', 'sql.query', 'shop', 'read', { sql: `SELECT '${server.password}'::int` }),
      credentialOf(JSON.stringify({ username: 'owner', password: server.password })),
    );
    expect(((await faultOf(failed)) as Error).message).not.toContain(server.password);
  });
});

describe('RDS Data API', () => {
  const cluster: AuroraCluster = {
    resourceArn: 'arn:aws:rds:us-east-1:123456789012:cluster:c',
    secretArn: 'arn:aws:secretsmanager:us-east-1:123456789012:secret:s-AbCdEf',
    database: 'shop',
  };
  const aws = useStarted(() => scriptedAws());

  const begun: Scripted = { body: { transactionId: 'tx' } };
  const set: Scripted[] = [{ body: {} }, { body: {} }, { body: {} }];
  const transaction = (readOnly: boolean, statements: { text: string; values: unknown[] }[], signal?: AbortSignal) =>
    rdsDataTransaction({ ...aws.client, maxAttempts: 3 })(
      { server: cluster, readOnly, statements, ...limits, maxRows: 2 },
      signal,
    );
  const asked = () => aws.asked.map(({ path, body }) => [path, (JSON.parse(body) as { sql?: string }).sql]);
  const rows = {
    columnMetadata: [
      { name: 'id', typeName: 'int4' },
      { name: 'j', label: 'extra', typeName: 'jsonb' },
    ],
    records: [1, 2, 3].map((n) => [{ longValue: n }, { stringValue: '{"a":1}' }]),
  };

  test('[executor.http] reads run in a READ ONLY transaction through a cursor, fetching one row more than requested', async () => {
    aws.answers(begun, ...set, { body: {} }, { body: rows }, { body: {} }, { body: {} });
    const text = "SELECT id, ':p9' FROM t WHERE a = $1 AND b = $2 AND c = $1;";
    const [result] = await transaction(true, [{ text, values: ['x', { a: 1 }] }]);
    expect(result).toEqual({
      rows: [
        { id: 1, extra: { a: 1 } },
        { id: 2, extra: { a: 1 } },
      ],
      row_count: 2,
      truncated: true,
      fields: [
        { name: 'id', type: 'int4' },
        { name: 'extra', type: 'jsonb' },
      ],
    });
    expect(asked()).toEqual([
      ['/BeginTransaction', undefined],
      ['/Execute', 'SET TRANSACTION READ ONLY'],
      ['/Execute', 'SET LOCAL statement_timeout = 10000'],
      ['/Execute', 'SET LOCAL search_path = public'],
      [
        '/Execute',
        "DECLARE gateway_rows NO SCROLL CURSOR FOR SELECT id, ':p9' FROM t WHERE a = :p1 AND b = :p2 AND c = :p1\n",
      ],
      ['/Execute', 'FETCH FORWARD 3 FROM gateway_rows'],
      ['/Execute', 'CLOSE gateway_rows'],
      ['/RollbackTransaction', undefined],
    ]);
    expect(JSON.parse(aws.asked[4]!.body)).toMatchObject({
      resourceArn: cluster.resourceArn,
      secretArn: cluster.secretArn,
      database: 'shop',
      transactionId: 'tx',
      parameters: [
        { name: 'p1', value: { stringValue: 'x' } },
        { name: 'p2', value: { stringValue: '{"a":1}' }, typeHint: 'JSON' },
      ],
    });
  });

  test('writes are committed together', async () => {
    aws.answers(begun, ...set, { body: { numberOfRecordsUpdated: 3 } }, { body: {} });
    const [result] = await transaction(false, [{ text: 'UPDATE t SET a = 1', values: [] }]);
    expect(result).toEqual({ rows: [], row_count: 3, fields: [], truncated: false });
    expect(asked().at(-1)).toEqual(['/CommitTransaction', undefined]);
  });

  test('a failed statement is rolled back and not retried', async () => {
    aws.answers(begun, ...set, { ...awsError('DatabaseErrorException', 400) }, { body: {} });
    const fault = await faultOf(transaction(false, [{ text: 'UPDATE t SET a = 1', values: [] }]));
    expect(fault).toMatchObject({ kind: 'invalid', effect: 'none' });
    expect(asked().at(-1)).toEqual(['/RollbackTransaction', undefined]);
    expect(aws.asked).toHaveLength(6);
  });

  test.each([
    [awsError('InternalServerErrorException', 500), true],
    [awsError('BadRequestException', 400), false],
  ])('a COMMIT that gets %j leaves the outcome unknown: %p', async (answer, uncertain) => {
    aws.answers(begun, ...set, { body: {} }, answer, { body: {} });
    const fault = await faultOf(transaction(false, [{ text: 'UPDATE t SET a = 1', values: [] }]));
    expect(fault).toMatchObject({ effect: uncertain ? 'unknown' : 'none' });
    expect(asked().filter(([path]) => path === '/CommitTransaction')).toHaveLength(1);
  });

  test('if the start of a transaction is refused, nothing more is sent', async () => {
    aws.answers(awsError('AccessDeniedException', 403));
    expect(await faultOf(transaction(true, [{ text: 'SELECT 1', values: [] }]))).toMatchObject({
      kind: 'forbidden',
      effect: 'none',
    });
    expect(aws.asked).toHaveLength(1);
  });
});
