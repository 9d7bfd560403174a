/** Loads and checks a configuration sent as text, in a worker if the host has one [limit.hostile]. */
import { loadConfiguration } from '#core/configuration/load/lazy-load.ts';
import type { LoadedConfiguration } from '#core/configuration/load/load.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import { missingModules } from '#core/models/content-policy/wasm-modules.ts';
import type { GatewayPorts, LoadingPorts } from './ports.ts';

/**
 * Loads a configuration. @param file name of the file sent.
 * @throws GatewayError `invalid_request`; in a worker also `payload_too_large` and `service_unavailable`.
 */
export const loadText = async (
  { loadedConfiguration, packs, hostLimits: host, configStore }: LoadingPorts & Pick<GatewayPorts, 'configStore'>,
  text: string,
  file?: string,
): Promise<LoadedConfiguration> =>
  loadedConfiguration?.(text, file) ??
  loadConfiguration(text, { packs, host, file, schema: await configStore.schema() });

/**
 * Checks that all modules are stored.
 * @throws GatewayError `invalid_request` that names the filters whose modules must be uploaded first [wasm.abi].
 */
export async function assertModules(ports: Pick<GatewayPorts, 'objects'>, configuration: Configuration): Promise<void> {
  const problems = await missingModules(configuration, ports.objects);
  if (problems.length === 0) return;
  const advice = 'Upload it with PUT supply-chain/modules/<sha256>, or let agentctl config put do it.';
  throw invalidRequest(`The configuration is not valid: ${problems.join('; ')}. ${advice}`, { problems });
}
