/** Random store operations from a seed, on only a few keys, so that they collide. */
import type { Change, Condition, Key, Query, Row, Store, StoreTable, Write } from '#adapters/tables/store.ts';
import { createRandom } from '../../bench/simulated/virtual-time.ts';

export interface Operation {
  readonly name: string;
  run(store: Store): Promise<unknown>;
}

/** Tables with and without a sort key, with indexes that hold keys or whole rows. */
const keyed: readonly (readonly [StoreTable, string, string | undefined])[] = [
  ['evidence', 'chain', 'position'],
  ['sessions', 'id', undefined],
  ['approvals', 'id', undefined],
  ['manifests', 'tenant', 'id'],
  ['counters', 'id', undefined],
];
const indexes: readonly (readonly [StoreTable, string, string, string])[] = [
  ['evidence', 'by_time', 'day', 'at'],
  ['sessions', 'by_opened', 'opened_in', 'opened'],
  ['approvals', 'by_due', 'due_in', 'due'],
  ['manifests', 'by_created', 'tenant', 'created'],
];
const words = ['a', 'b', 'ab', 'abc', 'ä', '\u{1f600}', '\uffff', 'Z', '0', 'a#b', '__proto__'];
/** Strings that the local store keeps separate from the rest of their row. */
const longTexts = ['{"a":"b"}', 'two\nlines\n', '\n', 'ä"'].map((text) => text.repeat(250));
const numbers = [0, 1, -1, 1.5, 10, -10, 9, 0.25, 1_000_000_007];
const names = ['n', 'm', 's', 'names', 'bytes', 'day', 'at', 'opened_in', 'opened', 'due_in', 'due', 'created'];
/** Attributes that are not part of a key: only these are allowed in a filter. */
const unkeyed = ['n', 'm', 's', 'names', 'bytes'];
const texts = ['s', 'day', 'at', 'opened_in', 'opened', 'due_in', 'due', 'created'];

interface RandomRowsOptions {
  /** Uses only two rows, so that concurrent writers collide. @default false */
  readonly contended?: boolean;
  /** Adds filters to queries of indexes. @default true */
  readonly filtersIndexes?: boolean;
}

export class RandomRows {
  readonly seed: number;
  readonly #random: () => number;
  readonly #places: typeof keyed;
  readonly #keys: readonly string[];
  readonly #filtersIndexes: boolean;

  constructor(seed: number, { contended = false, filtersIndexes = true }: RandomRowsOptions = {}) {
    this.seed = seed;
    this.#random = createRandom(seed);
    this.#filtersIndexes = filtersIndexes;
    this.#places = contended ? keyed.filter(([table]) => table === 'sessions') : keyed;
    this.#keys = contended ? words.slice(0, 2) : words;
  }

  /** Returns a write that takes effect as a whole or not at all. */
  write(): Operation {
    return this.#operation(this.#pick(['put', 'update', 'update', 'update', 'remove', 'transact']));
  }

  /** Reads of all rows that contended writers use. */
  static readonly contended: readonly (readonly [StoreTable, Key])[] = words
    .slice(0, 2)
    .map((id) => ['sessions', { id }]);

  next(): Operation {
    const kinds = [
      'put',
      'put',
      'update',
      'update',
      'update',
      'get',
      'getMany',
      'query',
      'query',
      'remove',
      'transact',
      'putMany',
    ];
    return this.#operation(this.#pick(kinds));
  }

