/**
 * Returns a configuration's signal context from a cache. Hosts that the gateway itself calls on behalf of agents count
 * as known.
 */
import type { Configuration } from '#core/contracts/config.ts';
import { remembered } from '#core/kernel/remembered.ts';
import type { SignalContext } from './signals/call.ts';
import { signalContext } from './signals.ts';

export const signalContextOf = remembered((configuration: Configuration): SignalContext => {
  const hosts = configuration.upstreams.http.flatMap(({ base_url }) => URL.parse(base_url)?.hostname ?? []);
  return signalContext(configuration.behavior, hosts, configuration.catalog);
});
