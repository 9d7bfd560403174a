/**
 * Sends due deliveries at least once, each by one worker at a time, with backoff and a dead-letter state. Votes do not
 * wait for deliveries.
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { collectInDigest, sendDigest, updateDigest } from './deliver-digest.ts';
import type { DeliverPorts } from './deliver-ports.ts';
import { deliveryId, isEvaluationId } from './enqueue.ts';
import type { Delivery, NotificationEvent } from './ports.ts';

export class DeliveryRefusal extends Error {
  readonly retryAfterSeconds: number;
  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.name = 'DeliveryRefused';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const maxAttempts = 8;
/**
 * Number of concurrent deliveries, large enough that a page of unresponsive channels finishes before the function does.
 */
const concurrency = 10;
/** Seconds that a worker has before another may try the delivery: longer than any channel's timeout. */
const claimSeconds = 30;
/** Waits of 10, 20, 40 … 600 seconds, so that eight attempts outlast an outage of 15 minutes. */
const firstWaitSeconds = 5;
const longestWaitSeconds = 600;
/** Maximum wait that a channel can request. */
const longestRefusalSeconds = 3600;
/** Seconds that a decision's message waits for the message that it updates. */
const behindSeconds = 5;

/** Counts of processed deliveries. */
interface DeliveryCounts {
  readonly sent: number;
  /** Deliveries that were sent, postponed or given up and so are no longer due. */
  readonly moved: number;
}

/**
 * Sends due deliveries page by page until none are due [notify.events].
 * @param budgetMs no page begins later than this.
 * @returns the number sent.
 */
export async function deliverUntilNoneIsDue(ports: DeliverPorts, budgetMs: number, pageSize = 100): Promise<number> {
  const endsAt = ports.clock.now() + budgetMs;
  let sent = 0;
  do {
    const due = await ports.deliveries.due(isoTime(ports.clock.now()), pageSize);
    const page = await deliverAll(ports, due);
    sent += page.sent;
    // The same page would be read once more.
    if (page.moved === 0) return sent;
  } while (ports.clock.now() < endsAt);
  return sent;
}

/**
 * Sends new deliveries: approvals concurrently, the messages of each in order. Skips deliveries claimed by another
 * worker.
 */
