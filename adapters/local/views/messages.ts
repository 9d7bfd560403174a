/** Messages between the main thread and the views worker. */
import { GatewayError } from '#core/kernel/errors.ts';

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
  | { readonly code: undefined; readonly message: string };

export function viewFault(thrown: unknown): ViewFault {
  if (!(thrown instanceof GatewayError))
    return { code: undefined, message: thrown instanceof Error ? thrown.message : String(thrown) };
  const { code, message, data, retryAfterSeconds } = thrown;
  return { code, message, data, retryAfterSeconds };
}

export const errorOf = (fault: ViewFault): Error =>
  fault.code === undefined ? new Error(fault.message) : new GatewayError(fault.code, fault.message, fault);
