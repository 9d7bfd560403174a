/** A pure function of an object, worked out once for each object and forgotten with it. */

/** @param make its result depends on nothing but the object, which never changes. */
export function remembered<K extends object, V>(make: (of: K) => V): (of: K) => V {
  const known = new WeakMap<K, { readonly made: V }>();
  return (of) => {
    let found = known.get(of);
    if (found === undefined) {
      found = { made: make(of) };
      known.set(of, found);
    }
    return found.made;
  };
}
