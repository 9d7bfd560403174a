/**
 * Tenant and key rows looked up with any string: a caller's input leads only to the row of its own key, and a tenant id
 * never leads to another row.
 */
import fc from 'fast-check';
import { configTable } from '#adapters/tables/config-table.ts';
import { keyPut, tenantPut } from '#adapters/tables/tenant-row-writes.ts';
import { authenticate, presentedDigest } from '#core/configuration/identity/authenticate.ts';
import { buildIdentities, keyIdOf } from '#core/configuration/identity/identities.ts';
import { rowViews } from '#core/configuration/store/row-views.ts';
import type { KeyRow } from '#core/contracts/tenant-rows.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { configurationSchema } from '#features/configuration.ts';
import { runs } from '../support/extent.ts';
import { testStore } from '../support/store.ts';
import { handClock } from '../unit/configuration/memory.ts';

const stamps = { changed_at: '2026-11-21T09:00:00.000Z', changed_by: 'test' };
const tenantSettings = { allowed_models: ['*'], system_prompt: '' };
const keySettings = { role: 'operator', kind: 'agent' } as const;
const configuration = { ...configurationSchema.parse({ version: 1, tenants: [{ id: 'default', api_keys: ['k'] }] }) };

/** Ids with every allowed character, and strings that look like other rows. */
const tenantId = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/),
  fc.constantFrom('current', 'imported', 'key', 'tenant', 'tenants', 'proto__', 'constructor', 'default'),
);
const key = fc.stringMatching(/^[\x21-\x7e]{1,80}$/);
/** Strings that a caller may send instead of a key or a tenant id. */
const word = fc.oneof(
  key,
  tenantId,
  fc.string({ maxLength: 80 }),
  fc.constantFrom('current', 'version#1', 'admin-token', 'tenant#a', 'key#', '#', '__proto__', ''),
  key.map(sha256),
  key.map((text) => keyIdOf(sha256(text))),
);

test('[tenants.rows] [auth.keys-by-digest] for any string, the caller is the owner of the key it sends, or unknown', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(tenantId, key), { maxLength: 6, selector: ([, text]) => text }),
      fc.array(word, { maxLength: 12 }),
      async (rows, words) => {
        const store = testStore();
        try {
          const owners = new Map(rows.map(([tenant, text]) => [text, tenant]));
          for (const tenant of new Set(owners.values()))
            await store.transact([tenantPut({ id: tenant, settings: tenantSettings, revision: 1, ...stamps })]);
          for (const [tenant, text] of rows) {
            const row: KeyRow = { key_sha256: sha256(text), tenant, settings: keySettings, ...stamps };
            expect(await store.transact([keyPut(row)])).toBe('written');
          }
          const configStore = configTable({ store });
          const views = rowViews({ rows: configStore, clock: handClock() });
          const { identities } = buildIdentities({ keys: [], people: [], firstTenant: 'default' });
          const snapshot = { configuration: configuration as never, identities };
          for (const sent of [...owners.keys(), ...words]) {
            const headers = { 'x-api-key': sent };
            const digest = presentedDigest(headers);
            const view = await views.of(snapshot, { key_id: digest && keyIdOf(digest), tenant: sent });
            const known = attempted(() => authenticate(headers, view.identities));
            expect(known?.tenant).toBe(owners.get(sent));
            // The id of a key is not secret and does not authenticate any caller.
            expect(identities.byDigest.get(sent)).toBeUndefined();
          }
          for (const id of words) {
            const found = await configStore.tenantRow(id);
            expect(found?.id).toBe([...owners.values()].includes(id) ? id : undefined);
          }
          const { items } = await configStore.tenantRows({ limit: 200 });
          expect(items.map(({ id }) => id)).toEqual([...new Set(owners.values())].sort());
        } finally {
          store.close();
        }
      },
    ),
    { numRuns: runs(2_000, 100, 30) },
  );
});

function attempted<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
