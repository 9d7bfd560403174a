/**
 * Random queries over the tables in `database.ts`, from a small grammar with hostile values and replaced words. Numbers
 * stay small, so that every query ends.
 */
import * as z from 'zod';
import { readCases } from '../../support/yaml.ts';
import { hostileStatements, hostileValues, type Type, types } from './hostile.ts';
import { type Random, randomFrom } from './random.ts';

/** A name for a row source in FROM, and its columns. */
interface Source {
  readonly sql: string;
  readonly alias: string;
  readonly columns: readonly (readonly [name: string, type: Type])[];
}

const list = z.array(z.string());
const type = z.enum(types);
const { tables, constants, forms, vocabulary } = readCases(
  'test/differential/sql/generate.yaml',
  z.strictObject({
    tables: z.array(
      z
        .tuple([z.string(), z.record(z.string(), type)])
        .transform(([sql, columns]) => ({ sql, columns: Object.entries(columns) })),
    ),
    constants: z.record(type, list),
    /** Expressions by type; `<int>` is replaced by a value of that type. */
    forms: z.record(type, list),
    /** Words that replace others. */
    vocabulary: list,
  }),
);

/** @param hostility how often a value is hostile; 0 for never. */
export function generator(seed: number, hostility: number): () => string {
  const random = randomFrom(seed);
  const query = new Query(random, hostility);
  return () => {
    if (random.chance(hostility / 4)) return random.pick(hostileStatements);
    const sql = query.statement();
    return random.chance(0.2) && !sql.includes('recursive') ? exchanged(sql, random) : sql;
  };
}

class Query {
  readonly #random: Random;
  readonly #hostility: number;
  #names = 0;

  constructor(random: Random, hostility: number) {
    this.#random = random;
    this.#hostility = hostility;
  }

  statement(): string {
    const { chance, pick } = this.#random;
    if (chance(0.05))
      return `${pick(['explain ', 'explain (costs off, verbose) ', 'explain analyze '])}${this.#select(2)}`;
    if (chance(0.04)) return `${this.#select(1)}; ${this.#select(1)}`;
    if (chance(0.04)) return `values (${this.#value('int', [])}, ${this.#value('text', [])})`;
    return this.#select(3);
  }

  #select(depth: number): string {
    const { chance, pick, int } = this.#random;
    if (depth > 1 && chance(0.12)) {
      const name = this.#name('q');
      const inner = `${name} as (select ${this.#value('int', [], depth - 1)} as v, ${this.#value('text', [], depth - 1)} as w)`;
      const source: Source = {
        sql: name,
        alias: name,
        columns: [
          ['v', 'int'],
          ['w', 'text'],
        ],
      };
      return `with ${inner} ${this.#body([source], depth - 1)}`;
    }
    if (depth > 1 && chance(0.04)) {
      return `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${2 + int(4)}) ${this.#body([{ sql: 'n', alias: 'n', columns: [['i', 'int']] }], depth - 1)}`;
    }
    if (depth > 1 && chance(0.06)) {
      const type = pick<Type>(['int', 'text']);
      const side = () => `(select ${this.#value(type, [], depth - 1)})`;
      return `${side()} ${pick(['union', 'union all', 'except', 'intersect'])} ${side()} order by 1`;
    }
    const count = 1 + int(2);
    const sources = Array.from({ length: count }, () => this.#source(depth - 1));
    return this.#body(chance(0.1) ? [] : sources, depth - 1);
  }

