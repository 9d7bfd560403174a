/** The page named in the address fragment: `#/approvals/<id>`. Opening an address never makes a decision. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { decodeUriOrUnchanged } from '#core/kernel/decode-uri.ts';
import { type Page, pages } from './page-names.ts';

interface Route {
  readonly page: Page;
  readonly id: string | undefined;
  /** True if the address names the page. */
  readonly named: boolean;
}

export function routeOf(hash: string): Route {
  const [name = '', id = ''] = hash.replace(/^#\/?/, '').split('?')[0]!.split('/');
  const known = pages.find((each) => each === name);
  return {
    page: known ?? 'overview',
    id: id === '' ? undefined : decodeUriOrUnchanged(id),
    named: known !== undefined,
  };
}

export const hashOf = (page: Page, id?: string): string =>
  id === undefined ? `#/${page}` : `#/${page}/${encodeURIComponent(id)}`;

const followers = new Set<() => void>();

/**
 * Opens a page immediately: the browser fires its own event in a later task, and a key pressed before that would be
 * lost.
 */
export const go = (page: Page, id?: string): void => {
  location.hash = hashOf(page, id);
  for (const follow of followers) follow();
};

export function useRoute(): Route {
  const [route, setRoute] = useState(() => routeOf(location.hash));
  useLayoutEffect(() => {
    const follow = () => {
      const now = routeOf(location.hash);
      setRoute((before) =>
        before.page === now.page && before.id === now.id && before.named === now.named ? before : now,
      );
    };
    followers.add(follow);
    addEventListener('hashchange', follow);
    follow(); // the address may have changed since the first render
    return () => {
      followers.delete(follow);
      removeEventListener('hashchange', follow);
    };
  }, []);
  return route;
}
