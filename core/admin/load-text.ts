/** A configuration that was sent as text, read and checked: in a worker where the host has one [limit.heavy-call]. */
import { loadConfiguration } from '#core/configuration/load/lazy-load.ts';
import type { LoadedConfiguration } from '#core/configuration/load/load.ts';
import type { GatewayPorts } from './ports.ts';

/** @throws GatewayError `invalid_request`; in a worker also `payload_too_large` and `service_unavailable`. */
export const loadText = (
  { loadedConfiguration, packs, hostLimits: host }: Pick<GatewayPorts, 'loadedConfiguration' | 'packs' | 'hostLimits'>,
  text: string,
): Promise<LoadedConfiguration> => loadedConfiguration?.(text) ?? loadConfiguration(text, { packs, host });