  #operation(kind: string): Operation {
    if (kind === 'get') {
      const [table, key] = this.#place();
      return { name: kind, run: (store) => store.get(table, key, { together: this.#chance(0.5) }) };
    }
    if (kind === 'getMany') {
      const reads = Array.from({ length: 1 + this.#int(4) }, () => this.#place());
      return { name: kind, run: (store) => store.getMany(reads) };
    }
    if (kind === 'query') return this.#query();
    if (kind === 'remove') {
      const [table, key] = this.#place();
      const options = this.#chance(0.5) ? { if: this.#condition() } : {};
      return { name: kind, run: (store) => store.remove(table, key, options) };
    }
    if (kind === 'putMany') {
      const [table] = this.#place();
      const rows = [
        ...new Map(Array.from({ length: 3 }, () => this.#row(table)).map((row) => [idOf(row), row])).values(),
      ];
      return { name: kind, run: (store) => store.putMany(table, rows) };
    }
    if (kind === 'transact') {
      const writes = Array.from({ length: 1 + this.#int(4) }, () => this.#write());
      return { name: kind, run: (store) => store.transact(writes) };
    }
    const write = this.#write(kind);
    if ('put' in write) return { name: kind, run: (store) => store.put(write.put, write.row, write) };
    const after = this.#chance(0.5);
    return { name: kind, run: (store) => store.update(write.update, write.key, write.change, { ...write, after }) };
  }

  #write(kind = this.#pick(['put', 'update'])): Write {
    const options = {
      ...(this.#chance(0.6) && { if: this.#condition() }),
      ...(this.#chance(0.5) && { current: true }),
    };
    const [table, key] = this.#place();
    if (kind === 'put') return { put: table, row: this.#row(table), ...options };
    const change = this.#change();
    // The server accepts a path through a missing map, which DynamoDB refuses.
    const inMap = change.setIn !== undefined || change.remove?.some((path) => typeof path !== 'string');
    return { update: table, key, change, ...options, ...(inMap && { if: { present: 'm' } as const }) };
  }

  #place(): readonly [StoreTable, Key] {
    const [table, partition, sort] = this.#pick(this.#places);
    return [table, { [partition]: this.#pick(this.#keys), ...(sort && { [sort]: this.#pick(this.#keys) }) }];
  }

  #row(table: StoreTable): Row {
    const [, partition, sort] = keyed.find(([name]) => name === table)!;
    const members = Array.from({ length: this.#int(6) }, () => this.#pick(names)).map((name) => [
      name,
      this.#value(name),
    ]);
    return {
      ...Object.fromEntries(members),
      [partition]: this.#pick(this.#keys),
      ...(sort && { [sort]: this.#pick(this.#keys) }),
    };
  }

  /** Returns a random value. Each name has values of one type, as in the gateway's tables. */
  #value(name: string): unknown {
    if (name === 's' && this.#chance(0.3)) return this.#pick(longTexts);
    if (texts.includes(name)) return this.#pick(words);
    if (name === 'n') return this.#pick(numbers);
    if (name === 'names') return new Set([this.#pick(words), 'x']);
    if (name === 'bytes') return Uint8Array.from([1, 255, this.#int(9)]);
    return { a: this.#pick(words), b: [1, null, { c: true }], ...(this.#chance(0.5) && { [this.#pick(words)]: 1 }) };
  }

  #condition(among = names, depth = 0): Condition {
    const inner = () => [this.#condition(among, depth + 1), this.#condition(among, depth + 1)];
    return this.#pick<() => Condition>([
      () => ({ absent: this.#pick(among) }),
      () => ({ present: this.#pick(among) }),
      () => ({ present: ['m', this.#pick(words)] }),
      () => ({ equals: ['s', this.#pick(words)] }),
      () => ({ equals: [['m', 'a'], this.#pick(words)] }),
      () => ({ differs: ['n', this.#pick(numbers)] }),
      () => ({ below: ['n', this.#pick(numbers)] }),
      () => ({ atMost: ['n', this.#pick(numbers)] }),
      () => ({ above: ['s', this.#pick(words)] }),
      () => ({ fewer: [this.#pick(['m', 'names']), 3] }),
      () => ({ holds: ['names', this.#pick(words)] }),
      ...(depth < 2 ? [() => ({ all: inner() }), () => ({ any: inner() })] : []),
    ])();
  }

  /** Returns a change that sets each attribute at most once, as DynamoDB requires. */
  #change(): Change {
    return this.#pick<() => Change>([
      () => ({ set: { s: this.#pick(words), n: this.#pick(numbers) }, remove: ['due_in', 'created'] }),
      () => ({ set: { due_in: this.#pick(words), due: this.#pick(words), m: {} }, setIfAbsent: { s: 'first' } }),
      () => ({ add: { n: this.#pick([1, -3, 10]) }, set: { opened_in: this.#pick(words), opened: 'o' } }),
      () => ({ add: { names: new Set([this.#pick(words)]) }, remove: ['bytes'] }),
      () => ({ setIn: [[['m', this.#pick(words)], this.#pick(words)]] }),
      () => ({ remove: [['m', this.#pick(words)]], set: { day: this.#pick(words), at: this.#pick(words) } }),
    ])();
  }

  /** Builds a query that is read to its end, page by page. */
  #query(): Operation {
    const order = this.#pick(['ascending', 'descending'] as const);
    const range = this.#pick<() => Query['range']>([
      () => undefined,
      () => ({ from: this.#pick(words) }),
      () => ({ from: 'a', to: this.#pick(words) }),
      () => ({ before: this.#pick(words) }),
      () => ({ prefix: this.#pick(words) }),
    ])();
    const ofIndex = this.#chance(0.5);
    const more = {
      ...(range && !('from' in range && range.to !== undefined && range.to < range.from) && { range }),
      ...(this.#chance(0.3) && (this.#filtersIndexes || !ofIndex) && { filter: this.#condition(unkeyed) }),
      ...(this.#chance(0.7) && { limit: 1 + this.#int(3) }),
    };
    const [index, sorted] = [this.#pick(indexes), this.#pick(keyed.filter(([, , sort]) => sort !== undefined))];
    const [table, query] = ofIndex
      ? [index[0], { index: index[1], partition: this.#pick(words), order, ...more }]
      : [sorted[0], { partition: this.#pick(words), order, ...more }];
    return { name: 'query', run: (store) => pages(store, table, query) };
  }

  #chance = (share: number): boolean => this.#random() < share;
  #int = (below: number): number => Math.floor(this.#random() * below);
  #pick = <T>(list: readonly T[]): T => list[this.#int(list.length)]!;
}

async function pages(store: Store, table: StoreTable, query: Query): Promise<unknown> {
  const found: unknown[] = [];
  let after: Key | undefined;
  do {
    const page = await store.query(table, { ...query, after });
    found.push(page);
    after = page.next;
  } while (after);
  return found;
}

const idOf = ({ chain, position, id, tenant }: Row): string => JSON.stringify([chain, position, id, tenant]);
