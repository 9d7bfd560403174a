/** Tenants and keys stored as rows, in addition to those in the configuration. */
import * as z from 'zod';
import { cursor, evidenceHash } from '#core/contracts/answers/parts.ts';
import { paging } from '#core/contracts/route.ts';
import { addKeySchema, keyRowSchema, putTenantSchema, tenantRowSchema } from '#core/contracts/tenant-rows.ts';
import { fields } from '#core/kernel/json-fields.ts';
import { operation } from '../endpoint.ts';

const key = () =>
  keyRowSchema
    .omit({ key_sha256: true })
    .extend({ key_id: z.string().meta({ description: 'First 16 hex digits of the SHA-256 of the key.' }) });
const common = { function: 'policies', role: 'admin', platform: true } as const;

export const tenantRows = {
  listTenantRows: operation({
    ...common,
    route: 'GET /admin/v1/tenant-rows',
    query: paging,
    summary: 'Tenants that are stored as rows, ordered by id',
    command: {
      words: 'tenants list',
      summary: 'List tenants that are stored outside the configuration',
      examples: ['tenants list', "tenants list --json | jq -r '.tenants[].id'"],
      table: {
        of: 'tenants',
        none: 'no tenant is stored outside the configuration',
        columns: {
          id: 'id',
          name: 'settings.name',
          revision: 'revision',
          changed: 'changed_at',
          removed: 'removed_at',
        },
      },
    },
    output: () => z.strictObject({ tenants: z.array(tenantRowSchema), cursor }),
    run: async () => (await import('#core/operations/tenant-rows.ts')).listTenantRows,
  }),
  putTenantRow: operation({
    ...common,
    route: 'PUT /admin/v1/tenant-rows/{tenant}',
    summary: 'Create a tenant, or change one under the revision that was read',
    status: 201,
    input: () => putTenantSchema,
    example: { settings: { name: 'Acme', rate_limit: { requests_per_minute: 600 }, allowed_models: ['gpt-*'] } },
    output: () => tenantRowSchema.extend(evidenceHash),
    run: async () => (await import('#core/operations/tenant-rows.ts')).putTenantRow,
  }),
  removeTenantRow: operation({
    ...common,
    route: 'DELETE /admin/v1/tenant-rows/{tenant}',
    summary: 'Remove a tenant; its keys are refused and its evidence stays',
    command: {
      words: 'tenants remove <tenant>',
      summary: 'Remove a tenant; its keys stop within 5 seconds',
      examples: ['tenants remove acme'],
    },
    output: () => tenantRowSchema.extend(evidenceHash),
    run: async () => (await import('#core/operations/tenant-rows.ts')).removeTenantRow,
  }),
  listTenantKeys: operation({
    ...common,
    route: 'GET /admin/v1/tenant-rows/{tenant}/keys',
    query: paging,
    summary: 'Stored keys of a tenant, by id; never the keys themselves',
    command: {
      words: 'keys list <tenant>',
      summary: 'List stored keys of a tenant by id; the keys themselves are never shown',
      examples: ['keys list acme'],
      table: {
        of: 'keys',
        none: 'this tenant has no stored key',
        columns: {
          id: 'key_id',
          name: 'settings.name',
          role: 'settings.role',
          kind: 'settings.kind',
          human: ({ settings }) => fields(settings).person ?? fields(settings).owner,
          changed: 'changed_at',
          revoked: 'revoked_at',
        },
      },
    },
    output: () => z.strictObject({ keys: z.array(key()), cursor }),
    run: async () => (await import('#core/operations/tenant-rows.ts')).listTenantKeys,
  }),
  addTenantKey: operation({
    ...common,
    route: 'POST /admin/v1/tenant-rows/{tenant}/keys',
    summary: 'Add a key by its digest to a tenant that is stored as a row or in the configuration',
    status: 201,
    input: () => addKeySchema,
    example: {
      key_sha256: '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8',
      settings: { name: 'build agent', role: 'operator', kind: 'agent' },
    },
    output: () => key().extend(evidenceHash),
    run: async () => (await import('#core/operations/tenant-rows.ts')).addTenantKey,
  }),
  revokeTenantKey: operation({
    ...common,
    route: 'DELETE /admin/v1/tenant-rows/{tenant}/keys/{key_id}',
    summary: 'Revoke a key; it is refused within five seconds and never accepted again',
    command: {
      words: 'keys revoke <tenant> <key_id>',
      summary: 'Revoke a key; it stops within 5 seconds',
      examples: ['keys revoke acme 5e884898da280471'],
    },
    output: () => key().extend(evidenceHash),
    run: async () => (await import('#core/operations/tenant-rows.ts')).revokeTenantKey,
  }),
};
