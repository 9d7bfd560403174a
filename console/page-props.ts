/** What every page of the console is given. */
import type { Api } from './api.ts';
import type { PendingList } from './approvals/pending.ts';
import type { Me } from './session.ts';

export interface PageProps {
  readonly api: Api;
  readonly me: Me;
  /** What waits for a person. */
  readonly pending: PendingList;
  /** The part of the address behind the page's name. */
  readonly id: string | undefined;
}
