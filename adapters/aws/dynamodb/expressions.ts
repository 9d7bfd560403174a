/** Renders conditions, changes and key ranges as DynamoDB expressions with their names and values. */
import type { Change, Condition, Path, Query } from '../../tables/store.ts';
import { attributeOf, type Item } from './items.ts';

/** The expressions of one request, which share names and values. */
export class Expressions {
  readonly #names = new Map<string, string>();
  readonly #values: Item = {};
  #count = 0;

  /** Returns the request members that the expressions refer to. */
  parameters(): { ExpressionAttributeNames?: Record<string, string>; ExpressionAttributeValues?: Item } {
    const names = Object.fromEntries([...this.#names].map(([name, placeholder]) => [placeholder, name]));
    return {
      ...(this.#names.size > 0 && { ExpressionAttributeNames: names }),
      ...(this.#count > 0 && { ExpressionAttributeValues: this.#values }),
    };
  }

  condition(of: Condition): string {
    if ('absent' in of) return `attribute_not_exists(${this.#path(of.absent)})`;
    if ('present' in of) return `attribute_exists(${this.#path(of.present)})`;
    if ('equals' in of) return this.#compare(of.equals, '=');
    if ('differs' in of) return this.#compare(of.differs, '<>');
    if ('below' in of) return this.#compare(of.below, '<');
    if ('atMost' in of) return this.#compare(of.atMost, '<=');
    if ('above' in of) return this.#compare(of.above, '>');
    if ('fewer' in of) return `size(${this.#path(of.fewer[0])}) < ${this.#value(of.fewer[1])}`;
    if ('holds' in of) return `contains(${this.#path(of.holds[0])}, ${this.#value(of.holds[1])})`;
    if ('all' in of) return of.all.map((each) => `(${this.condition(each)})`).join(' AND ');
    return of.any.map((each) => `(${this.condition(each)})`).join(' OR ');
  }

  change({ set = {}, setIn = [], setIfAbsent = {}, remove = [], add = {} }: Change): string {
    const given = (row: object) => Object.entries(row).filter(([, value]) => value !== undefined);
    const assigned = [...given(set), ...setIn].map(([path, value]) => `${this.#path(path)} = ${this.#value(value)}`);
    const defaulted = given(setIfAbsent).map(([name, value]) => {
      const path = this.#path(name);
      return `${path} = if_not_exists(${path}, ${this.#value(value)})`;
    });
    const sections = [
      ['SET', [...assigned, ...defaulted]],
      ['REMOVE', remove.map((path) => this.#path(path))],
      ['ADD', Object.entries(add).map(([name, value]) => `${this.#path(name)} ${this.#value(value)}`)],
    ] as const;
    return sections
      .flatMap(([word, clauses]) => (clauses.length > 0 ? [`${word} ${clauses.join(', ')}`] : []))
      .join(' ');
  }

  /** Renders the key condition that selects a partition's rows. */
  key({ partitionKey, sortKey = '' }: { partitionKey: string; sortKey?: string }, { partition, range }: Query): string {
    const parts = [`${this.#path(partitionKey)} = ${this.#value(partition)}`];
    if (range && 'before' in range) parts.push(this.#compare([sortKey, range.before], '<'));
    else if (range && 'prefix' in range)
      parts.push(`begins_with(${this.#path(sortKey)}, ${this.#value(range.prefix)})`);
    else if (range?.to === undefined && range) parts.push(this.#compare([sortKey, range.from], '>='));
    else if (range)
      parts.push(`${this.#path(sortKey)} BETWEEN ${this.#value(range.from)} AND ${this.#value(range.to)}`);
    return parts.join(' AND ');
  }

  projection(only: readonly string[]): string {
    return only.map((name) => this.#path(name)).join(', ');
  }

  #compare([path, value]: readonly [Path, unknown], operator: string): string {
    return `${this.#path(path)} ${operator} ${this.#value(value)}`;
  }

  #path(path: Path): string {
    return typeof path === 'string' ? this.#name(path) : path.map((name) => this.#name(name)).join('.');
  }

  #name(name: string): string {
    const known = this.#names.get(name) ?? `#n${this.#names.size}`;
    this.#names.set(name, known);
    return known;
  }

  #value(value: unknown): string {
    const name = `:v${this.#count++}`;
    this.#values[name] = attributeOf(value);
    return name;
  }
}
