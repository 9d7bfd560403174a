/**
 * Finds the commits that made a transaction fail, from its cancellation: one reason per item, in the order of the
 * items.
 */

import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Change, CommitOutcome } from '#core/evidence/ports.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { toStartedAction } from './actions-table.ts';
import { toRow } from './approval-items.ts';
import { toHead } from './evidence-table.ts';
import type { Part, Verdict, Waiting } from './grouped-commits.ts';
import { fromItem, type Item, storeDown } from './items.ts';

/** An item of a transaction, and the change it makes unless it is the entry itself. */
export interface TransactionItem {
  readonly item: TransactWriteItem;
  readonly change?: Change;
}

interface Reason {
  readonly Code?: string;
  readonly Item?: Item;
}

/**
 * Returns one verdict per part, given that each part's head and then its links' items were sent in this order.
 * Undefined unless the fault is a cancellation with reasons.
 */
export function verdictsOf(parts: readonly Part<TransactionItem>[], cause: unknown): readonly Verdict[] | undefined {
  if (!isErrorNamed(cause, 'TransactionCanceledException')) return undefined;
  const { CancellationReasons = [] } = cause as { CancellationReasons?: Reason[] };
  const reasons = [...CancellationReasons];
  const given = parts.map(({ links }) => ({
    head: reasons.shift() ?? {},
    links: links.map(({ waiting, items }) => ({
      waiting,
      items: items.map(({ change }) => ({ change, ...reasons.shift() })),
    })),
  }));
  if (given.some(standsAlready)) return parts.map(() => ({ type: 'written' }));
  const verdicts = given.map((part) => verdictOf(part, cause));
  return verdicts.every(({ type }) => type === 'innocent') ? undefined : verdicts;
}

interface GroupReasons {
  readonly head: Reason;
  readonly links: readonly {
    readonly waiting: Waiting;
    readonly items: readonly (Reason & { readonly change: Change | undefined })[];
  }[];
}

/** Checks whether exactly this call's entry is stored: the transaction was written before, and its answer was lost. */
const standsAlready = ({ links }: GroupReasons): boolean =>
  links.some(({ waiting, items }) => items[0]?.Item?.writer?.S === waiting.writer);

function verdictOf({ head, links }: GroupReasons, cause: unknown): Verdict {
  const answers = new Map<Waiting, CommitOutcome | Error>();
  for (const { waiting, items } of links) {
    const broken = items.find(({ change, Code }) => change && Code === 'ConditionalCheckFailed');
    if (broken?.change) {
      answers.set(waiting, {
        ok: false,
        failed: broken.change,
        current: broken.Item && currentOf(broken.change, broken.Item),
      });
    } else if ([head, ...items].some(isFault)) answers.set(waiting, storeDown(cause));
  }
  if (answers.size > 0) return { type: 'refused', answers };
  if ([head, ...links.flatMap(({ items }) => items)].every(isNone)) return { type: 'innocent' };
  return { type: 'conflict', ...(head.Item && { head: toHead(head.Item) }) };
}

/** Returns the row at which a condition failed, as its store reads it. */
function currentOf({ type }: Change, item: Item): Record<string, unknown> {
  if (type === 'approval.move') return { ...toRow(item) };
  return type === 'action.start' || type === 'action.end' ? { ...toStartedAction(item) } : fromItem(item);
}

const isNone = ({ Code = 'None' }: Reason): boolean => Code === 'None';

/** Checks for a fault such as throttled, too large or malformed, as opposed to a condition or another writer. */
const isFault = ({ Code = 'None' }: Reason): boolean =>
  !['None', 'ConditionalCheckFailed', 'TransactionConflict'].includes(Code);
