/** A data plane's client for its control plane. */

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
