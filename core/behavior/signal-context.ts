/** The context of a configuration, made once: hosts the gateway itself calls for agents are not strangers. */
import type { Configuration } from '#core/contracts/config.ts';
import { type SignalContext, signalContext } from './signals.ts';

const known = new WeakMap<Configuration, SignalContext>();

export function signalContextOf(configuration: Configuration): SignalContext {
  const before = known.get(configuration);
  if (before) return before;
  const hosts = configuration.upstreams.http.flatMap(({ base_url }) => URL.parse(base_url)?.hostname ?? []);
  const context = signalContext(configuration.behavior, hosts);
  known.set(configuration, context);
  return context;
}
