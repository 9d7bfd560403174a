/** Memoizes pure functions of an object (compared by identity) or of a short string. */
import { RecentMap } from './recent-map.ts';

interface CachedFunction<K extends object, V> {
  (of: K): V;
  /** Stores a result that was computed elsewhere, by a worker or for an equal object. */
  readonly know: (of: K, made: V) => void;
}

/**
 * Memoizes a function by object. Results are garbage-collected together with their object.
 * @param make a function that depends only on the object, which must never change.
 */
export function remembered<K extends object, V>(make: (of: K) => V): CachedFunction<K, V> {
  const known = new WeakMap<K, { readonly made: V }>();
  const find = (of: K): V => {
    let found = known.get(of);
    if (found === undefined) {
      found = { made: make(of) };
      known.set(of, found);
    }
    return found.made;
  };
  return Object.assign(find, { know: (of: K, made: V) => void known.set(of, { made }) });
}

/** Limits on the cache, needed because callers choose the names. */
const cacheLimits = { texts: 1_000, characters: 128 };

/**
 * Memoizes a function of names, such as tool and parameter names, which recur often.
 * @param make function whose results are shared, so no caller may change them.
 */
export function rememberedText<V>(make: (text: string) => V): (text: string) => V {
  const known = new RecentMap<string, { readonly made: V }>({ max: cacheLimits.texts });
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before.made;
    const made = make(text);
    if (text.length > cacheLimits.characters) return made;
    known.set(ownCopy(text), { made });
    return made;
  };
}

/** Copies a string, because a substring of a long string would keep all of it in memory. */
const ownCopy = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
