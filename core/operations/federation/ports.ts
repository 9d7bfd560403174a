/** What a control plane keeps of its data planes. */
import type { KnownHead, PlaneRow } from '#core/contracts/federation.ts';

export interface PlaneStore {
  /** The planes that have reported; consistent. */
  list(names: readonly string[]): Promise<readonly PlaneRow[]>;
  get(plane: string): Promise<PlaneRow | undefined>;
  /** Writes the row if it is as it was read, or absent. @returns false when another report was faster */
  put(row: PlaneRow, read: PlaneRow | undefined): Promise<boolean>;
  /** How far these chains were; those that were never reported are left out. Consistent. */
  heads(plane: string, sessions: readonly HeadKey[]): Promise<readonly KnownHead[]>;
  putHeads(plane: string, heads: readonly KnownHead[]): Promise<void>;
  /** Known heads in the order of their keys after `cursor`; `next` is absent at the end. */
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

/** A document as it came, or that the one at hand is still the one in force. */
export type ConfigAnswer =
  | { readonly changed: false }
  | { readonly changed: true; readonly etag: string; readonly document: unknown };

/** The control plane as a data plane reaches it. */
export interface ControlPlane {
  /**
   * @param etag of the document at hand.
   * @throws ControlPlaneRefused where the control plane answers with an error, Error where it cannot be reached.
   */
  config(to: ControlPlaneAddress, etag: string | undefined): Promise<ConfigAnswer>;
  /** @throws as `config` */
  post(to: ControlPlaneAddress, what: 'status' | 'metrics', body: object): Promise<unknown>;
}

export interface ControlPlaneAddress {
  readonly url: string;
  readonly plane: string;
  readonly token: string;
}

/** The control plane answered, and not with what was asked for. */
export class ControlPlaneRefused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'ControlPlaneRefused';
    this.status = status;
  }

  /** Whether the same question may be answered later: the control plane is busy or down, and nothing is wrong with this plane. */
  get mayPass(): boolean {
    return this.status >= 500 || this.status === 408 || this.status === 429;
  }
}
