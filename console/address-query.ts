/** Filters of a page, kept after a `?` in the address fragment, so that a link or a reload shows the same list. */
import { useCallback, useEffect, useState } from 'preact/hooks';

const changeEvent = 'gateway-address-query';

const queryOf = (hash: string): URLSearchParams => new URLSearchParams(hash.split('?')[1] ?? '');

interface Address {
  /** Returns the value of a filter, or an empty string. */
  readonly asked: (name: string) => string;
  /** Changes filters. An empty value removes a filter. The address changes without a new history entry. */
  readonly set: (changes: Readonly<Record<string, string>>) => void;
}

export function useAddress(): Address {
  const [query, setQuery] = useState(() => queryOf(location.hash));
  useEffect(() => {
    const follow = () => setQuery(queryOf(location.hash));
    addEventListener('hashchange', follow);
    addEventListener(changeEvent, follow);
    return () => {
      removeEventListener('hashchange', follow);
      removeEventListener(changeEvent, follow);
    };
  }, []);
  const asked = useCallback((name: string) => query.get(name) ?? '', [query]);
  const set = useCallback((changes: Readonly<Record<string, string>>) => {
    const next = queryOf(location.hash);
    for (const [name, value] of Object.entries(changes)) {
      if (value === '') next.delete(name);
      else next.set(name, value);
    }
    const page = location.hash.split('?')[0] || '#/';
    history.replaceState(history.state, '', next.size === 0 ? page : `${page}?${next}`);
    dispatchEvent(new Event(changeEvent));
  }, []);
  return { asked, set };
}
