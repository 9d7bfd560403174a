/**
 * Rate limits and budgets in DynamoDB (spec §8, contract §5): one versioned item a tenant, rewritten optimistically.
 *
 * Access patterns: the tenant's item (put if its version stands; a refusal brings the item along, so that the usual
 * step is one write and no read); a global budget's item (consistent Get, moved in one transaction with the tenant's).
 */
import { randomUUID } from 'node:crypto';
import { GetItemCommand, PutItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { LRUCache } from 'lru-cache';
import { GatewayError } from '#core/kernel/errors.ts';
import type { Clock } from '#core/kernel/ports.ts';
import { applyAll, type Batch, type Transition } from '#core/limits/batch.ts';
import type { Counters, Limits } from '#core/limits/ports.ts';
import { applyReclaim } from '#core/limits/slices.ts';
import { accountKey } from '#core/limits/spend.ts';
import { applyBegin, applyExtend, applyReserve, applySettle, expiredIn } from '#core/limits/state.ts';
import { budgetStatuses, limitStatus } from '#core/limits/status.ts';
import {
  type Conflict,
  conflictOf,
  globalGet,
  globalUpdate,
  nothing,
  type Seen,
  tenantGet,
  tenantPut,
  toSeen,
  toTotal,
} from './counters-item.ts';
import type { StoreOptions } from './evidence-table.ts';
import { storeDown, stored } from './items.ts';

/** 50 processes at once on one tenant, doing nothing else, needed at most 31 tries (measured); most calls need one. */
const maxTries = 40;
const maxJitterMs = 200;
/** Tenants whose counters are remembered between calls. */
const maxTenants = 1000;

export interface CountersOptions extends StoreOptions {
  readonly clock: Clock;
  readonly pause?: (ms: number) => Promise<void>;
  readonly random?: () => number;
}

/** A call that waits for its turn. */
interface Waiting {
  readonly transition: Transition<unknown>;
  readonly resolve: (outcome: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/** `sure`: read from the store after the calls in question came in, so that a refusal may rest on it. */
type Sight = Seen & { readonly sure: boolean };

export function countersTable(options: CountersOptions): Counters {
  const { client, clock } = options;
  const table = options.tables.counters;
  const pause = options.pause ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const random = options.random ?? Math.random;
  const remembered = new LRUCache<string, Seen>({ max: maxTenants });
  const queues = new Map<string, Waiting[]>();

  return {
    async reserve(request) {
      assertCounts(request.tokens, request.cost_microusd);
      return change(request.tenant, (state, now, wanted) => applyReserve(state, request, now, wanted));
    },
    async begin(tenant, id) {
      if (await change(tenant, (state, now) => applyBegin(state, id, now))) return;
      throw new GatewayError(
        'service_unavailable',
        'The call waited too long and its reservation has ended. Try again.',
        {
          retryAfterSeconds: 1,
        },
      );
    },
    async extend(tenant, id) {
      await change(tenant, (state, now) => applyExtend(state, id, now));
    },
    async settle(tenant, id, settlement) {
      assertCounts(settlement.tokens, settlement.cost_microusd);
      await change(tenant, (state, now) => applySettle(state, id, settlement, now));
    },
    async expired(tenant) {
      const { state } = await read(tenant);
      return expiredIn(state, tenant, clock.now());
    },
    reclaim: (tenant) => change(tenant, applyReclaim),
    async status(tenant, limits) {
      const [{ state }, totals] = await Promise.all([read(tenant), readTotals(globalKeys(limits, clock.now()))]);
      const now = clock.now();
      return {
        limits: limitStatus(state, limits, now),
        budgets: budgetStatuses(state, limits, now, totals),
        open: state.open.length,
      };
    },
  };

  /** Calls of one process on one tenant share writes: who comes while one is under way goes into the next. */
  function change<T>(tenant: string, transition: Transition<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const waiting = { transition, resolve: resolve as Waiting['resolve'], reject };
      const queue = queues.get(tenant);
      if (queue) queue.push(waiting);
      else {
        queues.set(tenant, [waiting]);
        queueMicrotask(() => void drain(tenant));
      }
    });
  }

  async function drain(tenant: string): Promise<void> {
    const queue = queues.get(tenant)!;
    let tries = 0;
    let sight: Sight | undefined;
    while (queue.length > 0) {
      const batch = [...queue];
      // Who joined after the last look at the store may not be refused by it.
      const known: Sight = sight ?? { ...(remembered.get(tenant) ?? nothing), sure: false };
      try {
        const { seen, outcomes } = await attempt(tenant, known, batch);
        remembered.set(tenant, seen);
        if (outcomes) {
          queue.splice(0, batch.length);
          for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i]);
          tries = 0;
          sight = undefined;
          continue;
        }
        if (++tries === maxTries) throw tooBusy();
        await pause(random() * Math.min(maxJitterMs, 5 * 2 ** tries));
        sight = { ...seen, sure: queue.length === batch.length };
      } catch (cause) {
        // Whether it was written is not known: the next one reads.
        remembered.delete(tenant);
        for (const { reject } of queue.splice(0, batch.length)) reject(cause);
        tries = 0;
        sight = undefined;
      }
    }
    queues.delete(tenant);
  }

  /** One write for the whole batch. Without outcomes somebody else was faster, and `seen` is what they left. */
  async function attempt(
    tenant: string,
    known: Sight,
    batch: readonly Waiting[],
  ): Promise<{ readonly seen: Seen; readonly outcomes?: readonly unknown[] }> {
    const transitions = batch.map(({ transition }) => transition);
    let sight = known;
    let totals: ReadonlyMap<string, number> = new Map();
    for (;;) {
      const planned = applyAll(sight.state, transitions, clock.now(), totals);
      if (planned.lacking.length > 0) {
        totals = new Map([...totals, ...(await readTotals(planned.lacking))]);
      } else if (planned.unchanged && !sight.sure) {
        sight = { ...(await read(tenant)), sure: true };
        totals = new Map();
      } else if (planned.unchanged) {
        return { seen: sight, outcomes: planned.outcomes };
      } else {
        const conflict = await write(tenant, sight, planned);
        if (conflict) return { seen: conflict.current ?? (await read(tenant)) };
        return { seen: { version: sight.version + 1, state: planned.state }, outcomes: planned.outcomes };
      }
    }
  }

  /** Undefined when it was written; else the item that stands there, if the store told. */
  async function write(tenant: string, seen: Seen, { state, moves }: Batch): Promise<Conflict | undefined> {
    const put = tenantPut(table, tenant, seen, state);
    try {
      if (moves.size === 0) await client.send(new PutItemCommand(put));
      else {
        const updates = [...moves].map(([key, move]) => globalUpdate(table, key, move));
        // The client repeats a lost request under the same token, so that nothing moves twice.
        const ClientRequestToken = randomUUID();
        await client.send(
          new TransactWriteItemsCommand({ TransactItems: [{ Put: put }, ...updates], ClientRequestToken }),
        );
      }
      return undefined;
    } catch (cause) {
      const conflict = conflictOf(cause);
      if (!conflict) throw storeDown(cause);
      return conflict;
    }
  }

  async function read(tenant: string): Promise<Seen> {
    const { Item } = await stored(client.send(new GetItemCommand(tenantGet(table, tenant))));
    return toSeen(Item);
  }

  async function readTotals(keys: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const pairs = keys.map(async (key): Promise<[string, number]> => {
      const { Item } = await stored(client.send(new GetItemCommand(globalGet(table, key))));
      return [key, toTotal(Item)];
    });
    return new Map(await Promise.all(pairs));
  }
}

const globalKeys = ({ budgets }: Limits, nowMs: number): string[] =>
  budgets.filter(({ scope }) => scope === 'global').map((budget) => accountKey(budget, nowMs));

/** What is no count would spoil the item for everybody. */
function assertCounts(...counts: readonly number[]): void {
  for (const count of counts) {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new GatewayError('server_error', `Counted are whole numbers from 0; found ${count}.`);
    }
  }
}

const tooBusy = () =>
  new GatewayError(
    'service_unavailable',
    'The counters of this tenant are too busy; nothing was reserved. Try again shortly.',
    {
      retryAfterSeconds: 1,
    },
  );
