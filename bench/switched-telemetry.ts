/**
 * The gateway's telemetry with a switch that the bench controls. When it is off, there are no counts, spans or log
 * lines. The reply to each switch message contains the process's CPU time so far, so that the bench can measure each
 * block of calls.
 */
import { type LogTelemetry, logTelemetry as real, type TelemetryOptions } from '#adapters/telemetry/telemetry.ts';

export interface TelemetrySwitch {
  readonly on: boolean;
}

export interface CpuUsage {
  /** CPU time of the process since its start. */
  readonly cpuMs: number;
}

export function logTelemetry(options: TelemetryOptions): LogTelemetry {
  const recording = real(options);
  let on = true;
  process.on('message', (message: TelemetrySwitch) => {
    on = message.on;
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1_000 } satisfies CpuUsage);
  });
  const begun = performance.now();
  const silent = {
    traceId: '0'.repeat(32),
    set: () => {},
    elapsedUs: () => Math.round((performance.now() - begun) * 1_000),
  };
  return {
    ...recording,
    span: (name, attributes, work) => (on ? recording.span(name, attributes, work) : work(silent)),
    continued: (from, work) => (on ? recording.continued(from, work) : work()),
    outgoing: () => (on ? recording.outgoing() : {}),
    count: (name, labels, by) => (on ? recording.count(name, labels, by) : undefined),
    gauge: (name, value) => (on ? recording.gauge(name, value) : undefined),
    observe: (name, value, labels) => (on ? recording.observe(name, value, labels) : undefined),
    log: (level, message, fields) => (on ? recording.log(level, message, fields) : undefined),
  };
}
