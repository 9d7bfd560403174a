/**
 * The only writer of evidence. One transaction puts entries if absent, advances their sessions' heads if unchanged, and
 * applies the steps' changes. Fails closed.
 */
import type { EvidenceEntry } from '#core/contracts/evidence.ts';
import type { SealedEntry } from '#core/evidence/chain.ts';
import type { Change, CommitOutcome, Ledger } from '#core/evidence/ports.ts';
import { actionEnd, actionStart, toStartedAction } from './actions-table.ts';
import { alertPuts } from './alert-puts.ts';
import { moveUpdate, openPuts, toRow } from './approval-items.ts';
import { credentialPut, credentialRevoke } from './credentials-table.ts';
import { entryKey, entryPut, evidenceTable, headPut, toHead } from './evidence-table.ts';
import {
  type CommitRequest,
  groupedCommits,
  type Link,
  type PendingCommit,
  type SessionLinks,
  type Verdict,
} from './grouped-commits.ts';
import { rolloutPuts } from './rollouts-table.ts';
import {
  type Reason,
  type Row,
  StoreFault,
  type StoreOptions,
  type TransactionCancelled,
  type Write,
} from './store.ts';
import { keyPut, tenantPut } from './tenant-row-writes.ts';

interface LedgerOptions extends StoreOptions {
  readonly pause?: (ms: number) => Promise<void>;
  readonly random?: () => number;
  /** Called for a session whose commits repeatedly conflict with other writers. */
  readonly contended?: (sessionId: string) => void;
}

export function tableLedger(options: LedgerOptions): Ledger {
  const { store } = options;
  const commit = groupedCommits<ChangeWrite>({
    head: evidenceTable(options).head,
    shares,
    itemsOf,
    write,
    pause: options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms))),
    random: options.random ?? Math.random,
    ...(options.contended && { contended: options.contended }),
  });
  return { commit };

  function itemsOf({ entry, text }: SealedEntry, { step, writer }: PendingCommit) {
    const changes = (step.changes ?? []).flatMap((change) =>
      writesOf(change, entry).map((write) => ({ change, write })),
    );
    const bytes = Buffer.byteLength(text) + JSON.stringify(step.changes ?? []).length;
    return { items: [{ write: entryPut(entry, writer, text, store.clustered) }, ...changes], bytes };
  }

  async function write(parts: readonly SessionLinks<ChangeWrite>[]): Promise<readonly Verdict[]> {
    // The cancellation reasons are in the same order.
    const writes = parts.flatMap(({ before, links }) => [
      headPut(before, links.at(-1)!.after),
      ...links.flatMap(({ items }) => items.map(({ write }) => write)),
    ]);
    const everyPart = (verdict: Verdict) => parts.map(() => verdict);
    let fault: unknown;
    try {
      const outcome = await store.transact(writes);
      if (outcome === 'written') return everyPart({ type: 'written' });
      const verdicts = verdictsOf(parts, outcome);
      if (verdicts) return verdicts;
      fault = new StoreFault(new Error('The transaction was cancelled without a reason.'));
    } catch (thrown) {
      fault = thrown;
      const several = parts.length > 1 || parts[0]!.links.length > 1;
      if (several && thrown instanceof StoreFault && thrown.reason === 'input') return everyPart({ type: 'apart' });
    }
    if (await wrote(parts[0]!.links[0]!)) return everyPart({ type: 'written' });
    throw fault;
  }

  /**
   * Checks whether a transaction whose response was lost was written, in which case a stored entry is exactly this
   * call's entry.
   */
  async function wrote({ entry, waiting }: Link<ChangeWrite>): Promise<boolean> {
    return (await store.get('evidence', entryKey(entry)))?.writer === waiting.writer;
  }
}

