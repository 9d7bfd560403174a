/** Composes every store over one set of tables, for the functions on AWS, the local host and the tests. */
import { PendingLimit } from '#core/approvals/pending-limit.ts';
import type { Clock } from '#core/kernel/ports.ts';
import { rolloutsInForce } from '#core/models/rollouts/in-force.ts';
import type { FeatureStores } from '#core/operations/ports.ts';
import * as added from '#features/added-stores.ts';
import { actionsTable } from './actions-table.ts';
import { approvalsTable } from './approvals-table.ts';
import { cancellationsTable } from './cancellations-table.ts';
import { countersTable } from './counters-table.ts';
import { credentialsTable } from './credentials-table.ts';
import { deliveriesTable } from './deliveries-table.ts';
import { evidenceTable } from './evidence-table.ts';
import { keyRisksTable } from './key-risks-table.ts';
import { lazyStore } from './lazy-store.ts';
import { mcpTable } from './mcp-table.ts';
import { rolloutsTable } from './rollouts-table.ts';
import type { StoreOptions } from './store.ts';
import { manifestsTable } from './task-manifests-table.ts';
import { ticketsTable } from './tickets-table.ts';

/** Returns the stores, except the ledger and the configuration store, which each host wraps itself. */
export function tableStores({ store: rows }: StoreOptions, clock: Clock) {
  const store: StoreOptions = { store: rows };
  const [evidence, approvals, rollouts] = [evidenceTable(store), approvalsTable(store), rolloutsTable(store)];
  const timed = { ...store, clock };
  return {
    evidence,
    sessionManifests: evidence,
    evidenceRows: evidence,
    approvals,
    pendingLimit: new PendingLimit(approvals),
    passkeys: lazyStore(async () => (await import('./passkeys-table.ts')).passkeysTable(store), {
      get: true,
      put: true,
    }),
    deliveries: deliveriesTable(store),
    credentials: credentialsTable(store),
    tickets: ticketsTable(store),
    keyRisks: keyRisksTable(store),
    tasks: manifestsTable(store),
    traceRing: lazyStore(async () => (await import('./traces-table.ts')).tracesTable(store), {
      put: true,
      recent: true,
    }),
    startedActions: actionsTable(store),
    setAside: lazyStore(async () => (await import('./set-aside-rows.ts')).setAsideRows(store), {
      advance: true,
      put: true,
      list: true,
      ofSessions: true,
      remove: true,
    }),
    contradictions: lazyStore(async () => (await import('./set-aside-rows.ts')).contradictionRows(store), {
      put: true,
      list: true,
      ofSessions: true,
      remove: true,
    }),
    archiveProgress: lazyStore(async () => (await import('./archive-progress-row.ts')).archiveProgressRow(store), {
      get: true,
      put: true,
    }),
    observations: lazyStore(async () => (await import('./observations-table.ts')).observationsTable(store), {
      apply: true,
      usage: true,
      violations: true,
      requests: true,
      minutes: true,
      hours: true,
      stamps: true,
      replaceMinutes: true,
      dimensions: true,
    }),
    rollouts,
    rolloutsInForce: rolloutsInForce(rollouts, clock),
    alerts: lazyStore(async () => (await import('./alerts-table.ts')).alertsTable(store), {
      list: true,
      open: true,
      get: true,
      note: true,
    }),
    ...addedStores(store),
    counters: countersTable(timed),
    cancellations: cancellationsTable(store),
    mcpStore: mcpTable(timed),
    storedObjects: lazyStore(async () => (await import('./batches-table.ts')).batchesTable(store), {
      get: true,
      put: true,
      list: true,
    }),
  };
}

/** Returns the stores that features add, by the name of their port. */
const addedStores = (options: StoreOptions): FeatureStores =>
  Object.fromEntries(
    Object.entries<(options: StoreOptions) => object>(added).map(([port, open]) => [port, open(options)]),
  ) as object as FeatureStores;
