/**
 * Builds the evidence body for a new policy version, whether it comes from a file import, HTTP, a rollback or refreshed
 * keys.
 */
import type { ConfigStore, VersionRow } from '#core/configuration/ports.ts';
import { secretsOfVersion } from '#core/configuration/store/keys-in-evidence.ts';
import { readVersion } from '#core/configuration/store/stored-form.ts';
import type { ObjectStore } from '#core/kernel/ports.ts';

/**
 * Builds the body. It lists disabled guards, because no other entry shows that calls they would have blocked may now be
 * allowed.
 */
export async function versionAct(
  ports: {
    readonly configStore: Pick<ConfigStore, 'bindings' | 'get' | 'inForce' | 'schema'>;
    readonly objects: ObjectStore;
  },
  { version, sha256, of_version }: VersionRow,
): Promise<Record<string, unknown>> {
  const stored = await readVersion(ports, version);
  const secrets = await secretsOfVersion(ports.configStore, version);
  const disabled_guards = stored?.configuration.tool_policies.disable_guards ?? [];
  return {
    policy_version: version,
    sha256,
    ...secrets,
    ...(of_version !== undefined && { of_version }),
    ...(disabled_guards.length > 0 && { disabled_guards }),
  };
}
