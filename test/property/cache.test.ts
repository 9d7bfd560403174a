/** The response cache under any order of lookups, stores, drops, cancellations and waits. */
import fc from 'fast-check';
import { ngramEmbedder } from '#core/models/cache/ngram-embedder.ts';
import type { Flight, Lookup } from '#core/models/cache/ports.ts';
import { responseCache } from '#core/models/cache/response-cache.ts';
import { question, reply, textOf } from '../unit/models/cache/sample.ts';

const tenants = ['a', 'b', 'c'] as const;
const maxEntries = 3;
const ttlSeconds = 10;

type Step =
  | { readonly do: 'ask'; readonly tenant: (typeof tenants)[number]; readonly key: number; readonly semantic: boolean }
  | { readonly do: 'keep' | 'drop' | 'leave'; readonly which: number }
  | { readonly do: 'wait'; readonly seconds: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      tenant: fc.constantFrom(...tenants),
      key: fc.nat(5),
      semantic: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('keep' as const, 'drop' as const, 'leave' as const), which: fc.nat() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.integer({ min: 1, max: 12 }) }) },
);

interface Asked {
  readonly tenant: string;
  readonly key: number;
  readonly leave: AbortController;
  flight?: Flight;
  lookup?: Lookup;
  left?: true;
}

/** Waits until all pending work is done; that work uses only promises, no timers. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test('[chat.cache] tenants never share entries, size and time limits are respected, and every waiter gets a response', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const time = { ms: 0 };
      const cache = responseCache({ clock: { now: () => time.ms }, embedder: ngramEmbedder() });
      const all: Asked[] = [];
      const keptAt = new Map<string, number>();

      const ask = ({ tenant, key, semantic }: Step & { do: 'ask' }) => {
        const asked: Asked = { tenant, key, leave: new AbortController() };
        all.push(asked);
        const words = { frame: 'f', text: `word${key}`, threshold: 0.99 };
        // The key itself does not name the tenant here: tenants are separated by the cache, not by the digest.
        const over = { tenant, key: `${key}${semantic}`, ttlSeconds, maxEntries, ...(semantic && { semantic: words }) };
        cache.lookup(question(over), asked.leave.signal).then(
          (lookup) => {
            asked.lookup = lookup;
            if (lookup.state === 'MISS') asked.flight = lookup.flight;
            else expect(textOf(lookup)).toBe(`${tenant}/${key}`);
            const since = keptAt.get(`${tenant}/${key}`);
            if (lookup.state !== 'MISS') expect(time.ms - (since ?? -Infinity)).toBeLessThan(ttlSeconds * 1000);
          },
          () => {
            asked.left = true;
          },
        );
      };
      const land = (asked: Asked | undefined, how: 'keep' | 'drop') => {
        if (!asked?.flight) return;
        const { flight, tenant, key } = asked;
        delete asked.flight;
        if (how === 'drop') return flight.drop();
        keptAt.set(`${tenant}/${key}`, time.ms);
        flight.keep(reply(`${tenant}/${key}`));
      };
      const flying = () => all.filter(({ flight }) => flight);

      for (const each of steps) {
        if (each.do === 'ask') ask(each);
        else if (each.do === 'wait') time.ms += each.seconds * 1000;
        else if (each.do === 'leave') all[each.which % Math.max(1, all.length)]?.leave.abort(new Error('left'));
        else land(flying()[each.which % Math.max(1, flying().length)], each.do);
        await settled();
        for (const tenant of tenants) expect(cache.stats(tenant).entries).toBeLessThanOrEqual(maxEntries);
      }
      // Each call in flight ends without a result, one after the other: its waiters must then make the call, have left
      // or be answered.
      for (let open = flying(); open.length > 0; open = flying()) {
        land(open[0], 'drop');
        await settled();
      }
      expect(all.filter(({ lookup, left }) => lookup === undefined && left === undefined)).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