  #body(sources: readonly Source[], depth: number): string {
    const { chance, pick, int } = this.#random;
    const types: Type[] = ['int', 'text', 'boolean', 'float', 'json', 'date', 'ints', 'texts'];
    const value = (type: Type = pick(types)): string => this.#value(type, sources, depth);
    const from = sources.length === 0 ? '' : ` from ${this.#joined(sources, depth)}`;
    const where = chance(0.6) ? ` where ${value('boolean')}` : '';
    const limit = chance(0.4) ? ` limit ${chance(0.9) ? 1 + int(5) : value('int')}` : '';
    if (from !== '' && chance(0.2)) {
      const key = value(pick<Type>(['int', 'text']));
      const having = chance(0.3) ? ` having ${pick(['count(*) > 0', `max(${value('int')}) > 1`])}` : '';
      const filter = chance(0.2) ? ` filter (where ${value('boolean')})` : '';
      return `select ${key} as k, ${this.#aggregate(sources, depth)}${filter}${from}${where} group by ${pick(['k', '1', 'rollup (1)'])}${having}${limit}`;
    }
    const list = Array.from({ length: 1 + int(3) }, () => `${value()}${chance(0.3) ? ` as ${this.#name('c')}` : ''}`);
    if (from !== '' && chance(0.15)) list.push(this.#window(sources, depth));
    if (from !== '' && chance(0.1)) list.push('*');
    const order = chance(0.3)
      ? ` order by ${pick(['1', value('int'), `${value('int')} using <`, `${value('text')} collate "C" desc`])}`
      : '';
    return `select ${chance(0.1) && order === '' ? 'distinct ' : ''}${list.join(', ')}${from}${where}${order}${limit}`;
  }

  #joined(sources: readonly Source[], depth: number): string {
    const [first, ...more] = sources;
    let text = first!.alias === first!.sql ? first!.sql : `${first!.sql} ${first!.alias}`;
    const seen = [first!];
    for (const source of more) {
      const shown = `${source.sql} ${source.alias}`;
      seen.push(source);
      const kind = this.#random.pick(['join', 'left join', 'cross join', ',']);
      text +=
        kind === ',' || kind === 'cross join'
          ? `${kind === ',' ? ',' : ` ${kind}`} ${shown}`
          : ` ${kind} ${shown} on ${this.#value('boolean', seen, depth)}`;
    }
    return text;
  }

  #source(depth: number): Source {
    const { chance, pick } = this.#random;
    const alias = this.#name('t');
    if (chance(0.6)) {
      const { sql, columns } = pick(tables);
      return { sql, alias, columns };
    }
    const value = (type: Type): string => this.#value(type, [], depth);
    return pick<() => Source>([
      () => ({ sql: `generate_series(1, 3)`, alias, columns: [[alias, 'int']] }),
      () => ({ sql: `unnest(${value('ints')})`, alias: `${alias}(e)`, columns: [['e', 'int']] }),
      () => ({
        sql: `unnest(${value('texts')}) with ordinality as`,
        alias: `${alias}(e, n)`,
        columns: [['e', 'text']],
      }),
      () => ({
        sql: `jsonb_each_text(${value('json')})`,
        alias,
        columns: [
          ['key', 'text'],
          ['value', 'text'],
        ],
      }),
      () => ({
        sql: `(select ${value('int')} as a, ${value('text')} as b)`,
        alias,
        columns: [
          ['a', 'int'],
          ['b', 'text'],
        ],
      }),
      () => ({
        sql: `(values (${value('int')}, ${value('text')}))`,
        alias: `${alias}(a, b)`,
        columns: [
          ['a', 'int'],
          ['b', 'text'],
        ],
      }),
      () => ({
        sql: `json_to_record('{"a": 1, "b": "x"}') as`,
        alias: `${alias}(a int, b text)`,
        columns: [
          ['a', 'int'],
          ['b', 'text'],
        ],
      }),
      () => ({ sql: `json_table(${value('json')}, '$' columns (a int path '$.a'))`, alias, columns: [['a', 'int']] }),
      () => ({ sql: 'users tablesample system (100)', alias: '', columns: [] }),
    ])();
  }

  #aggregate(sources: readonly Source[], depth: number): string {
    const int = (): string => this.#value('int', sources, depth);
    const text = (): string => this.#value('text', sources, depth);
    return this.#random.pick([
      () => 'count(*)',
      () => `count(distinct ${int()})`,
      () => `sum(${int()})`,
      () => `avg(${int()})::numeric(10,2)`,
      () => `string_agg(${text()}, ',' order by ${text()})`,
      () => `array_agg(${int()} order by ${int()} desc)`,
      () => `percentile_cont(0.5) within group (order by ${int()})`,
      () => `jsonb_agg(${text()})`,
      () => `json_objectagg(${text()}: ${int()})`,
    ])();
  }

  #window(sources: readonly Source[], depth: number): string {
    const int = (): string => this.#value('int', sources, depth);
    const over = `over (partition by ${int()} order by ${int()}${this.#random.pick(['', ' rows between 1 preceding and current row'])})`;
    return this.#random.pick([
      `row_number() ${over}`,
      `sum(${int()}) ${over}`,
      `lag(${int()}) ${over}`,
      `rank() ${over}`,
    ]);
  }

  /**
   * Returns an expression of the type, built from visible columns, constants, operators, built-in functions and
   * sub-selects.
   */
  #value(type: Type, sources: readonly Source[], depth = 2): string {
    const { chance, pick } = this.#random;
    if (chance(this.#hostility)) return pick(hostileValues[type]);
    const columns = sources.flatMap(({ alias, columns: all }) =>
      all.filter(([, kind]) => kind === type).map(([name]) => `${alias.replace(/\(.*/, '')}.${name}`),
    );
    if (columns.length > 0 && chance(0.5)) return pick(columns);
    if (depth <= 0) return pick(constants[type]);
    const value = (kind: Type): string => this.#value(kind, sources, depth - 1);
    if (chance(0.08) && type !== 'boolean') return `(select ${value(type)})`;
    return pick(forms[type]).replaceAll(/<(\w+)>/g, (_, kind: Type) => value(kind));
  }

  #name(prefix: string): string {
    return `${prefix}${++this.#names}`;
  }
}

/**
 * Replaces, drops or repeats one or two words of the SQL. Most results are not valid SQL, and some have another
 * meaning.
 */
function exchanged(sql: string, random: Random): string {
  const words = sql.match(/'(?:[^']|'')*'|[\w$]+|\s+|[^\w\s]/g) ?? [];
  for (let times = 1 + random.int(2); times > 0; times--) {
    const at = random.int(words.length);
    const word = words[at] ?? '';
    if (/^\d/.test(word)) words[at] = random.pick(['0', '1', '2']);
    else if (/^\w/.test(word)) words[at] = random.pick(vocabulary);
    else {
      random.pick([
        () => words.splice(at, 1),
        () => words.splice(at, 0, random.pick(['(', ')', '.', '::', ',', ' '])),
        () => words.splice(at, 1, random.pick(['.', ' ', '::', ' === ', ' <<< ', '@#@ ', ', ', ' = ', '(', ')'])),
      ])();
    }
  }
  return words.join('');
}
