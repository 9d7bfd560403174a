/** Reads from a cancelled transaction whose commits were in the way: a reason per item, in the order of the items. */

import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Change, CommitOutcome } from '#core/evidence/ports.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { toStartedAction } from './actions-table.ts';
import { toRow } from './approval-items.ts';
import { toHead } from './evidence-table.ts';
import type { Part, Verdict, Waiting } from './grouped-commits.ts';
import { fromItem, type Item, storeDown } from './items.ts';

/** An item of a transaction, and the change it carries out, if it is not the entry itself. */
export interface TransactionItem {
  readonly item: TransactWriteItem;
  readonly change?: Change;
}

interface Reason {
  readonly Code?: string;
  readonly Item?: Item;
}

/**
 * One verdict per part whose head and then links' items were sent in this order; undefined for anything but a
 * cancellation that says why.
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

/** An entry is in its place and is exactly this call's: the transaction was written before, and its answer was lost. */
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

/** What stands where a condition failed, as its store reads it. */
function currentOf({ type }: Change, item: Item): Record<string, unknown> {
  if (type === 'approval.move') return { ...toRow(item) };
  return type === 'action.start' || type === 'action.end' ? { ...toStartedAction(item) } : fromItem(item);
}

const isNone = ({ Code = 'None' }: Reason): boolean => Code === 'None';

/** Throttled, too large, malformed: neither a condition nor another writer. */
const isFault = ({ Code = 'None' }: Reason): boolean =>
  !['None', 'ConditionalCheckFailed', 'TransactionConflict'].includes(Code);
