/** WebSocket ports on a host without a process that holds the connection. */
import type { FederatedCaller } from '#core/contracts/federated.ts';

/** Caller of a connection, as stored between its messages. */
export interface SocketCaller {
  readonly key_id: string;
  readonly tenant: string;
  /** Set for a caller that uses a token; later messages are checked against it. */
  readonly federated?: FederatedCaller | undefined;
}

/** Connection as stored between its messages. */
export interface SocketConnection {
  readonly id: string;
  /** ISO 8601. */
  readonly opened_at: string;
  /** ISO 8601. After this time the connection is treated as unknown. */
  readonly expires_at: string;
  /** Caller's key and tenant; absent until the caller is authenticated. */
  readonly key_id?: string;
  readonly tenant?: string;
  readonly federated?: FederatedCaller | undefined;
  /** From the handshake: the session for calls that specify none, and the tenant that a platform key requests. */
  readonly session_id?: string;
  readonly asked_tenant?: string;
  /** True if the caller has disconnected. */
  readonly gone?: boolean;
  /** Running calls by id. */
  readonly calls: Readonly<Record<string, RunningCall>>;
}

export interface RunningCall {
  /** Id of the request that began the call. */
  readonly begun_by: string;
  readonly claimed?: boolean;
  readonly cancelled?: boolean;
  /** ISO 8601. After this time no function can be working on the call, so its id is free. */
  readonly lease_ends: string;
}

/** Time for which a call reserves its id: on its way to the worker, and while it is being answered. */
export const socketLeases = {
  /** Work that has been pending for a minute is dropped (`lib/websocket-surface.ts`). */
  handedOverMs: 90_000,
  /** The worker has 15 minutes (`core/contracts/functions.ts`). */
  claimedMs: 16 * 60_000,
} as const;

export interface SocketConnections {
  open(connection: SocketConnection): Promise<void>;
  /** Returns the current state, or undefined if the connection is unknown or has expired. */
  get(id: string): Promise<SocketConnection | undefined>;
  authenticate(id: string, who: SocketCaller): Promise<void>;
  /** Registers a call for as long as it can run. `running`: its id is in use; `full`: `most` calls are running. */
  begin(id: string, callId: string, by: string, most: number): Promise<'begun' | 'running' | 'full' | 'gone'>;
  /**
   * Claims a call for the request that began it. Only one claim succeeds; late work finds that another request has
   * taken the id. `cancelled`: no worker may answer the call.
   */
  claim(id: string, callId: string, by: string): Promise<'claimed' | 'cancelled' | 'no'>;
  /** Cancels a call. Has no effect if the call is over. */
  cancel(id: string, callId: string): Promise<void>;
  over(id: string, callId: string): Promise<void>;
  leave(id: string): Promise<void>;
}

export interface SocketPosts {
  /** Posts a message. Returns false if the connection is gone. */
  post(connectionId: string, text: string): Promise<boolean>;
  close(connectionId: string): Promise<void>;
}

/** Call on its way to the worker that answers it. */
export interface DispatchedCall extends SocketCaller {
  readonly connection_id: string;
  readonly call_id: string;
  readonly session_id?: string;
  readonly request_id: string;
  /** Message as received, as base64-encoded UTF-8. */
  readonly message: string;
}

export type DispatchCall = (call: DispatchedCall) => Promise<void>;
