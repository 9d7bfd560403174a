/** Pure functions whose results are remembered: by the identity of an object, or by a short text. */
import { RecentMap } from './recent-map.ts';

interface Remembered<K extends object, V> {
  (of: K): V;
  /** Takes over what was worked out elsewhere: by a worker, or of an equal object. */
  readonly know: (of: K, made: V) => void;
}

/**
 * Worked out once for each object, and forgotten with it. It saves work and carries nothing: without it every answer is the same.
 * @param make its result depends on nothing but the object, which never changes.
 */
export function remembered<K extends object, V>(make: (of: K) => V): Remembered<K, V> {
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

/** Callers choose names, so what is remembered must not grow with them. */
const most = { texts: 1_000, characters: 128 };

/**
 * The same for names: those of tools and parameters come again and again.
 * @param make its results are shared, so no caller may change them.
 */
export function rememberedText<V>(make: (text: string) => V): (text: string) => V {
  const known = new RecentMap<string, { readonly made: V }>({ max: most.texts });
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before.made;
    const made = make(text);
    if (text.length > most.characters) return made;
    known.set(ownCopy(text), { made });
    return made;
  };
}

/** A part of a long text would keep all of it in memory. */
const ownCopy = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
