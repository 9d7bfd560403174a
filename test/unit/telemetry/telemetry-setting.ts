/** Telemetry with lines, metrics and spans that a test can read. */
import type { EndedSpan, SpanSink } from '#adapters/telemetry/spans.ts';
import { logTelemetry, type Tracer } from '#adapters/telemetry/telemetry.ts';

export function setting(options: { deployment?: string; tracer?: Tracer } = {}) {
  const lines: string[] = [];
  const time = { ms: Date.UTC(2026, 0, 1) };
  const clock = { now: () => time.ms };
  const telemetry = logTelemetry({ clock, write: (line) => void lines.push(line), service: 'gateway', ...options });
  return { telemetry, lines, time, parsed: () => lines.map((line) => JSON.parse(line)) };
}
export const nothing = async () => {};

export function sinkOf(ended: EndedSpan[], rate = 1, slowMs = Number.POSITIVE_INFINITY): SpanSink {
  const push = (span: EndedSpan) => void ended.push(span);
  return { sampleRate: () => rate, slowMs: () => slowMs, push, flush: nothing, stop: nothing };
}
