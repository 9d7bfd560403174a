/** Requests for files and batches, sent to the provider that stores them. */
import type { GovernPorts } from '#core/actions/ports.ts';
import type { ProviderEntry } from '#core/contracts/config.ts';
import type { StoredObject } from '#core/contracts/stored-batch.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { textOf } from '#core/kernel/narrow.ts';
import { describeThing, type NamedThing, notFound } from '#core/kernel/not-found.ts';
import { type Provider, ProviderFault, type Providers } from '#core/models/providers/ports.ts';
import { faultToError } from '#core/models/routing/fault-to-error.ts';
import type { ChatPorts } from '../ports.ts';
import type { StoredCaller } from './record.ts';

/** Checks that an id is safe to use in the path of a request to the provider. */
export const isProviderId = (text: string): boolean => /^[\w.:-]{1,200}$/.test(text);

export type FileProvider = Required<Pick<Provider, 'resource' | 'download'>>;

/** Returns an entry's provider, which must support files. @throws ProviderFault */
export async function filesOf(
  { providers }: { readonly providers: Providers },
  entry: ProviderEntry,
): Promise<FileProvider> {
  const { resource, download } = await providers.get(entry);
  if (resource && download) return { resource, download };
  throw new ProviderFault(entry.name, 'unavailable', `${entry.name} keeps no files`);
}

/** Reads the provider's id for the created object. @throws ProviderFault */
export function idIn(entry: ProviderEntry, { id }: JsonObject): string {
  const text = textOf(id) ?? '';
  if (isProviderId(text)) return text;
  throw new ProviderFault(entry.name, 'garbage', `${entry.name} answered without an id`);
}

/** Returns the error for the caller after a failed provider request, and logs the detail. */
function refusedByProvider(
  { telemetry }: Pick<GovernPorts, 'telemetry'>,
  thrown: unknown,
  { thing, name }: NamedThing,
): GatewayError | undefined {
  if (!(thrown instanceof ProviderFault)) return undefined;
  if (thrown.kind === 'status' && thrown.status === 404) return notFound(thing, name);
  telemetry.count('svc_provider_errors_total', { provider: thrown.provider });
  telemetry.log('warn', 'provider call failed', {
    provider: thrown.provider,
    fault: thrown.kind,
    error: thrown.message,
  });
  return faultToError(thrown);
}

/**
 * Sends a request to the provider named in a row.
 * @throws GatewayError `conflict` if that provider is no longer configured; if the request fails, the error for the
 * caller.
 */
export async function requestFromProvider<T>(
  ports: ChatPorts,
  { snapshot }: Pick<StoredCaller, 'snapshot'>,
  { provider }: Pick<StoredObject, 'provider'>,
  named: NamedThing,
  work: (files: FileProvider) => Promise<T>,
): Promise<T> {
  const entry = snapshot.configuration.providers.find(
    ({ name, enabled, type }) => name === provider && enabled && type === 'openai',
  );
  if (!entry)
    throw new GatewayError(
      'conflict',
      `${describeThing(named.thing, named.name)} is at the provider ${provider}, which is no longer in the configuration.`,
    );
  try {
    return await work(await filesOf(ports, entry));
  } catch (thrown) {
    throw refusedByProvider(ports, thrown, named) ?? thrown;
  }
}

export const sentWith = ({ telemetry }: ChatPorts, { signal }: Pick<StoredCaller, 'signal'>) => ({
  headers: telemetry.outgoing(),
  signal,
});
