/** Stores a new deployment's first configuration, authorised by the admin token because there are no keys yet. */
import { bindingsAfter } from '#core/configuration/checks/bound-secrets.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import { storeVersion } from '#core/configuration/store/versions.ts';
import { assertModules, loadText } from './load-text.ts';
import type { Reply } from './operation.ts';
import type { GatewayPorts } from './ports.ts';
import { recordAct } from './record.ts';
import { versionAct } from './version-act.ts';

export async function putFirstConfig(
  ports: GatewayPorts,
  principal: Principal,
  text: string,
  file?: string,
): Promise<Reply> {
  const loaded = await loadText(ports, text, file);
  await assertModules(ports, loaded.configuration);
  const row = await storeVersion(ports, loaded.configuration, principal.person ?? principal.name, 'api', {
    places: loaded.places,
    bind: (bound) => bindingsAfter(bound, loaded.configuration, 'api'),
  });
  const snapshot = await ports.snapshots.refresh();
  const first = { ...principal, tenant: snapshot.configuration.tenants[0]!.id };
  await recordAct({ ports, principal: first }, 'config.put', await versionAct(ports, row));
  return { status: 201, body: { ...row, warnings: loaded.warnings } };
}
