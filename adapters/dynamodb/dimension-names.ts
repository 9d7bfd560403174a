/**
 * The models, providers and tools that have buckets of their own on a day [analytics.bounded]: one item per scope, kind
 * and day, with the set of their names. Callers choose names; beyond a bound new ones are counted under `other`.
 *
 * Access patterns: the names of a day (GetItem), one more name while there is room (UpdateItem with a condition).
 */

import { type DynamoDBClient, GetItemCommand, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import {
  type Dimension,
  type DimensionKind,
  dimensionOf,
  maxNames,
  otherName,
  partsOf,
  type Scope,
} from '#core/observatory/dimensions.ts';
import { recentHours } from '#core/observatory/request-row.ts';
import { fromItem, type Item, stored, toItem } from './items.ts';

/** Kinds whose names are listed. Tenants come from the configuration. */
const listedKinds = ['model', 'provider', 'tool'] as const satisfies readonly DimensionKind[];
type ListedKind = (typeof listedKinds)[number];

/** Maximum number of cached sets; each holds at most `maxNames`. */
const remembered = 4_000;

interface Place {
  readonly scope: Scope;
  readonly kind: ListedKind;
  /** `YYYY-MM-DD`. */
  readonly day: string;
}

export function dimensionNames(client: DynamoDBClient, TableName: string) {
  const known = new RecentMap<string, Promise<Set<string>>>({ max: remembered });

  async function read(place: Place): Promise<Set<string>> {
    const { Item: item } = await stored(
      client.send(new GetItemCommand({ TableName, Key: keyOf(place), ConsistentRead: true })),
    );
    return namesOf(item);
  }

  function namesAt(place: Place): Promise<Set<string>> {
    const key = JSON.stringify(place);
    const found = known.get(key) ?? read(place);
    known.set(key, found);
    found.catch(() => known.delete(key));
    return found;
  }

  /** Adds a name. @returns the names after it; the unchanged names if it did not fit. */
  async function add(place: Place, name: string): Promise<Set<string>> {
    try {
      const { Attributes } = await client.send(
        new UpdateItemCommand({
          TableName,
          Key: keyOf(place),
          UpdateExpression: 'ADD #names :name SET #ttl = :ttl',
          ConditionExpression: 'attribute_not_exists(#names) OR size(#names) < :most OR contains(#names, :one)',
          ExpressionAttributeNames: { '#names': 'names', '#ttl': 'ttl' },
          ExpressionAttributeValues: toItem({
            ':name': new Set([name]),
            ':one': name,
            ':most': maxNames(place.scope),
            ':ttl': Date.parse(place.day) / 1000 + (recentHours + 48) * 3600,
          }),
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return namesOf(Attributes).add(name);
    } catch (cause) {
      if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw cause;
      return namesOf((cause as { Item?: Item }).Item);
    }
  }

  return {
    /**
     * Returns the dimension to count in a scope on a day: itself while there is room for its name, else `<kind>:other`.
     */
    async counted(scope: Scope, dimension: Dimension, day: string): Promise<Dimension> {
      const parts = partsOf(dimension);
      const kind = listedKinds.find((each) => each === parts?.kind);
      if (kind === undefined) return dimension;
      const place = { scope, kind, day };
      let names = await namesAt(place);
      if (!names.has(parts!.name) && names.size < maxNames(scope)) {
        names = await stored(add(place, parts!.name));
        known.set(JSON.stringify(place), Promise.resolve(names));
      }
      return names.has(parts!.name) ? dimension : dimensionOf(kind, otherName);
    },

    /** Reads the names of all kinds with buckets on these days, bypassing the cache. */
    async listed(scope: Scope, days: readonly string[]): Promise<Dimension[]> {
      const places = listedKinds.flatMap((kind) => days.map((day) => ({ scope, kind, day })));
      const sets = await Promise.all(places.map(read));
      const all = places.flatMap(({ kind }, n) => {
        const full = sets[n]!.size >= maxNames(scope) ? [dimensionOf(kind, otherName)] : [];
        return [...[...sets[n]!].map((name) => dimensionOf(kind, name)), ...full];
      });
      return [...new Set(all)].sort();
    },
  };
}

const keyOf = ({ scope, kind, day }: Place): Item => toItem({ series: `${scope}#names#${kind}`, at: day });

const namesOf = (item: Item | undefined): Set<string> => {
  const { names } = fromItem(item ?? {});
  return names instanceof Set ? (names as Set<string>) : new Set();
};
