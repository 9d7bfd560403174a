/**
 * Tenants and keys stored as rows, in addition to those of the configuration, so that adding one is one write
 * [tenants.rows]. Rows hold what the configuration could say about them; keys with limits, a priority or rights over the
 * platform stay in the configuration.
 */
import * as z from 'zod';
import { keyFields, tenant } from './config/callers.ts';
import { word } from './config/words.ts';

/** Settings of a tenant, as in the configuration. */
export const tenantSettingsSchema = tenant.omit({ id: true, api_keys: true });

/** Settings of a key, as in the configuration. */
const keySettingsSchema = z
  .strictObject(keyFields)
  .omit({ platform: true, priority: true, rate_limit: true, budget: true });

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex');
const stamps = { changed_at: z.iso.datetime(), changed_by: z.string() };

export const tenantRowSchema = z.strictObject({
  id: word,
  settings: tenantSettingsSchema,
  /** Incremented by each write, which must name the revision it read. */
  revision: z.int().positive(),
  ...stamps,
  /** Its keys are refused. The id is never free again, so that old keys cannot open a new tenant. */
  removed_at: z.iso.datetime().optional(),
});

export const keyRowSchema = z.strictObject({
  key_sha256: sha256,
  tenant: word,
  settings: keySettingsSchema,
  ...stamps,
  /** A revoked key is never accepted again. */
  revoked_at: z.iso.datetime().optional(),
});

export type TenantRow = z.infer<typeof tenantRowSchema>;
export type KeyRow = z.infer<typeof keyRowSchema>;

/** Body of a request that creates or changes a tenant. */
export const putTenantSchema = z.strictObject({
  settings: tenantSettingsSchema.prefault({}),
  revision: z
    .int()
    .positive()
    .optional()
    .meta({ description: 'Revision that was read. Without it the tenant must be new.' }),
});

/** Body of a request that adds a key. */
export const addKeySchema = z.strictObject({
  key_sha256: sha256.meta({ description: 'SHA-256 of the key. The key itself stays with its owner.' }),
  settings: keySettingsSchema.prefault({}),
});
