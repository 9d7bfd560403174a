/**
 * Archived stretches of chains waiting for their checkpoint, in the observations table. The table's stream delivers a
 * tenant's rows in order and to one process at a time [evidence.checkpoint.queued]. Access pattern: put. Rows expire
 * after the stream's retention period.
 */
import { chainQueuePrefix } from '#core/contracts/evidence-streams.ts';
import type { ChainStretch } from '#core/evidence/chain-stretch.ts';
import { type Clock, type Ids, isoTime } from '#core/kernel/ports.ts';
import type { Row, StoreOptions } from './store.ts';

const keptSeconds = 7 * 86_400;
/** Maximum number of stretches per row. A row must fit into one item, and a stretch takes at most 600 bytes. */
const stretchesOfRow = 500;

interface ChainQueueOptions extends StoreOptions {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uuid'>;
}

interface ChainQueue {
  put(stretches: readonly ChainStretch[]): Promise<void>;
}

export function chainQueue({ store, clock, ids }: ChainQueueOptions): ChainQueue {
  return {
    async put(stretches) {
      const now = clock.now();
      const rows: Row[] = [];
      for (const [tenant, own] of Map.groupBy(stretches, (stretch) => stretch.tenant))
        for (let from = 0; from < own.length; from += stretchesOfRow)
          rows.push({
            series: `${chainQueuePrefix}${tenant}`,
            at: `${isoTime(now)}#${ids.uuid()}`,
            stretches: JSON.stringify(own.slice(from, from + stretchesOfRow).map(stretchRow)),
            ttl: Math.floor(now / 1_000) + keptSeconds,
          });
      await store.putMany('observations', rows);
    },
  };
}

const stretchRow = ({ session_id, first, previous_hash, index, hash }: ChainStretch) => [
  ...[session_id, first, previous_hash, index, hash],
];

/** A new row, as delivered by the stream. */
interface Image {
  readonly series?: { readonly S?: string | undefined } | undefined;
  readonly stretches?: { readonly S?: string | undefined } | undefined;
}

/** Checks whether a stream row is a queued chain. */
export const isQueuedChain = (image: Image | undefined): boolean =>
  image?.series?.S?.startsWith(chainQueuePrefix) === true;

/** Returns a row's stretches. @throws SyntaxError or TypeError for a row that was not written by this module */
export function chainsOfImage(image: Image | undefined): readonly ChainStretch[] {
  const tenant = (image?.series?.S ?? '').slice(chainQueuePrefix.length);
  const rows = JSON.parse(image?.stretches?.S ?? '') as [string, number, string, number, string][];
  return rows.map(([session_id, first, previous_hash, index, hash]) => ({
    tenant,
    session_id,
    first,
    previous_hash,
    index,
    hash,
  }));
}
