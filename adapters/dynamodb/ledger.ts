/**
 * The only writer of evidence. One transaction puts entries if absent, advances their sessions' heads if unchanged, and
 * makes the changes of the steps. Fails closed.
 */

import { randomUUID } from 'node:crypto';
import { GetItemCommand, type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { Sealed } from '#core/evidence/chain.ts';
import type { Change, Ledger } from '#core/evidence/ports.ts';
import { isErrorNamed } from '#core/kernel/error-names.ts';
import { actionEndItem, actionStartItem } from './actions-table.ts';
import { alertPutItems } from './alerts-table.ts';
import { moveItem, openItems } from './approval-items.ts';
import { credentialPutItem, credentialRevokeItem } from './credentials-table.ts';
import { entryGet, entryPutItem, evidenceTable, headPutItem } from './evidence-table.ts';
import { groupedCommits, type Link, type Part, type Step, type Verdict, type Waiting } from './grouped-commits.ts';
import { type TransactionItem, verdictsOf } from './grouped-verdicts.ts';
import { fromItem, storeDown, stored, toItem } from './items.ts';
import { rolloutPutItems } from './rollouts-table.ts';
import type { StoreOptions } from './store-options.ts';

interface LedgerOptions extends StoreOptions {
  readonly pause?: (ms: number) => Promise<void>;
  readonly random?: () => number;
  /** Called for a session whose commits repeatedly met other writers. */
  readonly contended?: (sessionId: string) => void;
}

const maxInProgress = 6;
const inProgressMs = 50;

export function dynamoLedger(options: LedgerOptions): Ledger {
  const { client, tables } = options;
  const pause = options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const commit = groupedCommits<TransactionItem>({
    head: evidenceTable(options).head,
    shares,
    itemsOf,
    write,
    pause,
    random: options.random ?? Math.random,
    ...(options.contended && { contended: options.contended }),
  });
  return { commit };

  function itemsOf({ entry, text }: Sealed, { step, writer }: Waiting) {
    const put = entryPutItem(tables.evidence, entry, writer, text);
    const changes = (step.changes ?? []).flatMap((change) =>
      changeItems(change, entry).map((item) => ({ change, item })),
    );
    const bytes = Buffer.byteLength(text) + JSON.stringify(step.changes ?? []).length;
    return { items: [{ item: put }, ...changes], bytes };
  }

  async function write(parts: readonly Part<TransactionItem>[]): Promise<readonly Verdict[]> {
    // The reasons of a cancellation have the same order.
    const TransactItems = parts.flatMap(({ before, links }) => [
      headPutItem(tables.sessions, before, links.at(-1)!.after),
      ...links.flatMap(({ items }) => items.map(({ item }) => item)),
    ]);
    // The client repeats a lost request with the same token, so that it is not written twice.
    const command = new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: randomUUID() });
    const everyPart = (verdict: Verdict) => parts.map(() => verdict);
    try {
      await sent(command);
      return everyPart({ type: 'written' });
    } catch (cause) {
      const verdicts = verdictsOf(parts, cause);
      if (verdicts) return verdicts;
      const several = parts.length > 1 || parts[0]!.links.length > 1;
      if (several && isErrorNamed(cause, 'ValidationException')) return everyPart({ type: 'apart' });
      if (await wrote(parts[0]!.links[0]!)) return everyPart({ type: 'written' });
      throw storeDown(cause);
    }
  }

  /** Sends the transaction. If an earlier attempt is still running, retries until that has ended. */
  async function sent(command: TransactWriteItemsCommand): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await client.send(command);
        return;
      } catch (cause) {
        if (!isErrorNamed(cause, 'TransactionInProgressException') || tries === maxInProgress) throw cause;
        await pause(inProgressMs * tries);
      }
    }
  }

  /** Checks whether a transaction without an answer was written: an entry is stored and is exactly this call's. */
  async function wrote({ entry, waiting }: Link<TransactionItem>): Promise<boolean> {
    const { Item } = await stored(client.send(new GetItemCommand(entryGet(tables.evidence, entry))));
    return Item !== undefined && fromItem(Item).writer === waiting.writer;
  }

  function changeItems(change: Change, entry: EvidenceEntry): TransactWriteItem[] {
    const { actions, alerts, approvals, credentials, rollouts, salts } = tables;
    switch (change.type) {
      case 'approval.open':
        return openItems(approvals, change);
      case 'approval.move':
        return [moveItem(approvals, change, entry)];
      case 'rollout.put':
        return rolloutPutItems(rollouts, change);
      case 'alert.put':
        return alertPutItems(alerts, change);
      case 'credential.put':
        return [credentialPutItem(credentials, change.credential)];
      case 'credential.revoke':
        return [credentialRevokeItem(credentials, change.tenant, change.id, change.revoked_at)];
      case 'action.start':
        return [actionStartItem(actions, change.action)];
      case 'action.end':
        return [actionEndItem(actions, change, entry.timestamp)];
      case 'salts.put':
        return [
          {
            Put: {
              TableName: salts,
              Item: toItem({ id: `${change.tenant}#${change.id}`, tenant: change.tenant, salts: change.salts }),
              ConditionExpression: 'attribute_not_exists(id)',
            },
          },
        ];
    }
  }
}

/**
 * Checks whether a step may share a transaction. Puts of fresh ids never fail a condition; other changes may, and must
 * not delay the commits of others.
 */
const shares = ({ changes = [] }: Step): boolean => changes.every(isFresh);

function isFresh(change: Change): boolean {
  switch (change.type) {
    case 'salts.put':
    case 'credential.put':
      return true;
    // Two requests may share an idempotency key; the end of any other action is recorded by the process that started
    // it.
    case 'action.start':
      return change.action.id === change.action.envelope_id;
    case 'action.end':
      return change.id === change.envelope_id;
    default:
      return false;
  }
}