export async function deliverAll(ports: DeliverPorts, deliveries: readonly Delivery[]): Promise<DeliveryCounts> {
  const now = isoTime(ports.clock.now());
  // Immediate deliveries are due even if the clocks of two processes differ.
  const isLater = ({ escalates, digest, due_at }: Delivery) => (escalates || digest) && due_at > now;
  const due = deliveries.filter((delivery) => delivery.state === 'due' && !isLater(delivery));
  const lines = Map.groupBy(due, ({ channel, envelope_id }) => `${channel}#${envelope_id}`);
  const waiting = [...lines.values()];
  let [sent, moved] = [0, 0];
  const worker = async () => {
    for (let line = waiting.shift(); line; line = waiting.shift()) {
      const outcomes = await deliverInOrder(ports, line);
      sent += outcomes.filter((outcome) => outcome === 'sent').length;
      moved += outcomes.filter((outcome) => outcome !== 'left').length;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { sent, moved };
}

/** Outcome of a delivery. `left`: another worker has claimed it, or the store did not respond. */
type DeliveryOutcome = 'sent' | 'later' | 'left';

async function deliverInOrder(ports: DeliverPorts, line: readonly Delivery[]): Promise<DeliveryOutcome[]> {
  const outcomes: DeliveryOutcome[] = [];
  // The request's message is sent before the decision's, even if retries changed their order.
  for (const delivery of [...line].sort((a, b) => Number(b.event === 'submitted') - Number(a.event === 'submitted'))) {
    const outcome = await deliver(ports, delivery).catch((cause: unknown) => storeFailed(ports, delivery, cause));
    outcomes.push(outcome);
    const decidedHere = line.some(({ event }) => event !== 'submitted');
    if (outcome === 'sent' && delivery.event === 'submitted' && !decidedHere)
      outcomes.push(...(await deliverDecision(ports, delivery).catch(() => [])));
  }
  return outcomes;
}

/** Sends a decision that was waiting for its request's message. */
async function deliverDecision(ports: DeliverPorts, { envelope_id, channel }: Delivery): Promise<DeliveryOutcome[]> {
  for (const event of ['approved', 'denied'] as const) {
    // Another process may change it between this read and the claim, so it is read twice.
    for (let tries = 0; tries < 2; tries++) {
      const waiting = await ports.deliveries.get(deliveryId(envelope_id, event, channel));
      if (waiting?.state !== 'due' || waiting.attempts > 0) break;
      const outcome = await deliver(ports, waiting);
      if (outcome !== 'left') return [outcome];
    }
  }
  return [];
}

/** Logs a store fault. The claim expires and the delivery is retried; other deliveries continue. */
function storeFailed({ telemetry }: DeliverPorts, { id }: Delivery, cause: unknown): DeliveryOutcome {
  telemetry.log('error', 'notification state unknown', { id, error: faultMessage(cause) });
  return 'left';
}

async function deliver(ports: DeliverPorts, delivery: Delivery): Promise<DeliveryOutcome> {
  const submitted = await submittedOf(ports, delivery);
  if (submitted?.state === 'due') {
    const due_at = laterTime(submitted.due_at, inSeconds(ports, behindSeconds));
    return (await ports.deliveries.update(delivery, { ...delivery, due_at })) ? 'later' : 'left';
  }
  const claimed: Delivery = { ...delivery, attempts: delivery.attempts + 1, due_at: inSeconds(ports, claimSeconds) };
  if (!(await ports.deliveries.update(delivery, claimed))) return 'left';
  // Every attempt crashed its worker, or its outcome could not be stored.
  if (delivery.attempts >= maxAttempts) {
    const last = delivery.last_error ?? 'no attempt was completed';
    await ports.deliveries.update(claimed, afterFailure(ports, claimed, new Error(last)));
    return 'later';
  }
  const outcome = await attempt(ports, claimed, submitted);
  await ports.deliveries.update(claimed, outcome);
  return outcome.state === 'sent' ? 'sent' : 'later';
}

/** Events whose messages follow the request's message. */
const decisionEvents: ReadonlySet<NotificationEvent> = new Set(['approved', 'denied']);

const submittedOf = async ({ deliveries }: DeliverPorts, { event, envelope_id, channel }: Delivery) =>
  !decisionEvents.has(event) ? undefined : deliveries.get(deliveryId(envelope_id, 'submitted', channel));

async function attempt(ports: DeliverPorts, claimed: Delivery, submitted: Delivery | undefined): Promise<Delivery> {
  try {
    if (isEvaluationId(claimed.id) && !claimed.evaluation)
      throw new Error('the delivery has the id of an evaluation but carries a different message');
    if (claimed.evaluation) return await sendToEvaluator(ports, claimed, claimed.evaluation);
    if (claimed.policy)
      return { ...claimed, state: 'sent', receipt: await sendPolicyEvent(ports, claimed, claimed.policy) };
    if (claimed.alert) return { ...claimed, state: 'sent', receipt: await sendAlert(ports, claimed, claimed.alert) };
    if (claimed.digest) {
      const receipt = await sendDigest(ports, claimed, await ports.notifier(claimed.channel));
      return { ...claimed, state: 'sent', receipt };
    }
    const [notifier, row] = await Promise.all([
      ports.notifier(claimed.channel),
      ports.approvals.find(claimed.envelope_id),
    ]);
    if (!row) throw new Error('the approval no longer exists');
    if (claimed.escalates && row.status !== 'pending') return { ...claimed, state: 'sent' };
    // A decision is sent only to channels that got the request.
    if (submitted?.escalates && submitted.receipt === undefined) return { ...claimed, state: 'sent' };
    if (submitted?.receipt?.digest !== undefined)
      return { ...claimed, state: 'sent', receipt: await updateDigest(ports, claimed) };
    if (!notifier) throw new Error(`the channel ${claimed.channel} is not configured`);
    const receiptOfDigest = claimed.event === 'submitted' && (await collectInDigest(ports, claimed, row));
    if (receiptOfDigest) return { ...claimed, state: 'sent', receipt: receiptOfDigest };
    const receipt = await notifier.send(claimed.event, row, submitted?.receipt, await ports.placeOf(row));
    if (claimed.event === 'submitted' && !claimed.escalates) reportDelay(ports, row);
    return { ...claimed, state: 'sent', receipt };
  } catch (cause) {
    return afterFailure(ports, claimed, cause);
  }
}

/** Sends a chat call to its evaluator and removes the call's text from the store. */
async function sendToEvaluator(
  ports: DeliverPorts,
  { evaluation: _texts, ...rest }: Delivery,
  call: NonNullable<Delivery['evaluation']>,
): Promise<Delivery> {
  const notifier = await ports.notifier(rest.channel);
  if (!notifier?.evaluate) throw new Error('no evaluation webhook is configured');
  return { ...rest, state: 'sent', receipt: await notifier.evaluate(call, rest.envelope_id) };
}

/** Sends a policy event. If the channel is off, the event counts as sent. */
async function sendPolicyEvent(ports: DeliverPorts, claimed: Delivery, policy: NonNullable<Delivery['policy']>) {
  const notifier = await ports.notifier(claimed.channel);
  return (await notifier?.sendPolicyEvent?.(claimed, policy)) ?? {};
}

async function sendAlert(ports: DeliverPorts, { channel }: Delivery, alert: NonNullable<Delivery['alert']>) {
  const notifier = await ports.notifier(channel);
  if (!notifier?.sendAlert) throw new Error(`the channel ${channel} is not configured for alerts`);
  return notifier.sendAlert(alert);
}

/** Reports the delay, including retries, between the request and the channel's acceptance of its first message. */
const reportDelay = ({ clock, telemetry }: DeliverPorts, { queued_at }: ApprovalRow): void =>
  telemetry.observe('svc_delivery_delay_seconds', Math.max(0, (clock.now() - Date.parse(queued_at)) / 1000), {});

function afterFailure(ports: DeliverPorts, claimed: Delivery, cause: unknown): Delivery {
  const last_error = faultMessage(cause);
  const dead = claimed.attempts >= maxAttempts;
  ports.telemetry.log(dead ? 'error' : 'warn', dead ? 'notification is dead' : 'notification failed', {
    id: claimed.id,
    attempts: claimed.attempts,
    error: last_error,
  });
  if (dead) {
    ports.telemetry.count('svc_deliveries_dead_total', {});
    const { evaluation: _texts, ...rest } = claimed;
    return { ...rest, state: 'dead', last_error };
  }
  const backoff = Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** claimed.attempts) * (0.5 + ports.random() / 2);
  const asked = cause instanceof DeliveryRefusal ? Math.min(longestRefusalSeconds, cause.retryAfterSeconds) : 0;
  return { ...claimed, due_at: inSeconds(ports, Math.max(backoff, asked)), last_error };
}

/** Returns the error message with its cause, since `fetch failed` is not helpful on its own. */
function faultMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) return shortenError(String(thrown));
  return shortenError(thrown.cause instanceof Error ? `${thrown.message}: ${thrown.cause.message}` : thrown.message);
}

/**
 * Shortens a channel's response, which may have any length; one that does not fit into the row would be resent
 * endlessly.
 */
const shortenError = (text: string): string => text.slice(0, 1_000).toWellFormed();

const laterTime = (a: string, b: string) => (a > b ? a : b);
const inSeconds = ({ clock }: DeliverPorts, seconds: number) => isoTime(clock.now() + seconds * 1000);
