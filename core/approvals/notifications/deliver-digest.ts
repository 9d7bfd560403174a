/**
 * Sends a digest [notify.digest]: a new message where requests have piled up, and the last one again where it only changes. What the
 * last message was is kept in a delivery of its own that is never due.
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { DeliverPorts, Notifier } from './deliver-ports.ts';
import { collect, type Digest, digestOf, isUrgent } from './digest.ts';
import type { Delivery } from './ports.ts';

/** A message that stands longer is not rewritten for new requests: it has scrolled away, and a change notifies no reviewer. */
const longestRewrittenMs = 15 * 60_000;
/** A message that cannot be rewritten so often was deleted: the next attempt writes a new one. */
const maxRewrites = 2;

type Receipt = Readonly<Record<string, string>>;

/**
 * Collects a request into the digest of its tenant, or leaves it to be announced alone. The digest is queued before the request
 * counts as sent, so a worker that ends in between loses nothing.
 * @returns the receipt of a collected request.
 */
export async function collected(
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

/** A request of a digest is decided: the digest says so, and no message of its own. */
export async function followed(ports: DeliverPorts, delivery: Delivery): Promise<Receipt> {
  const terms = await ports.digestTerms(delivery.tenant, delivery.channel);
  return { digest: await collect(ports, terms, delivery, false) };
}

/** @returns what the digest is kept with; without a receipt it said nothing. */
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
  // A digest that was sent after this window has said it already.
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

/** Requests came after the wait was over, or so late that the message has scrolled away. */
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

/** What another process kept meanwhile stands: it is as new as this. */
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
