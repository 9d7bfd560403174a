/** A control plane's store for its data planes, and a data plane's client for its control plane. */
import type { KnownHead, PlaneRow } from './contract.ts';

declare module '#core/operations/ports.ts' {
  interface FeatureStores {
    readonly planes: PlaneStore;
  }
}

export interface PlaneStore {
  /** Returns the planes that have reported. The read is consistent. */
  list(names: readonly string[]): Promise<readonly PlaneRow[]>;
  get(plane: string): Promise<PlaneRow | undefined>;
  /**
   * Writes the row if it has not changed since `read`, or is still absent. @returns false if another report was written
   * first
   */
  put(row: PlaneRow, read: PlaneRow | undefined): Promise<boolean>;
  /** Returns the known heads of these chains, omitting chains that were never reported. The read is consistent. */
  heads(plane: string, sessions: readonly HeadKey[]): Promise<readonly KnownHead[]>;
  putHeads(plane: string, heads: readonly KnownHead[]): Promise<void>;
  /** Returns known heads after `cursor`, in key order. `next` is absent at the end. */
  walk(
    plane: string,
    cursor: string | undefined,
    limit: number,
  ): Promise<{ readonly heads: readonly KnownHead[]; readonly next?: string }>;
}

export interface HeadKey {
  readonly tenant: string;
  readonly session_id: string;
}

/** A new document, or confirmation that the stored one is still in force. */
export type ConfigAnswer =
  | { readonly changed: false }
  | { readonly changed: true; readonly etag: string; readonly document: unknown };

/** A data plane's client for its control plane. */
export interface ControlPlane {
  /**
   * Fetches the configuration.
   * @param etag ETag of the stored document.
   * @throws ControlPlaneRefused if the control plane responds with an error, Error if it cannot be reached.
   */
  config(to: ControlPlaneAddress, etag: string | undefined): Promise<ConfigAnswer>;
  /** Sends a report. @throws the same errors as `config` */
  post(to: ControlPlaneAddress, what: 'status' | 'metrics', body: object): Promise<unknown>;
}

export interface ControlPlaneAddress {
  readonly url: string;
  readonly plane: string;
  readonly token: string;
}

/** An unexpected response from the control plane. */
export class ControlPlaneRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ControlPlaneRefused';
    this.status = status;
  }

  /** Returns true if a retry may succeed because the control plane is busy or down and this plane is not at fault. */
  get mayPass(): boolean {
    return this.status >= 500 || this.status === 408 || this.status === 429;
  }
}
