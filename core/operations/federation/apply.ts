/**
 * Activates a document from the control plane on a data plane, as a policy version of the plane's own
 * [federation.poll].
 */
import { enforceBindings } from '#core/configuration/checks/bound-secrets.ts';
import type { ConfigStore, FederationState, VersionRow } from '#core/configuration/ports.ts';
import { stateOf } from '#core/configuration/store/staleness.ts';
import { configurationBytes } from '#core/configuration/store/stored-form.ts';
import { storeVersion, type VersionDeps } from '#core/configuration/store/versions.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { canonicalize, sha256 } from '#core/kernel/canonical.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { ObjectStore } from '#core/kernel/ports.ts';
import { mergedConfiguration } from './merge.ts';

export interface ApplyDeps extends VersionDeps {
  /** Environment names that a remote configuration may introduce. Undefined if secrets come from a dedicated store. */
  readonly listedSecretNames: readonly string[] | undefined;
}

export type ServedText = Readonly<Record<string, unknown>>;

/**
 * Activates the served configuration if it differs. Secrets and their destinations are bound as for a configuration
 * sent over HTTP, so that a control plane administrator cannot obtain a data plane's secrets.
 * @returns the new version, or undefined if unchanged.
 * @throws GatewayError for a configuration that may not be activated here; the previous one stays active.
 */
export async function applyServed(
  deps: ApplyDeps,
  served: ServedText,
  inForce: Configuration,
  current: VersionRow,
): Promise<{ readonly row: VersionRow; readonly warnings: readonly string[] } | undefined> {
  const merged = mergedConfiguration(served, inForce, await deps.configStore.schema());
  await assertModules(deps.objects, merged.configuration);
  const { names: bound } = await deps.configStore.bindings();
  const rules = { before: inForce, listed: deps.listedSecretNames };
  const kept = enforceBindings({ ...rules, bound }, withoutKeys(merged.configuration));
  const configuration = { ...merged.configuration, providers: kept.configuration.providers };
  if (sha256(configurationBytes(configuration).bytes) === current.sha256) return undefined;
  const row = await storeVersion(deps, configuration, 'control-plane', 'federation', {
    bind: (now) => enforceBindings({ ...rules, bound: now }, withoutKeys(configuration)).bound,
  });
  return { row, warnings: [...merged.warnings, ...kept.warnings] };
}

/** Removes the plane's own keys, which are bound by the file that names them. */
const withoutKeys = (configuration: Configuration): Configuration => ({
  ...configuration,
  tenants: configuration.tenants.map((tenant) => ({ ...tenant, api_keys: [] })),
});

/**
 * Checks that all modules are stored here. The control plane does not serve them, and a filter without its module would
 * fail on every call.
 */
async function assertModules(objects: ObjectStore, { policies }: Configuration): Promise<void> {
  for (const filter of [...policies.input, ...policies.output]) {
    if (filter.type !== 'wasm' || filter.sha256 === undefined || (await objects.get(filter.sha256))) continue;
    throw new GatewayError(
      'invalid_request',
      `The filter ${filter.name} needs the module ${filter.sha256}, which is not stored on this plane; name it once in a filter of this plane's own configuration file.`,
    );
  }
}

/** Returns the last served configuration, if it is still stored. */
export async function lastServedConfiguration(
  { configStore, objects }: { readonly configStore: Pick<ConfigStore, 'federation'>; readonly objects: ObjectStore },
  { federation }: Pick<Configuration, 'federation'>,
): Promise<{ readonly state: FederationState; readonly served: ServedText | undefined } | undefined> {
  const state = stateOf(federation, await configStore.federation());
  if (!state) return undefined;
  const bytes = state.document_sha256 === '' ? undefined : await objects.get(state.document_sha256);
  return { state, served: bytes && (JSON.parse(new TextDecoder().decode(bytes)) as ServedText) };
}

/** Stores the served configuration so that it survives restarts. @returns its address in the object store */
export const storeServed = (objects: ObjectStore, served: ServedText): Promise<string> =>
  objects.put(new TextEncoder().encode(canonicalize(served)));

/**
 * Merges a data plane's own configuration with the last served one, for storage. Policies in the plane's own file have
 * no effect.
 */
export async function underControlPlane(
  deps: { readonly configStore: ConfigStore; readonly objects: ObjectStore },
  own: Configuration,
): Promise<Configuration> {
  if (own.federation.role !== 'data') return own;
  const last = await lastServedConfiguration(deps, own);
  if (!last) return own; // not used for decisions: the plane refuses calls until a document arrives
  if (last.served) return mergedConfiguration(last.served, own, await deps.configStore.schema()).configuration;
  const lost = { ...last.state, revision: last.state.revision + 1, document_sha256: '', etag: '' };
  await deps.configStore.putFederation(lost, last.state);
  return own;
}
