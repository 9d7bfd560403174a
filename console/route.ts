/** The page that the fragment of the address names: `#/approvals/<id>`. Nothing is decided by opening an address. */
import { useEffect, useState } from 'preact/hooks';

export const pages = [
  ...(['approvals', 'sessions', 'requests', 'traffic', 'policies', 'rollouts'] as const),
  ...(['credentials', 'passkeys', 'status'] as const),
] as const;
export type Page = (typeof pages)[number];

export interface Route {
  readonly page: Page;
  readonly id: string | undefined;
}

export function routeOf(hash: string): Route {
  const [name = '', id = ''] = hash.replace(/^#\/?/, '').split('/');
  const page = pages.find((known) => known === name) ?? 'approvals';
  return { page, id: id === '' ? undefined : decoded(id) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const hashOf = (page: Page, id?: string): string =>
  id === undefined ? `#/${page}` : `#/${page}/${encodeURIComponent(id)}`;

export const go = (page: Page, id?: string): void => {
  location.hash = hashOf(page, id);
};

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const changed = () => setRoute(routeOf(location.hash));
    addEventListener('hashchange', changed);
    return () => removeEventListener('hashchange', changed);
  }, []);
  return route;
}
