/** Opens a request and keeps the filters of the list in the address. */
import { go } from '../route.ts';

export function openRequest(id: string): void {
  const [, query] = location.hash.split('?');
  go('approvals', id);
  if (query !== undefined) history.replaceState(history.state, '', `${location.hash}?${query}`);
}
