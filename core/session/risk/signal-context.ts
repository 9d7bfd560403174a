/** The context of a configuration, made once: hosts the gateway itself calls for agents are not strangers. */
import type { Configuration } from '#core/contracts/config.ts';
import { remembered } from '#core/kernel/remembered.ts';
import type { SignalContext } from './signals/call.ts';
import { signalContext } from './signals.ts';

export const signalContextOf = remembered((configuration: Configuration): SignalContext => {
  const hosts = configuration.upstreams.http.flatMap(({ base_url }) => URL.parse(base_url)?.hostname ?? []);
  return signalContext(configuration.behavior, hosts, configuration.catalog.secret_files);
});
