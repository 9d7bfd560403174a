/**
 * Tenants and keys stored as rows, in addition to those in the configuration [tenants.rows]: list, put, remove, add,
 * revoke. Each change is one conditional write with its evidence. A caller sends a key's digest, never the key itself.
 */
import * as z from 'zod';
import { keyIdOf } from '#core/configuration/identity/identities.ts';
import { word } from '#core/contracts/config/words.ts';
import type { ConfigurationFile, Tenant } from '#core/contracts/config.ts';
import { type Path, problemsError } from '#core/contracts/problems.ts';
import {
  addKeySchema,
  type KeyRow,
  putTenantSchema,
  type TenantRow,
  tenantSettingsSchema,
} from '#core/contracts/tenant-rows.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { notFound, things } from '#core/kernel/not-found.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { type Call, cursorOf, limitOf, type Operation, parseBySchema, type Reply } from './operation.ts';
import { commitAct } from './record.ts';

const checks = lazyImport(() => import('#core/configuration/checks/checks.ts'));

export const listTenantRows: Operation = async ({ ports, query }) => {
  const { items, ...next } = await ports.configStore.tenantRows({ limit: limitOf(query), ...cursorOf(query) });
  return { body: { tenants: items, ...next } };
};

export const putTenantRow: Operation = async (call) => {
  const { settings, revision = 0 } = parseBySchema(putTenantSchema, call.body());
  const id = tenantIdOf(call);
  const folded = id.toLowerCase();
  // Readers would take ids that differ only in case for the same tenant, as `unique` notes for the configuration.
  if (id !== folded)
    throw invalidRequest(
      `The request is not valid: tenant: found "${id}", allowed lower-case letters, as "${folded}".`,
    );
  await assertFits(call, { ...settings, id, api_keys: [] }, ([, , member]) => member !== 'api_keys');
  return putTenant(call, 'tenant.put', { id, settings, revision: revision + 1, ...stampsOf(call) });
};

export const removeTenantRow: Operation = async (call) => {
  const found = await rowOf(call);
  const stamps = stampsOf(call);
  const row = { ...found, ...stamps, revision: found.revision + 1, removed_at: stamps.changed_at };
  return putTenant(call, 'tenant.remove', row);
};

export const listTenantKeys: Operation = async (call) => {
  const options = { limit: limitOf(call.query), ...cursorOf(call.query) };
  const { items, ...next } = await call.ports.configStore.keyRows(tenantIdOf(call), options);
  return { body: { keys: items.map(keyAnswer), ...next } };
};

/** Adds a key to a tenant that is configured or stored as a row. */
export const addTenantKey: Operation = async (call) => {
  const { key_sha256, settings } = parseBySchema(addKeySchema, call.body());
  const tenant = tenantIdOf(call);
  // Includes keys whose values are not in the file: those in environment variables, the admin token and the data plane
  // tokens.
  if (call.snapshot.identities.byDigest.has(key_sha256))
    throw invalidRequest(`The key ${keyIdOf(key_sha256)} belongs to the configuration already. Make another one.`);
  const configured = call.snapshot.configuration.tenants.some(({ id }) => id === tenant);
  const own = configured ? tenantSettingsSchema.parse({}) : (await rowOf(call)).settings;
  const entry = { ...settings, platform: false, priority: 'normal', key_sha256 } as const;
  await assertFits(call, { ...own, id: tenant, api_keys: [entry] }, ([, , member]) => member === 'api_keys');
  return putKey(call, 'key.add', { key_sha256, tenant, settings, ...stampsOf(call) });
};

export const revokeTenantKey: Operation = async (call) => {
  const { tenant = '', key_id = '' } = call.params;
  const found = await call.ports.configStore.keyRow(key_id);
  if (found?.tenant !== tenant || found.revoked_at !== undefined) throw notFound({ noun: 'key' }, key_id);
  const stamps = stampsOf(call);
  return putKey(call, 'key.revoke', { ...found, ...stamps, revoked_at: stamps.changed_at });
};

async function putTenant(call: Call, action: string, row: TenantRow): Promise<Reply> {
  const { settings, changed_by: _by, ...named } = row;
  const details = { row: { ...named, settings_sha256: digestOf(settings) } };
  const outcome = await commitAct(call, action, details, [{ type: 'tenant.put', row }]);
  if (!outcome.ok)
    throw new GatewayError(
      'conflict',
      `The row of tenant ${row.id} exists, or has another revision than ${row.revision - 1}. Read it with GET /admin/v1/tenant-rows and send its revision.`,
    );
  return { status: row.revision === 1 ? 201 : 200, body: { ...row, evidence_hash: outcome.entry.hash } };
}

async function putKey(call: Call, action: string, row: KeyRow): Promise<Reply> {
  const { changed_by: _by, ...details } = keyAnswer(row);
  const outcome = await commitAct(call, action, { key: details }, [{ type: 'key.put', row }]);
  if (!outcome.ok)
    throw new GatewayError(
      'conflict',
      `The key ${details.key_id} exists already or was revoked. A revoked key is never accepted again; make another one.`,
    );
  return {
    status: row.revoked_at === undefined ? 201 : 200,
    body: { ...keyAnswer(row), evidence_hash: outcome.entry.hash },
  };
}

/** Returns a key including its id but not its digest. */
const keyAnswer = ({ key_sha256, ...row }: KeyRow) => ({ key_id: keyIdOf(key_sha256), ...row });

const stampsOf = ({ ports, principal }: Call) => ({
  changed_at: isoTime(ports.clock.now()),
  changed_by: principal.person ?? principal.name,
});

/** Returns the tenant in the path. @throws GatewayError `invalid_request` for a string that cannot be a tenant id. */
function tenantIdOf({ params: { tenant = '' } }: Call): string {
  return parseBySchema(z.strictObject({ tenant: word }), { tenant }).tenant;
}

/** @throws GatewayError `not_found` if there is no row or the tenant was removed. */
async function rowOf(call: Call): Promise<TenantRow> {
  const id = tenantIdOf(call);
  const row = await call.ports.configStore.tenantRow(id);
  if (!row || row.removed_at !== undefined) throw notFound(things.tenant, id);
  return row;
}

/**
 * Checks a tenant in the same way as when loading a configuration. Configured tenants come first, so that a row cannot
 * take their names.
 * @param concerns filter that selects problems by their path.
 * @throws GatewayError `invalid_request`
 */
async function assertFits(
  { snapshot: { configuration } }: Call,
  tenant: Tenant,
  concerns: (path: Path) => boolean,
): Promise<void> {
  const { checkConfiguration } = await checks();
  const tenants = configuration.tenants.filter(({ id }) => id !== tenant.id || tenant.api_keys.length === 0);
  const file = { ...configuration, tenants: [...tenants, tenant] } as ConfigurationFile;
  const problems = checkConfiguration(file, []).filter(
    ({ path }) => path[0] === 'tenants' && path[1] === tenants.length && concerns(path),
  );
  if (problems.length > 0) throw problemsError(problems, () => undefined);
}
