/**
 * Rollouts. They are few and rarely written, so they share one partition. In addition, one row per model names its
 * current rollout; while that rollout is open, no other rollout can replace it. Access patterns: one rollout; the
 * newest; the current ones (the models, then their rollouts); put with a condition on the revision, together with the
 * evidence entry.
 */
import { isOpen, type Rollout } from '#core/contracts/rollout.ts';
import type { Rollouts } from '#core/models/rollouts/ports.ts';
import { ifUnchanged, type Key, type StoreOptions, type Write } from './store.ts';

const rolloutKey = (id: string): Key => ({ kind: 'rollout', id });
const modelKey = ({ tenant, route_model }: Rollout): Key => ({
  kind: 'model',
  id: JSON.stringify([tenant, route_model]),
});

interface StoredRollout {
  readonly rollout: string;
}
interface StoredModel {
  readonly rollout_id: string;
  readonly out?: boolean;
}

const toRollout = ({ rollout }: StoredRollout): Rollout => JSON.parse(rollout);

/** Maximum number of models with a current rollout, below the size of a DynamoDB page. */
const maxInForce = 100;
const maxListed = 200;

/** Puts the row and its claim on the model: a new rollout takes the claim, and a rolled-back one releases it. */
export function rolloutPuts({ rollout, revision }: { readonly rollout: Rollout; readonly revision?: number }): Write[] {
  return [
    {
      put: 'rollouts',
      row: { ...rolloutKey(rollout.id), rollout: JSON.stringify(rollout), revision: rollout.revision },
      if: ifUnchanged(revision === undefined ? undefined : { revision }),
      current: true,
    },
    {
      put: 'rollouts',
      row: {
        ...modelKey(rollout),
        rollout_id: rollout.id,
        open: isOpen(rollout),
        out: rollout.state === 'rolled_back',
      },
      if: { any: [{ absent: 'id' }, { equals: ['rollout_id', rollout.id] }, { equals: ['open', false] }] },
      current: true,
    },
  ];
}

export function rolloutsTable({ store }: StoreOptions): Rollouts {
  const newest = async <R extends object>(kind: 'rollout' | 'model', limit: number): Promise<readonly R[]> =>
    (await store.query<R>('rollouts', { partition: kind, order: 'descending', limit })).rows;

  return {
    async get(id) {
      const row = await store.get<StoredRollout>('rollouts', rolloutKey(id));
      return row && toRollout(row);
    },

    // Ids begin with a timestamp, so they sort by time.
    list: async () => (await newest<StoredRollout>('rollout', maxListed)).map(toRollout),

    async inForce() {
      const models = await newest<StoredModel>('model', maxInForce);
      const ids = models.flatMap(({ rollout_id, out }) => (out === true ? [] : [rollout_id]));
      const rows = await store.getMany<StoredRollout>(ids.map((id) => ['rollouts', rolloutKey(id)] as const));
      const rollouts = rows.filter((row) => row !== undefined).map(toRollout);
      return rollouts.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
  };
}
