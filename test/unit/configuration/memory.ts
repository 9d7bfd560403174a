/** The configuration stores in memory, with a manual clock. */
import { readFileSync } from 'node:fs';
import { tenantRows } from '#adapters/tables/tenant-rows.ts';
import { shippedPriceFile, shippedPrices } from '#core/configuration/load/shipped-prices.ts';
import {
  type ConfigStore,
  type FederationState,
  type HeldBindings,
  noKeys,
  type StoredKeyDigests,
  type VersionCompanions,
  type VersionRow,
} from '#core/configuration/ports.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import type { ObjectStore } from '#core/kernel/ports.ts';
import { configurationSchema } from '#features/lazy-configuration.ts';
import { testStore } from '../../support/store.ts';

export const packs = (name: string): string =>
  readFileSync(name === shippedPrices ? shippedPriceFile : `policies/${name}.yaml`, 'utf8');

/** Returns a configuration without a pack, so that tests that do not concern packs are fast. */
export const base = (extra = ''): string => `
version: 1
people:
  - { id: alice, role: admin }
tenants:
  - { id: default, api_keys: [{ key: agent-key-of-16-chars }] }
tool_policies: { pack: null }
${extra}`;

export function memoryConfigStore(): ConfigStore & {
  reads: number;
  fault: Error | undefined;
  adminToken: string | undefined;
  beforeAdvance: () => Promise<void>;
} {
  const rows: VersionRow[] = [];
  let imported: string | undefined;
  let bindings: HeldBindings = { revision: 0, names: {} };
  let keys = noKeys;
  let federation: FederationState | undefined;
  const store = {
    ...tenantRows({ store: testStore() }),
    reads: 0,
    fault: undefined as Error | undefined,
    adminToken: undefined as string | undefined,
    beforeAdvance: async () => {},
    async current() {
      store.reads++;
      if (store.fault) throw store.fault;
      return rows.at(-1);
    },
    async inForce() {
      const row = await store.current();
      return row && { row, keys };
    },
    async replaceKeys(version: number, replaced: StoredKeyDigests) {
      if (rows.at(-1)?.version !== version || replaced.revision !== keys.revision + 1) return false;
      keys = replaced;
      return true;
    },
    async adminTokenSha256() {
      return store.adminToken;
    },
    async get(version: number) {
      return rows.slice(-20).find((row) => row.version === version);
    },
    async ever(version: number) {
      return rows.find((row) => row.version === version);
    },
    async list() {
      return rows.slice(-20).reverse();
    },
    schema: configurationSchema,
    async lastImported() {
      return imported;
    },
    async federation() {
      return federation;
    },
    async putFederation(state: FederationState, read: FederationState | undefined) {
      if (federation?.revision !== read?.revision) return false;
      federation = state;
      return true;
    },
    async bindings() {
      return bindings;
    },
    async advance(row: VersionRow, beside: VersionCompanions = {}) {
      await store.beforeAdvance();
      if ((rows.at(-1)?.version ?? 0) !== row.version - 1) return false;
      if (beside.bindings && beside.bindings.revision !== bindings.revision + 1) return false;
      rows.push(row);
      imported = beside.importedSha256 ?? imported;
      bindings = beside.bindings ?? bindings;
      keys = beside.keys ?? keys;
      return true;
    },
  };
  return store;
}

export function memoryObjects(): ObjectStore & { bodies: Map<string, Uint8Array>; reads: number } {
  const bodies = new Map<string, Uint8Array>();
  const store = {
    bodies,
    reads: 0,
    async put(bytes: Uint8Array) {
      bodies.set(sha256(bytes), bytes);
      return sha256(bytes);
    },
    async get(digest: string) {
      store.reads++;
      return bodies.get(digest);
    },
  };
  return store;
}

export const handClock = (start = Date.UTC(2026, 10, 21, 9)) => {
  let now = start;
  return {
    now: () => now,
    wind: (ms: number) => {
      now += ms;
    },
  };
};
