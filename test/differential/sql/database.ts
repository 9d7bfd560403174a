/**
 * PostgreSQL in this process (PGlite) with tables, and with functions, operators, types and casts that leave a trace
 * when they run. The effect of a statement is the difference it leaves, or a server file's content among its rows.
 */
import { readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';

/** String in the name and content of a server file. */
export const canary = 'canary-7c1f';
/** A file in the database folder with the same content and a neutral name. */
const plainFile = 'notes';

export interface Database {
  /** Runs SQL as if entered by hand, without a READ ONLY transaction around it. Its changes remain. */
  run(sql: string): Promise<Outcome>;
  /** Runs SQL inside a transaction that is rolled back after its effects are read. */
  tryOut(sql: string): Promise<Outcome>;
  /** Runs each statement separately, even if some fail, and checks for traces once. */
  runAll(texts: readonly string[]): Promise<{ readonly traces: readonly string[]; readonly ran: number }>;
  /** Returns calls to built-in functions, one for each signature, with arguments of the right types. */
  callsOf(names: readonly string[]): Promise<string[]>;
  /** Restores everything. */
  restore(): Promise<void>;
}

interface Outcome {
  /** Changed data, or content read from the server's files; empty if there was none. */
  readonly traces: readonly string[];
  /** PostgreSQL's message explaining why the statement did not complete. */
  readonly error?: string;
}

/** Function definitions that each call `trace`, so that a row of `traces` shows that the function ran. */
const definitions = readFileSync('test/differential/sql/database.sql', 'utf8');

/** Returns a value of a type as SQL text. */
function argumentOf(type: string): string {
  if (type in examples) return examples[type]!;
  if (type.endsWith('[]')) return `array[${argumentOf(type.slice(0, -2))}]::${type}`;
  return `null::${/^any|^record$|^internal$|^cstring$/.test(type) ? 'int' : type}`;
}

const examples = readCases('test/differential/sql/examples.yaml', z.record(z.string(), z.string()));

/** A query that returns all data that can change, as one text value. */
const state = `select jsonb_build_object(
  'rows', (select jsonb_build_array(
    (select jsonb_agg(t order by id) from users t), (select jsonb_agg(t order by id) from orders t),
    (select jsonb_agg(t.id order by id) from docs t), (select jsonb_agg(t order by user_id) from hr.salaries t))),
  'traces', (select jsonb_agg(t) from traces t),
  'sequence', (select jsonb_build_array(last_value, is_called) from counter),
  'settings', (select sum(hashtext(name || '=' || coalesce(setting, ''))) from pg_settings),
  'own settings', current_setting('app.x', true),
  'relations', (select sum(hashtext(oid::text || relname || coalesce(relacl::text, ''))) from pg_class),
  'functions', (select sum(hashtext(oid::text || proname || coalesce(proacl::text, ''))) from pg_proc),
  'types', (select count(*) from pg_type), 'operators', (select count(*) from pg_operator),
  'roles', (select md5(string_agg(a::text, ',' order by oid)) from pg_authid a),
  'catalogue', (select jsonb_build_array((select count(*) from pg_trigger), (select count(*) from pg_rewrite),
    (select count(*) from pg_cast), (select count(*) from pg_namespace), (select count(*) from pg_description),
    (select count(*) from pg_constraint), (select count(*) from pg_extension), (select count(*) from pg_policy))),
  'large objects', (select jsonb_build_array((select count(*) from pg_largeobject_metadata), (select md5(string_agg(data, '' order by loid)) from pg_largeobject))),
  'locks', (select count(*) from pg_locks where locktype = 'advisory'),
  'channels', (select jsonb_agg(c) from pg_listening_channels() c),
  'prepared', (select jsonb_agg(name) from pg_prepared_statements), 'cursors', (select jsonb_agg(name) from pg_cursors),
  'files', (select jsonb_agg(f order by f) from pg_ls_dir('/${canary}') f)
)::text as state`;

/** Starts the database, which is entirely in memory. */
export async function openDatabase(): Promise<Database> {
  const db = await PGlite.create();
  // The file exists before anything is compared.
  db.Module.FS.mkdir(`/${canary}`);
  for (const path of [`/${canary}/file`, `/pglite/data/${plainFile}`])
    db.Module.FS.writeFile(path, `${canary} ${'x'.repeat(100)}`);
  await db.exec(definitions);
  let notified = 0;
  await db.listen('noticed', () => notified++);
  const look = async (): Promise<Record<string, unknown>> => {
    const { rows } = await db.query<{ state: string }>(state);
    return { ...(JSON.parse(rows[0]!.state) as Record<string, unknown>), notified };
  };
  let before = await look();

  const execute = async (sql: string): Promise<{ traces: string[]; error?: string }> => {
    try {
      const rows = JSON.stringify((await db.exec(sql)).map((result) => result.rows));
      return { traces: rows.includes(canary) ? ['a file of the server was read'] : [] };
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown.message : String(thrown);
      return { traces: error.includes(canary) ? ['a file of the server was named'] : [], error };
    }
  };
  const changes = (after: Record<string, unknown>): string[] =>
    Object.keys(after)
      .filter((key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]))
      .map((key) => `${key} changed`);

  const restore = async (): Promise<void> => {
    await db.exec(`rollback; reset all; select pg_advisory_unlock_all(); deallocate all; close all;
        select lo_unlink(oid) from pg_largeobject_metadata;
        drop schema public cascade; drop schema hr cascade; create schema public;`);
    await db.exec(definitions);
    before = await look();
  };

  return {
    async run(sql) {
      const { traces, error } = await execute(sql);
      await db.exec('rollback');
      const after = await look();
      traces.push(...changes(after));
      before = after;
      return { traces, ...(error !== undefined && { error }) };
    },

    async runAll(texts) {
      const traces = new Set<string>();
      let ran = 0;
      for (const sql of texts) {
        const outcome = await execute(sql);
        await db.exec('rollback');
        if (outcome.error === undefined) ran++;
        for (const trace of outcome.traces) traces.add(`${trace}: ${sql}`);
      }
      const after = await look();
      for (const trace of changes(after)) traces.add(trace);
      before = after;
      return { traces: [...traces], ran };
    },

    async callsOf(names) {
      const { rows } = await db.query<{ name: string; types: string[]; retset: boolean }>(
        `select proname as name, array(select format_type(t, null) from unnest(proargtypes) with ordinality u(t, n) order by n) as types
        from pg_proc where pronamespace = 'pg_catalog'::regnamespace and prokind = 'f' and proname = any ($1)`,
        [names],
      );
      return rows.map(({ name, types: given }) => `select pg_catalog."${name}"(${given.map(argumentOf).join(', ')})`);
    },

    async tryOut(sql) {
      await db.exec('begin');
      const { traces, error } = await execute(sql);
      if (error === undefined) traces.push(...changes(await look()));
      await db.exec('rollback');
      // Sequences, locks and messages are not affected.
      const after = await look();
      const stayed = changes(after);
      if (stayed.length > 0) await restore();
      return { traces: [...traces, ...stayed], ...(error !== undefined && { error }) };
    },

    restore,
  };
}
