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
  send(event: NotificationEvent, row: ApprovalRow, earlier: Readonly<Record<string, string>> | undefined): Promise<Record<string, string>>;
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
  readonly approvals: ApprovalStore;
  readonly telemetry: Telemetry;
  readonly notifier: (channel: string) => Promise<Notifier | undefined>;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
}

const maxAttempts = 8;
/** A worker that took a delivery has this long before another may try. */
const claimSeconds = 30;
const longestWaitSeconds = 600;

/** Sends every delivery that is due, a page at a time; answers how many went out. */
export async function deliverDue(ports: DeliverPorts, pageSize = 50): Promise<number> {
  const due = await ports.deliveries.due(isoTime(ports.clock.now()), pageSize);
  let sent = 0;
  for (const delivery of due) if (await deliver(ports, delivery)) sent++;
  return sent;
}

async function deliver(ports: DeliverPorts, delivery: Delivery): Promise<boolean> {
  const claimed: Delivery = { ...delivery, attempts: delivery.attempts + 1, due_at: inSeconds(ports, claimSeconds) };
  if (!(await ports.deliveries.update(delivery, claimed))) return false;
  try {
    const receipt = await send(ports, delivery);
    await ports.deliveries.update(claimed, { ...claimed, state: 'sent', receipt });
    return true;
  } catch (cause) {
    await ports.deliveries.update(claimed, afterFailure(ports, claimed, cause));
    return false;
  }
}

async function send(ports: DeliverPorts, { channel, event, envelope_id }: Delivery): Promise<Record<string, string>> {
  const [notifier, row, submitted] = await Promise.all([
    ports.notifier(channel),
    ports.approvals.find(envelope_id),
    event === 'submitted' ? undefined : ports.deliveries.get(deliveryId(envelope_id, 'submitted', channel)),
  ]);
  if (!row) throw new Error('the approval is gone');
  if (!notifier) throw new Error(`the channel ${channel} is not configured`);
  return notifier.send(event, row, submitted?.receipt);
}

function afterFailure(ports: DeliverPorts, claimed: Delivery, cause: unknown): Delivery {
  const last_error = cause instanceof Error ? cause.message : String(cause);
  const dead = claimed.attempts >= maxAttempts;
  ports.telemetry.log(dead ? 'error' : 'warn', dead ? 'notification is dead' : 'notification failed', { id: claimed.id, error: last_error });
  if (dead) return { ...claimed, state: 'dead', last_error };
  const backoff = Math.min(longestWaitSeconds, 2 ** claimed.attempts) * (0.5 + ports.random() / 2);
  const wait = cause instanceof DeliveryRefused ? Math.max(backoff, cause.retryAfterSeconds) : backoff;
  return { ...claimed, due_at: inSeconds(ports, wait), last_error };
}

const inSeconds = ({ clock }: DeliverPorts, seconds: number) => isoTime(clock.now() + seconds * 1000);
