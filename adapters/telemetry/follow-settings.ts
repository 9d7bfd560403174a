/** Exports the local run's spans to the target in the active configuration's `telemetry`, and follows changes to it. */
import { systemClock } from '#adapters/system/clock.ts';
import { systemTimeouts } from '#adapters/system/timeouts.ts';
import type { Snapshots } from '#core/configuration/store/snapshots.ts';
import type { Configuration } from '#core/contracts/config.ts';
import type { Clock, Telemetry, Timeouts } from '#core/kernel/ports.ts';
import { grpcSender } from './otlp-grpc.ts';
import { httpSender, tracesUrl } from './otlp-http.ts';
import { resourceAttributes } from './resource.ts';
import { batchedSink } from './span-batches.ts';
import type { SpanExport, SpanSender, SpanSink } from './spans.ts';

type Settings = Configuration['telemetry'];

interface FollowOptions {
  readonly clock?: Clock;
  readonly timeouts?: Timeouts;
}

const lookEveryMs = 5_000;

/**
 * Checks the settings immediately and every five seconds. Without `otlp_endpoint`, loads, queues and sends nothing.
 * @returns `stop` sends pending spans; call it when no request is in flight.
 */
export function followTelemetrySettings(
  telemetry: SpanExport & Pick<Telemetry, 'count' | 'log'>,
  snapshots: Pick<Snapshots, 'current'>,
  { clock = systemClock, timeouts = systemTimeouts }: FollowOptions = {},
): { stop(): Promise<void> } {
  let following: { readonly key: string; readonly sink: SpanSink | undefined } = { key: '', sink: undefined };
  let sampling = { sample_rate: 1, slow_ms: Number.POSITIVE_INFINITY };
  let stopped = false;
  let cancel = () => {};
  const leaving = new Set<Promise<void>>();

  const change = (key: string, settings: Settings | undefined): void => {
    const { sink: before } = following;
    const sender = settings && senderFor(settings);
    const wanted = { sampleRate: () => sampling.sample_rate, slowMs: () => sampling.slow_ms };
    const sink = sender && batchedSink({ sender, telemetry, clock, timeouts, ...wanted });
    following = { key, sink };
    telemetry.exportTo(sink);
    if (!before) return;
    const over = before.stop().finally(() => leaving.delete(over));
    leaving.add(over);
  };

  const look = async (): Promise<void> => {
    const { telemetry: settings } = (await snapshots.current({ evenStale: true })).configuration;
    if (stopped) return;
    sampling = settings;
    const key = settings.otlp_endpoint === undefined ? '' : settingsKey(settings);
    if (key !== following.key) change(key, settings);
  };

  const keepLooking = (): Promise<void> =>
    look()
      .catch(() => {}) // keeps the last settings; code that needs the configuration reports its absence
      .then(() => {
        if (!stopped) cancel = timeouts.after(lookEveryMs, () => void keepLooking());
      });

  void keepLooking();
  return {
    async stop() {
      stopped = true;
      cancel();
      change('', undefined);
      await Promise.all(leaving);
    },
  };
}

const settingsKey = ({ otlp_endpoint, otlp_protocol, service_name }: Settings): string =>
  JSON.stringify([otlp_endpoint, otlp_protocol, service_name]);

function senderFor({ otlp_endpoint, otlp_protocol, service_name }: Settings): SpanSender | undefined {
  if (otlp_endpoint === undefined) return undefined;
  const resource = resourceAttributes(service_name);
  return otlp_protocol === 'grpc'
    ? grpcSender({ endpoint: otlp_endpoint, resource })
    : httpSender({ url: tracesUrl(otlp_endpoint), resource: () => resource });
}
