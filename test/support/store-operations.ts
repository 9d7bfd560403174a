/** Operations on a DynamoDB-compatible store, made up from a seed: mostly right, some wrong, on few keys so that they meet. */

export interface Asked {
  readonly operation: string;
  /** In wire form: bytes are base64. */
  readonly input: Record<string, unknown>;
}

type Wire = Record<string, unknown>;

const keySchema = (...names: string[]) =>
  names.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' }));
const attributes = (types: Record<string, string>) =>
  Object.entries(types).map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType }));
const index = (IndexName: string, ProjectionType: string, ...names: string[]) => ({
  IndexName,
  KeySchema: keySchema(...names),
  Projection: { ProjectionType },
});

/** Every type of key, with and without a sort key; indexes of every kind that the gateway has, and some more. */
export const storeTables: readonly Wire[] = [
  {
    TableName: 'texts',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes({ id: 'S', at: 'S', g: 'S', n: 'N' }),
    KeySchema: keySchema('id', 'at'),
    GlobalSecondaryIndexes: [index('by_g', 'KEYS_ONLY', 'g', 'at'), index('by_n', 'ALL', 'g', 'n')],
  },
  {
    TableName: 'numbers',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes({ id: 'S', at: 'N' }),
    KeySchema: keySchema('id', 'at'),
  },
  {
    TableName: 'bytes',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes({ id: 'N', at: 'B' }),
    KeySchema: keySchema('id', 'at'),
  },
  {
    TableName: 'single',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributes({ id: 'S', g: 'S' }),
    KeySchema: keySchema('id'),
    GlobalSecondaryIndexes: [index('by_g', 'KEYS_ONLY', 'g')],
  },
];

const keyTypes: Readonly<Record<string, Readonly<Record<string, 'S' | 'N' | 'B'>>>> = {
  texts: { id: 'S', at: 'S' },
  numbers: { id: 'S', at: 'N' },
  bytes: { id: 'N', at: 'B' },
  single: { id: 'S' },
};