function writesOf(change: Change, entry: EvidenceEntry): Write[] {
  switch (change.type) {
    case 'approval.open':
      return openPuts(change);
    case 'approval.move':
      return [moveUpdate(change, entry)];
    case 'rollout.put':
      return rolloutPuts(change);
    case 'tenant.put':
      return [tenantPut(change.row)];
    case 'key.put':
      return [keyPut(change.row)];
    case 'alert.put':
      return alertPuts(change);
    case 'credential.put':
      return [credentialPut(change.credential)];
    case 'credential.revoke':
      return [credentialRevoke(change.tenant, change.id, change.revoked_at)];
    case 'action.start':
      return [actionStart(change.action)];
    case 'action.end':
      return [actionEnd(change, entry.timestamp)];
    case 'salts.put': {
      const row = { id: `${change.tenant}#${change.id}`, tenant: change.tenant, salts: change.salts };
      return [{ put: 'salts', row, if: { absent: 'id' } }];
    }
  }
}

/**
 * Checks whether a step may share a transaction. Puts with fresh ids never fail a condition; other changes may fail,
 * and must not delay other callers' commits.
 */
const shares = ({ changes = [] }: CommitRequest): boolean => changes.every(isFresh);

function isFresh(change: Change): boolean {
  switch (change.type) {
    case 'salts.put':
    case 'credential.put':
      return true;
    // Two requests may share an idempotency key; for any other action, the process that started it records the end.
    case 'action.start':
      return change.action.id === change.action.envelope_id;
    case 'action.end':
      return change.id === change.envelope_id;
    default:
      return false;
  }
}

/** A write in a transaction, and the change it makes, unless it writes the entry itself. */
interface ChangeWrite {
  readonly write: Write;
  readonly change?: Change;
}

const noReason: Reason = { code: 'none' };

/**
 * Returns one verdict per part, given that each part's head was sent first, followed by the writes of its links.
 * Returns undefined if no write was the cause.
 */
function verdictsOf(
  parts: readonly SessionLinks<ChangeWrite>[],
  cancelled: TransactionCancelled,
): readonly Verdict[] | undefined {
  const reasons = [...cancelled.reasons];
  const given = parts.map(({ links }) => ({
    head: reasons.shift() ?? noReason,
    links: links.map(({ waiting, items }) => ({
      waiting,
      items: items.map(({ change }) => ({ change, ...(reasons.shift() ?? noReason) })),
    })),
  }));
  if (given.some(standsAlready)) return parts.map(() => ({ type: 'written' }));
  const verdicts = given.map(verdictOf);
  return verdicts.every(({ type }) => type === 'innocent') ? undefined : verdicts;
}

interface GroupReasons {
  readonly head: Reason;
  readonly links: readonly {
    readonly waiting: PendingCommit;
    readonly items: readonly (Reason & { readonly change: Change | undefined })[];
  }[];
}

/**
 * Checks whether exactly this call's entry is stored, which means that the transaction was already written and its
 * response lost.
 */
const standsAlready = ({ links }: GroupReasons): boolean =>
  links.some(({ waiting, items }) => items[0]?.row?.writer === waiting.writer);

function verdictOf({ head, links }: GroupReasons): Verdict {
  const answers = new Map<PendingCommit, CommitOutcome | Error>();
  for (const { waiting, items } of links) {
    const broken = items.find(({ change, code }) => change && code === 'condition');
    if (broken?.change) {
      answers.set(waiting, {
        ok: false,
        failed: broken.change,
        current: broken.row && currentOf(broken.change, broken.row),
      });
    } else if ([head, ...items].some(isFault))
      answers.set(waiting, new StoreFault(new Error('The store did not accept a write.')));
  }
  if (answers.size > 0) return { type: 'refused', answers };
  if ([head, ...links.flatMap(({ items }) => items)].every(isNone)) return { type: 'innocent' };
  return { type: 'conflict', ...(head.row && { head: toHead(head.row) }) };
}

/** Returns the row that failed a condition, as its store reads it. */
function currentOf({ type }: Change, row: Row): Record<string, unknown> {
  if (type === 'approval.move') return { ...toRow(row) };
  return type === 'action.start' || type === 'action.end' ? { ...toStartedAction(row) } : { ...row };
}

const isNone = ({ code }: Reason): boolean => code === 'none';

/**
 * Checks for a fault such as a throttled, oversized or malformed request, as opposed to a failed condition or a
 * conflicting writer.
 */
const isFault = ({ code }: Reason): boolean => code === 'fault';
