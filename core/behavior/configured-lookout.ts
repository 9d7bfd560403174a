/** The lookout of a configuration, made once: hosts the gateway itself calls for agents are no strangers. */
import type { Configuration } from '#core/contracts/config.ts';
import { type Lookout, lookoutOf } from './signals.ts';

const known = new WeakMap<Configuration, Lookout>();

export function configuredLookout(configuration: Configuration): Lookout {
  const before = known.get(configuration);
  if (before) return before;
  const hosts = configuration.upstreams.http.flatMap(({ base_url }) => URL.parse(base_url)?.hostname ?? []);
  const lookout = lookoutOf(configuration.behavior, hosts);
  known.set(configuration, lookout);
  return lookout;
}
