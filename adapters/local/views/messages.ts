/** Messages between the main thread and the views worker. */
import { StoreFault } from '#adapters/tables/store.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { ViewsUnavailable } from '#core/observatory/project-entries.ts';

/** The views' database. */
export interface ViewsDatabase {
  readonly path: string;
  /** Syncs each group of writes. */
  readonly syncs: boolean;
}

export interface ViewRequest {
  readonly id: number;
  readonly method: string;
  readonly args: readonly unknown[];
}

export type ViewAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly fault: ViewFault };

/** A thrown error in a form that structured cloning supports. */
type ViewFault =
  | Pick<GatewayError, 'code' | 'message' | 'data' | 'retryAfterSeconds'>
  | { readonly code: 'database'; readonly message: string }
  | { readonly code: undefined; readonly message: string };

/** Returns the error in that form. A fault of the database, such as a full disk, is not the fault of an entry. */
export function viewFault(thrown: unknown): ViewFault {
  if (thrown instanceof StoreFault && thrown.reason !== 'input')
    return { code: 'database', message: `their database failed: ${(thrown.cause as Error).message}` };
  if (!(thrown instanceof GatewayError))
    return { code: undefined, message: thrown instanceof Error ? thrown.message : String(thrown) };
  const { code, message, data, retryAfterSeconds } = thrown;
  return { code, message, data, retryAfterSeconds };
}

export function errorOf(fault: ViewFault): Error {
  if (fault.code === undefined) return new Error(fault.message);
  if (fault.code === 'database') return new ViewsUnavailable(fault.message);
  return new GatewayError(fault.code, fault.message, fault);
}
