/** Ports for alerts. State changes go through `Ledger.commit` as `alert.put`, together with their evidence entry. */
import type { AlertRow, AlertScope } from '#core/contracts/alert.ts';
import type { Page } from '#core/kernel/page.ts';

export interface AlertStore {
  /** Returns the newest alert for each key and any older ones that were kept. Reads are strongly consistent. */
  list(scope: AlertScope): Promise<readonly AlertRow[]>;
  /** Returns unresolved alerts from all scopes, newest first. The index may lag by a second. */
  open(options: { readonly limit: number; readonly cursor?: string | undefined }): Promise<Page<AlertRow>>;
  /** Returns the newest alert for a key. */
  get(scope: AlertScope, key: string): Promise<AlertRow | undefined>;
  /**
   * Writes a value or a count of normal evaluations, without a state change.
   * @returns false if another process wrote first
   */
  note(row: AlertRow, read: AlertRow): Promise<boolean>;
}
