/**
 * Checks random queries with the sql-explorer pack and runs the allowed ones: `node test/differential/sql/run.ts --seed
 * 1 --allowed 1000`, or with `--endless`. Prints one line of JSON; exits 1 if an allowed query left a trace.
 */
import { parseArgs } from 'node:util';
import { sqlGrammar } from '#adapters/sql/grammar.ts';
import { harmlessFunctions } from '#core/catalog/databases.ts';
import { decideEffects } from '#core/effects/decide-effects.ts';
import { sqlEffects } from '#core/effects/sql.ts';
import { shippedPolicy } from '../../support/decide-line.ts';
import { type Database, openDatabase } from './database.ts';
import { generator } from './generate.ts';
import { hostileStatements, hostileValues } from './hostile.ts';

export interface Summary {
  readonly asked: number;
  readonly allowed: number;
  /** Number of allowed queries that completed. */
  readonly ran: number;
  /** Allowed queries that changed or read something. */
  readonly holes: readonly { readonly sql: string; readonly traces: readonly string[] }[];
  /** Hostile forms that left no trace and therefore prove nothing. */
  readonly traceless: readonly string[];
  /** Calls to functions on the harmless list, with all their signatures. */
  readonly listed: { readonly calls: number; readonly ran: number; readonly traces: readonly string[] };
}

const share = 0.03;
/** Batch size: reading everything that can change takes far longer than a query. */
const atOnce = 50;

async function run(seed: number, wanted: number, endless: boolean): Promise<Summary> {
  const isAllowed = await decider();
  const db = await openDatabase();
  const traceless = await withoutTrace(db);
  const listed = await callListed(db);
  const next = generator(seed, share);
  const holes: Summary['holes'][number][] = [];
  let [asked, allowed, ran] = [0, 0, 0];
  while (endless || (allowed < wanted && asked < wanted * 20)) {
    const texts: string[] = [];
    while (texts.length < atOnce && (endless || asked < wanted * 20)) {
      const sql = next();
      asked++;
      if (isAllowed(sql)) texts.push(sql);
    }
    allowed += texts.length;
    const together = await db.runAll(texts);
    ran += together.ran;
    if (together.traces.length > 0) {
      const found = await holesAmong(db, texts);
      holes.push(...(found.length > 0 ? found : [{ sql: texts.join(';\n'), traces: together.traces }]));
      if (endless) console.log(JSON.stringify({ seed, asked, found }));
    }
    if (endless && allowed % 1000 === 0)
      console.log(JSON.stringify({ seed, asked, allowed, ran, holes: holes.length }));
  }
  return { asked, allowed, ran, holes, traceless, listed };
}

async function decider(): Promise<(sql: string) => boolean> {
  const policy = shippedPolicy('sql-explorer');
  const reader = sqlEffects(await sqlGrammar());
  return (sql) => {
    const call = { protocol: 'sql', tool: 'sql.query', target: 'shop', capability: 'read', parameters: { sql } };
    return decideEffects(policy, call, reader(call)).decision === 'allow';
  };
}

/** Runs each query separately, to identify the ones that leave a trace. */
async function holesAmong(db: Database, texts: readonly string[]): Promise<Summary['holes'][number][]> {
  const holes: Summary['holes'][number][] = [];
  await db.restore();
  for (const sql of texts) {
    const { traces } = await db.run(sql);
    if (traces.length === 0) continue;
    holes.push({ sql, traces });
    await db.restore();
  }
  return holes;
}

/** Calls each listed function, and checks for traces after every few calls. */
async function callListed(db: Database): Promise<Summary['listed']> {
  const calls = await db.callsOf(Object.values(harmlessFunctions).flatMap((names) => names.split(' ')));
  const traces: string[] = [];
  let ran = 0;
  for (let at = 0; at < calls.length; at += atOnce) {
    const outcome = await db.runAll(calls.slice(at, at + atOnce));
    ran += outcome.ran;
    traces.push(...outcome.traces);
  }
  return { calls: calls.length, ran, traces };
}

/** Runs every hostile form separately, whatever the policy decides. */
async function withoutTrace(db: Database): Promise<string[]> {
  const texts = [
    ...Object.values(hostileValues).flatMap((values) => values.map((value) => `select ${value}`)),
    ...hostileStatements,
  ];
  const silent: string[] = [];
  for (const sql of texts) {
    if ((await db.tryOut(sql)).traces.length > 0) continue;
    // Some leave a trace only at the end of a transaction.
    const { traces, error } = await db.run(sql);
    if (traces.length === 0) silent.push(error === undefined ? sql : `${sql} -- ${error}`);
    else await db.restore();
  }
  return silent;
}

const { values } = parseArgs({
  options: { seed: { type: 'string' }, allowed: { type: 'string' }, endless: { type: 'boolean' } },
});
const summary = await run(Number(values.seed ?? 1), Number(values.allowed ?? 1000), values.endless === true);
console.log(JSON.stringify(summary));
process.exitCode = summary.holes.length + summary.traceless.length + summary.listed.traces.length === 0 ? 0 : 1;
