/** Shared parts of delivery tests. */

import type { DeliverPorts, Notifier } from '#core/approvals/notifications/deliver-ports.ts';
import type { Digest } from '#core/approvals/notifications/digest.ts';
import { deliveryId, enqueueNotifications } from '#core/approvals/notifications/enqueue.ts';
import type { NotificationEvent } from '#core/approvals/notifications/ports.ts';
import type { ApprovalRow } from '#core/contracts/approval.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { approvalId, memoryDeliveries, sampleRow } from './sample.ts';

interface Sent {
  readonly event: NotificationEvent;
  readonly earlier: Readonly<Record<string, string>> | undefined;
}

/** Returns in-memory deliveries, a manual clock, and a channel that fails as often as a test specifies. */
export function deliverySetting() {
  const { rows, store } = memoryDeliveries();
  const time = { ms: Date.UTC(2026, 0, 1) };
  /** Pending requests. */
  const waiting: ApprovalRow[] = [];
  const terms = { on: false, above: 20, everySeconds: 60 };
  const digests: { readonly digest: Digest; readonly id: string; readonly earlier: Sent['earlier'] }[] = [];
  const sent: Sent[] = [];
  const faults: Error[] = [];
  const logged: [string, unknown][] = [];
  const observed: [string, number][] = [];
  const notifier: Notifier = {
    async send(event, _row, earlier) {
      const fault = faults.shift();
      if (fault) throw fault;
      sent.push({ event, earlier });
      return { ts: String(sent.length) };
    },
    async sendDigest(digest, id, earlier) {
      const fault = faults.shift();
      if (fault) throw fault;
      digests.push({ digest, id, earlier });
      return { ts: earlier?.ts ?? `digest-${digests.length}` };
    },
  };
  const telemetry: Telemetry = {
    span: (_n, _a, work) => work({ traceId: '', set() {}, elapsedUs: () => 0 }),
    leafSpan: (name, attributes, work) => telemetry.span(name, attributes, work),
    continued: (_from, work) => work(),
    outgoing: () => ({}),
    count() {},
    gauge() {},
    observe: (name, value) => void observed.push([name, value]),
    flush: async () => {},
    log: (_level, message, fields) => void logged.push([message, fields]),
  };
  const ports: DeliverPorts = {
    clock: { now: () => time.ms },
    deliveries: store,
    approvals: { find: async () => sampleRow() },
    telemetry,
    notifier: async (channel) => (channel === 'off' ? undefined : notifier),
    random: () => 0.5,
    waiting: {
      list: async () => ({ items: [...waiting] }),
      pendingKeys: async (_tenant, most) => waiting.map(({ key_id }) => key_id).slice(0, most),
    },
    digestTerms: async () => terms,
    placeOf: async () => undefined,
  };
  const enqueue = (event: NotificationEvent, channels = ['slack'], envelope_id = approvalId) =>
    enqueueNotifications(ports, channels, event, sampleRow({ envelope_id }));
  const delivery = (event: NotificationEvent = 'submitted', channel = 'slack') =>
    rows.get(deliveryId(approvalId, event, channel));
  const pass = (seconds: number) => {
    time.ms += seconds * 1000;
  };
  return { ports, rows, waiting, terms, digests, sent, faults, logged, observed, enqueue, delivery, pass };
}
