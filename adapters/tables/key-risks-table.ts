/**
 * Key risks, in the same table as their tenant's session heads. No session is named `key#…`, and because these rows
 * have no `opened`, no session list contains them. Access patterns: one key (together with other reads); replacement if
 * unchanged since it was read (conditional put).
 */

import type { RiskRecord } from '#core/contracts/behavior.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { RecentMap } from '#core/kernel/recent-map.ts';
import type { KeyRisks } from '#core/session/risk/ports.ts';
import { ifUnchanged, type Key, type StoreOptions } from './store.ts';

interface KeyRisksOptions extends StoreOptions {
  readonly pause?: (ms: number) => Promise<void>;
  readonly random?: () => number;
}

const maxTries = 12;
const maxJitterMs = 100;

const keyRiskKey = (tenant: string, keyId: string): Key => ({ id: `${tenant}#key#${keyId}` });

/** A record as stored. A cleared record keeps its row, because the roles may not delete rows. */
interface StoredRisk {
  readonly revision: number;
  readonly risk?: RiskRecord | undefined;
}

type Fold = (record: RiskRecord | undefined) => RiskRecord | undefined;

export function keyRisksTable(options: KeyRisksOptions): KeyRisks {
  const { store } = options;
  const pause = options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const random = options.random ?? Math.random;
  const waiting = new Map<string, { folds: Fold[]; written: Promise<void> }>();
  const last = new Map<string, Promise<void>>();
  /** Rows as last read. The revision shows whether they are current. */
  const seen = new RecentMap<string, { readonly row: StoredRisk | undefined }>({ max: 1_000 });

  const read = (key: Key) => store.get<StoredRisk>('sessions', key, { together: true });

  async function look(tenant: string, keyId: string): Promise<StoredRisk | undefined> {
    const row = await read(keyRiskKey(tenant, keyId));
    seen.set(`${tenant}#${keyId}`, { row });
    return row;
  }

  /** @throws GatewayError `service_unavailable`. */
  async function write(id: string, key: Key, folds: readonly Fold[]): Promise<void> {
    const known = seen.get(id);
    let before = known ? known.row : await read(key);
    for (let tries = 1; tries <= maxTries; tries++) {
      const risk = folds.reduce<RiskRecord | undefined>((record, fold) => fold(record), before?.risk);
      if (JSON.stringify(risk) === JSON.stringify(before?.risk)) return;
      const after: StoredRisk = { revision: (before?.revision ?? 0) + 1, risk };
      seen.delete(id);
      const { written, row } = await store.put<StoredRisk>(
        'sessions',
        { ...key, ...after },
        { if: ifUnchanged(before), current: true },
      );
      if (written) {
        seen.set(id, { row: after });
        return;
      }
      before = row ?? (await read(key));
      await pause(random() * Math.min(maxJitterMs, 5 * 2 ** tries));
    }
    throw new GatewayError(
      'service_unavailable',
      'Too many requests are updating the risk of this key; try again shortly.',
      {
        retryAfterSeconds: 1,
      },
    );
  }

  return {
    async of(tenant, keyId) {
      return (await look(tenant, keyId))?.risk;
    },

    /** Updates a record. Updates that arrive during a write by the same process share the next write. */
    update(tenant, keyId, fold) {
      const id = `${tenant}#${keyId}`;
      const next = waiting.get(id);
      if (next) {
        next.folds.push(fold);
        return next.written;
      }
      const folds = [fold];
      const before = last.get(id) ?? Promise.resolve();
      const written = before
        .catch(() => undefined)
        .then(() => {
          waiting.delete(id);
          return write(id, keyRiskKey(tenant, keyId), folds);
        });
      waiting.set(id, { folds, written });
      last.set(id, written);
      const done = () => {
        if (last.get(id) === written) last.delete(id);
      };
      written.then(done, done);
      return written;
    },
  };
}
