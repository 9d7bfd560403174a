/** Props of every page of the console. */
import type { Api } from './api.ts';
import type { PendingList } from './approvals/pending.ts';
import type { Me } from './session.ts';

export interface PageProps {
  readonly api: Api;
  readonly me: Me;
  /** Pending requests. */
  readonly pending: PendingList;
  /** The part of the address after the page name. */
  readonly id: string | undefined;
}
