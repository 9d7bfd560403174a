/**
 * The breakers that environments share, in the item `breakers` of the table `counters` [chat.breaker-shared].
 *
 * Attributes, per provider: `state/<name>` — the state; `window/<name>`, `calls/<name>`, `faults/<name>` — the sums
 * that all environments reported in the current window. Access patterns: read with the configuration (one BatchGet of
 * both); a state replaced by its epoch (conditional Update); a report added to its window, or beginning it (conditional
 * Update).
 */

import {
  type ConditionalCheckFailedException,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import type { BreakerBoard, SharedBreaker, Tally } from '#core/models/routing/breaker-board.ts';
import type { BesidePointer } from './config-table.ts';
import { fromItem, type Item, storeDown, toItem } from './items.ts';
import type { StoreOptions } from './store-options.ts';

const Key = toItem({ id: 'breakers' });
const statePrefix = 'state/';

export interface BreakersTable extends BreakerBoard, BesidePointer {}

const changeParams = (
  TableName: string,
  provider: string,
  from: SharedBreaker | undefined,
  to: SharedBreaker,
): UpdateItemCommandInput => ({
  TableName,
  Key,
  UpdateExpression: 'SET #state = :to',
  ConditionExpression: from ? '#state.#epoch = :from' : 'attribute_not_exists(#state)',
  ExpressionAttributeNames: { '#state': statePrefix + provider, ...(from && { '#epoch': 'epoch' }) },
  ExpressionAttributeValues: toItem({ ':to': { ...to }, ...(from && { ':from': from.epoch }) }),
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});

const tallyNames = (provider: string) => ({
  '#window': `window/${provider}`,
  '#calls': `calls/${provider}`,
  '#faults': `faults/${provider}`,
});

/** @param begins whether the report is the first one of its window. */
const addParams = (
  TableName: string,
  provider: string,
  window: string,
  { calls, faults }: Tally,
  begins: boolean,
): UpdateItemCommandInput => ({
  TableName,
  Key,
  UpdateExpression: begins
    ? 'SET #window = :window, #calls = :calls, #faults = :faults'
    : 'ADD #calls :calls, #faults :faults',
  ConditionExpression: begins ? 'attribute_not_exists(#window) OR #window <> :window' : '#window = :window',
  ExpressionAttributeNames: tallyNames(provider),
  ExpressionAttributeValues: toItem({ ':window': window, ':calls': calls, ':faults': faults }),
  ReturnValues: 'UPDATED_NEW',
});

export function breakersTable({ client, tables }: StoreOptions): BreakersTable {
  const TableName = tables.counters;
  const states = new Map<string, SharedBreaker>();

  /** Applies the states of an item. An older one never replaces a newer one. */
  const take = (item: Item | undefined): void => {
    for (const [name, value] of Object.entries(item ? fromItem(item) : {})) {
      if (!name.startsWith(statePrefix)) continue;
      const provider = name.slice(statePrefix.length);
      const state = value as SharedBreaker;
      if (state.epoch > (states.get(provider)?.epoch ?? 0)) states.set(provider, state);
    }
  };

  /** Updates the item. Returns undefined if the condition does not hold. */
  const update = async (input: UpdateItemCommandInput): Promise<Item | undefined> => {
    try {
      const { Attributes } = await client.send(new UpdateItemCommand(input));
      return (Attributes as Item | undefined) ?? {};
    } catch (cause) {
      if (!isErrorNamed(cause, 'ConditionalCheckFailedException')) throw storeDown(cause);
      take((cause as ConditionalCheckFailedException).Item as Item | undefined);
      return undefined;
    }
  };

  return {
    table: TableName,
    key: Key,
    take,
    seen: (provider) => states.get(provider),

    async change(provider, from, to) {
      if (!(await update(changeParams(TableName, provider, from, to)))) return false;
      states.set(provider, to);
      return true;
    },

    async add(provider, window, tally) {
      const names = tallyNames(provider);
      for (const begins of [false, true, false]) {
        const sum = await update(addParams(TableName, provider, window, tally, begins));
        if (!sum) continue;
        const { [names['#calls']]: calls, [names['#faults']]: faults } = fromItem(sum) as Record<string, number>;
        return { calls: calls ?? tally.calls, faults: faults ?? tally.faults };
      }
      return tally; // environments with other clocks or configurations alternate windows: no conclusion
    },
  };
}
