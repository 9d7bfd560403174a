/**
 * Tenants and keys stored as rows, in addition to those in the configuration, so that adding one takes a single write
 * [tenants.rows]. Rows contain the same settings as the configuration would. Keys with limits, a priority or platform
 * rights stay in the configuration.
 */
import * as z from 'zod';
import { keyFields, tenant } from './config/callers.ts';
import { word } from './config/words.ts';

/** Tenant settings, as in the configuration. */
export const tenantSettingsSchema = tenant.omit({ id: true, api_keys: true });

/** Key settings, as in the configuration. */
const keySettingsSchema = z
  .strictObject(keyFields)
  .omit({ platform: true, priority: true, rate_limit: true, budget: true });

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in lower-case hex');
const stamps = { changed_at: z.iso.datetime(), changed_by: z.string() };

export const tenantRowSchema = z.strictObject({
  id: word,
  settings: tenantSettingsSchema,
  /** Incremented by each write, which must state the revision it read. */
  revision: z.int().positive(),
  ...stamps,
  /**
   * When the tenant was removed. Its keys are refused from that time, and the id is never reused, so that old keys
   * cannot open a new tenant.
   */
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

/** Body of a request to create or change a tenant. */
export const putTenantSchema = z.strictObject({
  settings: tenantSettingsSchema.prefault({}),
  revision: z
    .int()
    .positive()
    .optional()
    .meta({ description: 'Revision that was read. If absent, the tenant must be new.' }),
});

/** Body of a request to add a key. */
export const addKeySchema = z.strictObject({
  key_sha256: sha256.meta({ description: 'SHA-256 of the key. The key itself stays with its owner.' }),
  settings: keySettingsSchema.prefault({}),
});