const words = ['a', 'b', 'ab', 'abc', 'ä', '\u{1f600}', '\uffff', 'Z', '0', 'a#b'];
const numbers = ['0', '1', '-1', '1.50', '10', '-10', '9', '0.001', '1e3', '-2.5E-2', '12345678901234567890', '007'];
const bytes = ['AA==', 'AQ==', '/w==', 'AAE=', 'YWI=', 'YWJj'];
const names = ['a', 'b', 'c', 'g', 'n', 'm', 'l', 's'];

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export class OperationMaker {
  readonly #random: () => number;
  #names: Record<string, string> = {};
  #values: Wire = {};
  #lists = true;
  /** Indexes of elements are below it. */
  #indexes = 3;

  constructor(seed: number) {
    this.#random = randomOf(seed);
  }

  next(): Asked {
    this.#names = {};
    this.#values = {};
    this.#lists = true;
    const kinds: [number, () => Asked][] = [
      [20, () => this.#put()],
      [24, () => this.#update()],
      [6, () => this.#delete()],
      [12, () => this.#get()],
      [16, () => this.#query()],
      [4, () => this.#scan()],
      [4, () => this.#batchGet()],
      [3, () => this.#batchWrite()],
      [12, () => this.#transact()],
    ];
    let place = this.#random() * kinds.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, make] of kinds) {
      place -= weight;
      if (place < 0) return make();
    }
    return this.#get();
  }

  #chance = (share: number): boolean => this.#random() < share;
  #int = (below: number): number => Math.floor(this.#random() * below);
  #pick = <T>(list: readonly T[]): T => list[this.#int(list.length)]!;
  #table = (): string => this.#pick(['texts', 'texts', 'texts', 'numbers', 'bytes', 'single']);

  #scalar(type: 'S' | 'N' | 'B'): Wire {
    if (type === 'S') return { S: this.#pick(words) };
    return type === 'N' ? { N: this.#pick(numbers) } : { B: this.#pick(bytes) };
  }

  #some<T>(list: readonly T[], most: number): T[] {
    return [...new Set(Array.from({ length: 1 + this.#int(most) }, () => this.#pick(list)))];
  }

  #value(depth = 0): Wire {
    const kind = this.#int(depth < 2 ? 10 : 6);
    if (kind === 0) return { BOOL: this.#chance(0.5) };
    if (kind === 1) return { NULL: true };
    if (kind === 2) return { S: this.#chance(0.1) ? '' : this.#pick(words) };
    if (kind <= 4) return { N: this.#pick(numbers) };
    if (kind === 5) return { B: this.#pick(bytes) };
    if (kind === 6) return { L: Array.from({ length: this.#int(4) }, () => this.#value(depth + 1)) };
    if (kind === 7)
      return { M: Object.fromEntries(this.#some(names, 3).map((name) => [name, this.#value(depth + 1)])) };
    if (kind === 8) return { SS: this.#some(words, 3) };
    // Numbers that are equal and written otherwise would be duplicates.
    return this.#chance(0.5) ? { NS: this.#some(['1', '2', '3.5', '-1'], 3) } : { BS: this.#some(bytes, 3) };
  }

  #key(table: string, wrongs = 0.02): Wire {
    const key: Wire = {};
    for (const [name, type] of Object.entries(keyTypes[table]!)) {
      if (this.#chance(wrongs)) continue;
      const few = { S: ['a', 'b', 'ab', 'ä'], N: ['1', '-1', '10', '1.50', '0.001'], B: bytes }[type];
      key[name] = this.#chance(wrongs) ? this.#value() : { [type]: this.#pick(few) };
    }
    if (this.#chance(wrongs)) key.more = { S: 'x' };
    return key;
  }

  #item(table: string): Wire {
    const item: Wire = { ...this.#key(table) };
    for (const name of this.#some(names, 5)) {
      // Keys of indexes are mostly of their type, or nothing with them would be written.
      if (name === 'g') item.g = this.#chance(0.95) ? { S: this.#pick(['a', 'b']) } : this.#value();
      else if (name === 'n') item.n = this.#chance(0.95) ? { N: this.#pick(numbers) } : this.#value();
      else item[name] = this.#value();
    }
    return item;
  }

  #name(name: string): string {
    if (this.#chance(0.5)) return name;
    const placeholder = `#${name}`;
    this.#names[placeholder] = name;
    return placeholder;
  }

  #placeholder(value: Wire): string {
    const placeholder = `:v${Object.keys(this.#values).length}`;
    this.#values[placeholder] = value;
    return placeholder;
  }

  #path(): string {
    let path = this.#name(this.#pick(names));
    while (this.#chance(0.25))
      path += this.#chance(0.5) || !this.#lists ? `.${this.#name(this.#pick(names))}` : `[${this.#int(this.#indexes)}]`;
    return path;
  }

  #operand(): string {
    if (this.#chance(0.1)) return `size(${this.#path()})`;
    return this.#chance(0.6) ? this.#path() : this.#placeholder(this.#value(1));
  }

  #condition(depth = 0): string {
    const kind = this.#int(depth < 2 ? 11 : 7);
    const path = () => (this.#chance(0.2) ? this.#name(this.#pick(['at', 'g'])) : this.#path());
    if (kind === 0) return `attribute_exists(${path()})`;
    if (kind === 1) return `attribute_not_exists(${path()})`;
    if (kind <= 4) {
      const by = this.#pick(['=', '<>', '<', '<=', '>', '>=']);
      return `${path()} ${by} ${this.#chance(0.2) ? this.#operand() : this.#placeholder(this.#value(1))}`;
    }
    if (kind === 5) return this.#rareCondition(path());
    if (kind === 6)
      return `size(${path()}) ${this.#pick(['<', '>=', '='])} ${this.#placeholder({ N: this.#pick(['1', '2']) })}`;
    if (kind === 7) return `NOT ${this.#condition(depth + 1)}`;
    if (kind === 8) return `(${this.#condition(depth + 1)})`;
    const word = this.#chance(0.5) ? this.#pick(['AND', 'and']) : 'OR';
    return `${this.#condition(depth + 1)} ${word} ${this.#condition(depth + 1)}`;
  }

  #rareCondition(path: string): string {
    const value = () => this.#placeholder(this.#value(1));
    switch (this.#int(5)) {
      case 0: {
        const [low, high] = [this.#pick(['1', '-1', '0']), this.#pick(['2', '10', '1e3'])];
        return `${path} BETWEEN ${this.#placeholder({ N: low })} AND ${this.#placeholder({ N: high })}`;
      }
      case 1:
        return `${path} IN (${value()}, ${value()})`;
      case 2:
        return `begins_with(${path}, ${this.#placeholder(this.#scalar(this.#pick(['S', 'S', 'B'])))})`;
      case 3:
        return `contains(${path}, ${this.#placeholder(this.#scalar(this.#pick(['S', 'N', 'B'])))})`;
      default:
        return `attribute_type(${path}, ${this.#placeholder({ S: this.#pick(['S', 'N', 'B', 'SS', 'L', 'M', 'BOOL', 'NULL']) })})`;
    }
  }

  #assigned(): string {
    const value = () => this.#placeholder(this.#value(1));
    switch (this.#int(8)) {
      case 0:
        return this.#path();
      case 1:
        return `if_not_exists(${this.#path()}, ${value()})`;
      case 2:
        return `list_append(${this.#path()}, ${this.#placeholder({ L: [this.#value(1)] })})`;
      case 3:
        return `${this.#path()} ${this.#pick(['+', '-'])} ${this.#placeholder({ N: this.#pick(numbers) })}`;
      default:
        return value();
    }
  }

  #updateExpression(): string {
    const parts: string[] = [];
    const several = (make: () => string) => Array.from({ length: 1 + this.#int(2) }, make).join(', ');
    // Beyond the end of a list the reference fills up with NULL, where DynamoDB appends.
    this.#indexes = 1;
    if (this.#chance(0.6)) parts.push(`SET ${several(() => `${this.#path()} = ${this.#assigned()}`)}`);
    if (this.#chance(0.3)) parts.push(`REMOVE ${several(() => this.#path())}`);
    const set = () => this.#placeholder(this.#pick([{ SS: this.#some(words, 2) }, { NS: ['1', '3.5'] }]));
    const lists = this.#lists;
    this.#lists = false;
    if (this.#chance(0.3))
      parts.push(
        `ADD ${several(() => `${this.#path()} ${this.#chance(0.6) ? this.#placeholder({ N: this.#pick(numbers) }) : set()}`)}`,
      );
    this.#lists = lists;
    this.#indexes = 3;
    if (this.#chance(0.15)) parts.push(`DELETE ${several(() => `${this.#path()} ${set()}`)}`);
    if (this.#chance(0.02)) parts.push(this.#pick(['SET at = :x', 'SET status = :v', 'FOO a', 'REMOVE a[']));
    this.#indexes = 1;
    const expression = parts.length > 0 ? parts.join(' ') : `SET ${this.#path()} = ${this.#assigned()}`;
    this.#indexes = 3;
    return expression;
  }

  #bound(): Wire {
    return {
      ...(Object.keys(this.#names).length > 0 && { ExpressionAttributeNames: this.#names }),
      ...(Object.keys(this.#values).length > 0 && { ExpressionAttributeValues: this.#values }),
    };
  }

  #conditional(): Wire {
    return this.#chance(0.4) ? { ConditionExpression: this.#condition() } : {};
  }

  #put(): Asked {
    const TableName = this.#table();
    const input = {
      TableName,
      Item: this.#item(TableName),
      ...this.#conditional(),
      ...(this.#chance(0.3) && { ReturnValues: 'ALL_OLD' }),
      ...(this.#chance(0.5) && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    };
    return { operation: 'PutItem', input: { ...input, ...this.#bound() } };
  }

  #update(): Asked {
    const TableName = this.#table();
    const wanted = ['NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW'];
    const ReturnValues = this.#pick(wanted);
    // The implementations differ in which elements of a changed list they show.
    this.#lists = !ReturnValues.startsWith('UPDATED');
    const input = {
      TableName,
      Key: this.#key(TableName),
      ...(!this.#chance(0.02) && { UpdateExpression: this.#updateExpression() }),
      ...this.#conditional(),
      ReturnValues,
      ...(this.#chance(0.5) && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    };
    return { operation: 'UpdateItem', input: { ...input, ...this.#bound() } };
  }

  #delete(): Asked {
    const TableName = this.#table();
    const input = {
      TableName,
      Key: this.#key(TableName),
      ...this.#conditional(),
      ...(this.#chance(0.5) && { ReturnValues: 'ALL_OLD' }),
    };
    return { operation: 'DeleteItem', input: { ...input, ...this.#bound() } };
  }

  #projection(): Wire {
    return this.#chance(0.2)
      ? { ProjectionExpression: Array.from({ length: 1 + this.#int(3) }, () => this.#path()).join(', ') }
      : {};
  }

  #get(): Asked {
    const TableName = this.#chance(0.01) ? 'nothing' : this.#table();
    const input = {
      TableName,
      Key: this.#key(TableName === 'nothing' ? 'single' : TableName),
      ...this.#projection(),
      ...(this.#chance(0.5) && { ConsistentRead: true }),
    };
    return { operation: 'GetItem', input: { ...input, ...this.#bound() } };
  }

  #query(): Asked {
    const TableName = this.#table();
    const IndexName = TableName === 'texts' || TableName === 'single' ? this.#indexOf(TableName) : undefined;
    const [partition, sort] = queryKeys(TableName, IndexName);
    const parts = [`${this.#name(partition.name)} = ${this.#placeholder(this.#keyValue(partition))}`];
    if (sort && this.#chance(0.6)) parts.push(this.#range(sort));
    const input = {
      TableName,
      ...(IndexName && { IndexName }),
      KeyConditionExpression: parts.join(' AND '),
      ...(this.#chance(0.2) && { FilterExpression: this.#condition(1) }),
      ...this.#projection(),
      ...(this.#chance(0.3) && { ScanIndexForward: false }),
      ...(this.#chance(0.4) && { Limit: 1 + this.#int(3) }),
      ...(this.#chance(IndexName ? 0.03 : 0.4) && { ConsistentRead: true }),
      ...(this.#chance(0.05) && { Select: 'COUNT' }),
    };
    if ('Select' in input) delete (input as Wire).ProjectionExpression;
    const bound = this.#bound();
    return { operation: 'Query', input: { ...input, ...bound } };
  }

  #indexOf(table: string): string | undefined {
    if (this.#chance(0.4)) return undefined;
    return table === 'single' ? 'by_g' : this.#pick(['by_g', 'by_n']);
  }

  #keyValue({ type }: KeyOf): Wire {
    if (this.#chance(0.02)) return this.#value(1);
    const few = { S: ['a', 'b', 'ab', 'ä'], N: ['1', '-1', '10', '1.50', '0.001'], B: bytes }[type];
    return { [type]: this.#pick(few) };
  }

  #range(sort: KeyOf): string {
    const name = this.#name(sort.name);
    const value = () => this.#placeholder(this.#keyValue(sort));
    const kind = this.#int(8);
    if (kind === 0) return `begins_with(${name}, ${value()})`;
    if (kind === 1) return `${name} BETWEEN ${value()} AND ${value()}`;
    return `${name} ${this.#pick(['=', '<', '<=', '>', '>='])} ${value()}`;
  }

  #scan(): Asked {
    const TableName = this.#table();
    const input = {
      TableName,
      ...(this.#chance(0.7) && { FilterExpression: this.#condition() }),
      ...this.#projection(),
    };
    return { operation: 'Scan', input: { ...input, ...this.#bound() } };
  }

  #batchGet(): Asked {
    const tables = this.#some(['texts', 'numbers', 'bytes', 'single'], 2);
    const RequestItems = Object.fromEntries(
      tables.map((table) => [table, { Keys: Array.from({ length: 1 + this.#int(3) }, () => this.#key(table, 0.005)) }]),
    );
    return { operation: 'BatchGetItem', input: { RequestItems } };
  }

  #batchWrite(): Asked {
    const table = this.#table();
    const requests = Array.from({ length: 1 + this.#int(3) }, () =>
      this.#chance(0.6)
        ? { PutRequest: { Item: this.#item(table) } }
        : { DeleteRequest: { Key: this.#key(table, 0.005) } },
    );
    return { operation: 'BatchWriteItem', input: { RequestItems: { [table]: requests } } };
  }

  #transact(): Asked {
    const TransactItems = Array.from({ length: 1 + this.#int(4) }, () => {
      this.#names = {};
      this.#values = {};
      const TableName = this.#table();
      const shows = this.#chance(0.6) && { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };
      const kind = this.#int(4);
      if (kind === 0) {
        const put = { TableName, Item: this.#item(TableName), ...this.#conditional(), ...shows };
        return { Put: { ...put, ...this.#bound() } };
      }
      const Key = this.#key(TableName, 0.005);
      if (kind === 1) {
        const update = { TableName, Key, UpdateExpression: this.#updateExpression(), ...this.#conditional(), ...shows };
        return { Update: { ...update, ...this.#bound() } };
      }
      if (kind === 2) {
        const deleted = { TableName, Key, ...this.#conditional(), ...shows };
        return { Delete: { ...deleted, ...this.#bound() } };
      }
      const check = { TableName, Key, ConditionExpression: this.#condition(1), ...shows };
      return { ConditionCheck: { ...check, ...this.#bound() } };
    });
    return { operation: 'TransactWriteItems', input: { TransactItems } };
  }
}

interface KeyOf {
  readonly name: string;
  readonly type: 'S' | 'N' | 'B';
}

function queryKeys(table: string, index: string | undefined): [KeyOf, KeyOf?] {
  if (index === undefined) {
    const { id, at } = keyTypes[table]!;
    return [{ name: 'id', type: id! }, ...(at ? [{ name: 'at', type: at }] : [])] as [KeyOf, KeyOf?];
  }
  const partition: KeyOf = { name: 'g', type: 'S' };
  if (table === 'single') return [partition];
  return [partition, index === 'by_n' ? { name: 'n', type: 'N' } : { name: 'at', type: 'S' }];
}
