/** What alerts need from outside. Changes of state go through `Ledger.commit` as `alert.put`, beside their evidence entry. */
import type { AlertRow, AlertScope } from '#core/contracts/alert.ts';

export interface AlertStore {
  /** The newest alert of every key, and the older ones that are still kept; consistent. */
  list(scope: AlertScope): Promise<readonly AlertRow[]>;
  /** The newest alert of a key. */
  get(scope: AlertScope, key: string): Promise<AlertRow | undefined>;
  /** Writes what is not a change of state: a count of normal evaluations, a value. @returns false when another was faster */
  note(row: AlertRow, read: AlertRow): Promise<boolean>;
}
