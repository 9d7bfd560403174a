/**
 * The only writer of evidence (architecture: one action's life, step 3): one transaction puts the entry if absent,
 * moves the session head if unmoved, and carries the changes of the step. Fails closed.
 */
import { randomBytes } from 'node:crypto';
import { GetItemCommand, type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import { advanceHead, sealEntry } from '#core/evidence/chain.ts';
import type { Change, CommitOutcome, Ledger, SessionHead } from '#core/evidence/ports.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { moveItem, openItems } from './approvals-table.ts';
import { credentialPutItem, credentialRevokeItem } from './credentials-table.ts';
import { entryGet, entryPutItem, evidenceTable, headPutItem, type StoreOptions, toHead } from './evidence-table.ts';
import { fromItem, type Item, storeDown, stored, toItem } from './items.ts';

type Step = Parameters<Ledger['commit']>[0];

/** 50 writers of one chain needed at most 6 tries (measured); the jitter never exceeds 200 ms. */
const maxTries = 16;
const maxJitterMs = 200;

export interface LedgerOptions extends StoreOptions {
  readonly pause?: (ms: number) => Promise<void>;
  readonly random?: () => number;
}

export function dynamoLedger(options: LedgerOptions): Ledger {
  const log = evidenceTable(options);
  const pause = options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const random = options.random ?? Math.random;
  const queues = new Map<string, Promise<unknown>>();

  return {
    commit(step) {
      return inTurn(`${step.draft.tenant}#${step.draft.session_id}`, () => commit(step));
    },
  };

  /** Writers of one process take turns on a chain, so that they conflict with other processes only. */
  function inTurn<T>(chain: string, work: () => Promise<T>): Promise<T> {
    const turn = (queues.get(chain) ?? Promise.resolve()).then(work, work);
    const settled = turn.catch(() => {}).finally(() => queues.get(chain) === settled && queues.delete(chain));
    queues.set(chain, settled);
    return turn;
  }

  async function commit(step: Step): Promise<CommitOutcome> {
    // Names this very call: two callers may write the same words at the same moment, and only one of them has written.
    const writer = randomBytes(12).toString('hex');
    let head = step.head ?? undefined;
    let seen = step.head !== undefined;
    for (let attempt = 1; attempt <= maxTries; attempt++) {
      if (!seen) head = await log.head(step.draft.tenant, step.draft.session_id);
      const outcome = await attemptCommit(step, head, { name: writer, token: `${writer}-${attempt}` });
      if ('ok' in outcome) return outcome;
      seen = outcome.head !== undefined;
      head = outcome.head;
      await pause(random() * Math.min(maxJitterMs, 5 * 2 ** attempt));
    }
    throw new GatewayError('service_unavailable', 'The session is too busy; nothing was written. Try again shortly.', {
      retryAfterSeconds: 1,
    });
  }

  async function attemptCommit(
    step: Step,
    head: SessionHead | undefined,
    writer: { readonly name: string; readonly token: string },
  ): Promise<CommitOutcome | { head: SessionHead | undefined }> {
    const entry = sealEntry(step.draft, head);
    const after = advanceHead(head, entry, step.owner);
    const placed = (step.changes ?? []).flatMap((change) =>
      changeItems(change, entry.hash).map((item) => ({ change, item })),
    );
    const TransactItems: TransactWriteItem[] = [
      entryPutItem(options.tables.evidence, entry, writer.name),
      headPutItem(options.tables.sessions, head, after),
      ...placed.map(({ item }) => item),
    ];
    try {
      // The client repeats a lost request under the same token, so that it is not written twice.
      await options.client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: writer.token }));
      return { ok: true, entry, head: after };
    } catch (cause) {
      const reasons = cancellationReasons(cause);
      if (!reasons) {
        if (await wrote(entry, writer.name)) return { ok: true, entry, head: after };
        throw storeDown(cause);
      }
      const failedAt = reasons.findIndex((reason, i) => i >= 2 && reason.Code === 'ConditionalCheckFailed');
      if (failedAt >= 2) {
        const item = reasons[failedAt]?.Item;
        return { ok: false, failed: placed[failedAt - 2]!.change, current: item && fromItem(item) };
      }
      return { head: reasons[1]?.Item && toHead(reasons[1].Item) };
    }
  }

  /** The answer was lost, so nobody knows: if the entry stands and is this very call's, the step is done. */
  async function wrote(entry: EvidenceEntry, writer: string): Promise<boolean> {
    const { Item } = await stored(options.client.send(new GetItemCommand(entryGet(options.tables.evidence, entry))));
    return Item !== undefined && fromItem(Item).writer === writer;
  }

  function changeItems(change: Change, entryHash: string): TransactWriteItem[] {
    const { approvals, credentials, salts } = options.tables;
    switch (change.type) {
      case 'approval.open':
        return openItems(approvals, change);
      case 'approval.move':
        return [moveItem(approvals, change, entryHash)];
      case 'credential.put':
        return [credentialPutItem(credentials, change.credential)];
      case 'credential.revoke':
        return [credentialRevokeItem(credentials, change.tenant, change.id, change.revoked_at)];
      case 'salts.put':
        return [
          {
            Put: {
              TableName: salts,
              Item: toItem({ tenant: change.tenant, id: change.id, salts: change.salts }),
              ConditionExpression: 'attribute_not_exists(tenant)',
            },
          },
        ];
    }
  }
}

interface Reason {
  readonly Code?: string;
  readonly Item?: Item;
}

/** Why a transaction was cancelled, item by item; undefined for anything but conditions and conflicts. */
function cancellationReasons(cause: unknown): readonly Reason[] | undefined {
  const { name, CancellationReasons } = cause as { name?: string; CancellationReasons?: Reason[] };
  if (name === 'TransactionInProgressException' || name === 'TransactionConflictException') return [];
  if (name !== 'TransactionCanceledException') return undefined;
  const benign = ['None', 'ConditionalCheckFailed', 'TransactionConflict'];
  return (CancellationReasons ?? []).every((reason) => benign.includes(reason.Code ?? 'None'))
    ? (CancellationReasons ?? [])
    : undefined;
}
