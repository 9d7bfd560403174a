/**
 * Sends digests [notify.digest]: a new message if requests have piled up, otherwise an update of the last one. The last
 * message is stored as a delivery that never becomes due.
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { DeliverPorts, Notifier } from './deliver-ports.ts';
import { collect, type Digest, digestOf, isUrgent } from './digest.ts';
import type { Delivery } from './ports.ts';

/**
 * Maximum age of a message that is updated with new requests. An older one has scrolled out of view, and updates do not
 * notify reviewers.
 */
const longestRewrittenMs = 15 * 60_000;
/** After this many failed updates the message counts as deleted, and the next attempt writes a new one. */
const maxRewrites = 2;

type Receipt = Readonly<Record<string, string>>;

/**
 * Adds a request to its tenant's digest, or leaves it for a message of its own. The digest is queued before the request
 * counts as sent, so that nothing is lost if the worker dies in between.
 * @returns the receipt of a request added to the digest.
 */
export async function collectInDigest(
  ports: DeliverPorts,
  delivery: Delivery,
  row: ApprovalRow,
): Promise<Receipt | undefined> {
  const { tenant, channel } = delivery;
  const terms = await ports.digestTerms(tenant, channel);
  if (!terms.on || isUrgent(row, terms, ports.clock.now())) return undefined;
  const waiting = await ports.waiting.pendingKeys(tenant, terms.above + 1);
  return waiting.length > terms.above ? { digest: await collect(ports, terms, delivery, true) } : undefined;
}

/** Reports the decision on a request from the digest in the digest itself instead of in a separate message. */
export async function updateDigest(ports: DeliverPorts, delivery: Delivery): Promise<Receipt> {
  const terms = await ports.digestTerms(delivery.tenant, delivery.channel);
  return { digest: await collect(ports, terms, delivery, false) };
}

/** Sends the digest. @returns its receipt, empty if no message was needed. */
export async function sendDigest(
  ports: DeliverPorts,
  delivery: Delivery,
  notifier: Notifier | undefined,
): Promise<Receipt> {
  const { tenant, channel, attempts } = delivery;
  const { announces, closes_at } = delivery.digest!;
  if (!notifier?.sendDigest) throw new Error(`the channel ${channel} is not configured for digests`);
  const [last, { above }] = await Promise.all([
    ports.deliveries.get(lastId(delivery)),
    ports.digestTerms(tenant, channel),
  ]);
  // A digest sent after this window already includes it.
  if (!announces && (last === undefined || last.due_at >= closes_at)) return {};
  const now = ports.clock.now();
  const digest = await digestOf(ports.waiting, tenant, now);
  if (last === undefined && digest.waiting === 0) return {};
  const rewritten = last?.receipt && attempts <= maxRewrites && !isNew(last.receipt, digest, announces, now);
  const receipt = await notifier.sendDigest(digest, delivery.id, rewritten ? last.receipt : undefined);
  const posted = rewritten ? last.receipt! : { posted_at: isoTime(now), said: String(digest.waiting) };
  const ended = digest.waiting <= above ? { ended: 'yes' } : {};
  const { posted_at, said } = posted as { posted_at: string; said: string };
  await keep(ports, delivery, last, { ...receipt, posted_at, said, ...ended });
  return receipt;
}

/**
 * Checks whether a new message is needed: requests arrived after the last digest was finished, or its message has
 * scrolled out of view.
 */
function isNew(
  { ended, posted_at = '', said }: Receipt,
  { waiting }: Digest,
  announces: boolean,
  nowMs: number,
): boolean {
  if (!announces || waiting === 0) return false;
  return ended !== undefined || (nowMs - Date.parse(posted_at) > longestRewrittenMs && waiting > Number(said));
}

const lastId = ({ tenant, channel }: Delivery): string => `digest-last#${tenant}#${channel}`;

/**
 * Stores the last message. If another process has stored one in the meantime, that one is kept, since it is just as
 * recent.
 */
async function keep(
  { clock, deliveries }: DeliverPorts,
  delivery: Delivery,
  last: Delivery | undefined,
  receipt: Receipt,
) {
  const { channel, event, envelope_id, tenant } = delivery;
  const due_at = isoTime(clock.now());
  const kept: Delivery = {
    id: lastId(delivery),
    channel,
    event,
    envelope_id,
    tenant,
    attempts: 1,
    due_at,
    state: 'sent',
    receipt,
  };
  if (last) await deliveries.update(last, kept);
  else await deliveries.enqueue(kept);
}
