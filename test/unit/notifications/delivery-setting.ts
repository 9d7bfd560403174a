/** What tests of deliveries share. */
import type { DeliverPorts, Notifier } from '#core/approvals/deliver.ts';
import { deliveryId, enqueueNotifications } from '#core/approvals/notifications.ts';
import type { NotificationEvent } from '#core/approvals/ports.ts';
import type { Telemetry } from '#core/kernel/ports.ts';
import { approvalId, memoryDeliveries, sampleRow } from './sample.ts';

interface Sent {
  readonly event: NotificationEvent;
  readonly earlier: Readonly<Record<string, string>> | undefined;
}

/** Deliveries in memory, a clock that is wound, and a channel that fails as often as a test says. */
export function deliverySetting() {
  const { rows, store } = memoryDeliveries();
  const time = { ms: Date.UTC(2026, 0, 1) };
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
  };
  const telemetry: Telemetry = {
    span: (_n, _a, work) => work({ traceId: '', set() {}, elapsedUs: () => 0 }),
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
    placeOf: async () => undefined,
  };
  const enqueue = (event: NotificationEvent, channels = ['slack'], envelope_id = approvalId) =>
    enqueueNotifications(ports, channels, event, sampleRow({ envelope_id }));
  const delivery = (event: NotificationEvent = 'submitted', channel = 'slack') =>
    rows.get(deliveryId(approvalId, event, channel));
  const pass = (seconds: number) => {
    time.ms += seconds * 1000;
  };
  return { ports, rows, sent, faults, logged, observed, enqueue, delivery, pass };
}
