/**
 * Sends what is due (spec §6): at least once, each by one worker at a time, with backoff and a dead letter. A vote never
 * waits for it.
 */
import type { ApprovalRow } from '#core/contracts/approval.ts';
import { type Clock, isoTime, type Telemetry } from '#core/kernel/ports.ts';
import { deliveryId } from './notifications.ts';
import type { ApprovalStore, Delivery, DeliveryStore, NotificationEvent } from './ports.ts';

/** One way to reach people. */
export interface Notifier {
  /**
   * Sends one message; answers what later messages about the same approval need.
   * @param earlier what the `submitted` message was answered with, if it was sent.
   * @throws DeliveryRefused when the channel named a time to wait; any error counts as a failed attempt.
   */
  send(
    event: NotificationEvent,
    row: ApprovalRow,
    earlier: Readonly<Record<string, string>> | undefined,
  ): Promise<Record<string, string>>;
}

export class DeliveryRefused extends Error {
  readonly retryAfterSeconds: number;
  constructor(message: string, retryAfterSeconds: number) {
    super(message);
    this.name = 'DeliveryRefused';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface DeliverPorts {
  readonly clock: Clock;
  readonly deliveries: DeliveryStore;
  readonly approvals: Pick<ApprovalStore, 'find'>;
  readonly telemetry: Telemetry;
  readonly notifier: (channel: string) => Promise<Notifier | undefined>;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
}

const maxAttempts = 8;
/** A page of unresponsive channels must end before the function's time does. */
const atOnce = 10;
/** A worker that took a delivery has this long before another may try: longer than any channel's time-out. */
const claimSeconds = 30;
/** 10, 20, 40 … 600 seconds: eight attempts outlive an outage of a quarter of an hour. */
const firstWaitSeconds = 5;
const longestWaitSeconds = 600;
/** A channel that asks for more than this is tried again anyway. */
const longestRefusalSeconds = 3600;
/** How long the message of a decision waits for the message it rewrites. */
const behindSeconds = 5;

/** Sends one page of what is due; answers how many went out. Approvals side by side, each one's messages in order. */
export async function deliverDue(ports: DeliverPorts, pageSize = 50): Promise<number> {
  const due = await ports.deliveries.due(isoTime(ports.clock.now()), pageSize);
  const lines = Map.groupBy(due, ({ channel, envelope_id }) => `${channel}#${envelope_id}`);
  const waiting = [...lines.values()];
  let sent = 0;
  const worker = async () => {
    for (let line = waiting.shift(); line; line = waiting.shift()) sent += await deliverInOrder(ports, line);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return sent;
}

async function deliverInOrder(ports: DeliverPorts, line: readonly Delivery[]): Promise<number> {
  let sent = 0;
  // What was submitted comes before what was decided, whatever order a retry left them in.
  for (const delivery of [...line].sort((a, b) => Number(b.event === 'submitted') - Number(a.event === 'submitted'))) {
    if (await deliver(ports, delivery).catch((cause: unknown) => storeFailed(ports, delivery, cause))) sent++;
  }
  return sent;
}

/** The claim ends by itself, and the delivery is tried again: one store fault does not hold up the others. */
function storeFailed({ telemetry }: DeliverPorts, { id }: Delivery, cause: unknown): false {
  telemetry.log('error', 'notification state unknown', { id, error: textOf(cause) });
  return false;
}

async function deliver(ports: DeliverPorts, delivery: Delivery): Promise<boolean> {
  const submitted = await submittedOf(ports, delivery);
  if (submitted?.state === 'due') {
    const due_at = later(submitted.due_at, inSeconds(ports, behindSeconds));
    await ports.deliveries.update(delivery, { ...delivery, due_at });
    return false;
  }
  const claimed: Delivery = { ...delivery, attempts: delivery.attempts + 1, due_at: inSeconds(ports, claimSeconds) };
  if (!(await ports.deliveries.update(delivery, claimed))) return false;
  const outcome = await attempt(ports, claimed, submitted);
  await ports.deliveries.update(claimed, outcome);
  return outcome.state === 'sent';
}

const submittedOf = async ({ deliveries }: DeliverPorts, { event, envelope_id, channel }: Delivery) =>
  event === 'submitted' ? undefined : deliveries.get(deliveryId(envelope_id, 'submitted', channel));

async function attempt(ports: DeliverPorts, claimed: Delivery, submitted: Delivery | undefined): Promise<Delivery> {
  try {
    const [notifier, row] = await Promise.all([
      ports.notifier(claimed.channel),
      ports.approvals.find(claimed.envelope_id),
    ]);
    if (!row) throw new Error('the approval is gone');
    if (!notifier) throw new Error(`the channel ${claimed.channel} is not configured`);
    const receipt = await notifier.send(claimed.event, row, submitted?.receipt);
    return { ...claimed, state: 'sent', receipt };
  } catch (cause) {
    return afterFailure(ports, claimed, cause);
  }
}

function afterFailure(ports: DeliverPorts, claimed: Delivery, cause: unknown): Delivery {
  const last_error = textOf(cause);
  const dead = claimed.attempts >= maxAttempts;
  ports.telemetry.log(dead ? 'error' : 'warn', dead ? 'notification is dead' : 'notification failed', {
    id: claimed.id,
    attempts: claimed.attempts,
    error: last_error,
  });
  if (dead) return { ...claimed, state: 'dead', last_error };
  const backoff = Math.min(longestWaitSeconds, firstWaitSeconds * 2 ** claimed.attempts) * (0.5 + ports.random() / 2);
  const asked = cause instanceof DeliveryRefused ? Math.min(longestRefusalSeconds, cause.retryAfterSeconds) : 0;
  return { ...claimed, due_at: inSeconds(ports, Math.max(backoff, asked)), last_error };
}

/** `fetch failed` alone helps nobody: its cause says what failed. */
function textOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  return thrown.cause instanceof Error ? `${thrown.message}: ${thrown.cause.message}` : thrown.message;
}

const later = (a: string, b: string) => (a > b ? a : b);
const inSeconds = ({ clock }: DeliverPorts, seconds: number) => isoTime(clock.now() + seconds * 1000);
