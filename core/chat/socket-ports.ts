/** What the WebSocket needs on a host where no process holds the connection. */
import type { FederatedCaller } from '#core/contracts/federated.ts';

/** The caller of a connection, as stored between messages. */
export interface SocketCaller {
  readonly key_id: string;
  readonly tenant: string;
  /** Present for a caller with a token; later messages are checked against it. */
  readonly federated?: FederatedCaller | undefined;
}

/** A connection as it is remembered between its messages. */
export interface SocketConnection {
  readonly id: string;
  /** ISO 8601. */
  readonly opened_at: string;
  /** After this it is as if it had never been. */
  readonly expires_at: string;
  /** The key behind it and the tenant it acts in; absent until it is authenticated. */
  readonly key_id?: string;
  readonly tenant?: string;
  readonly federated?: FederatedCaller | undefined;
  /** Named at the handshake: the session of calls that name none, the tenant a platform's key wants to act in. */
  readonly session_id?: string;
  readonly asked_tenant?: string;
  /** The caller has left. */
  readonly gone?: boolean;
  /** Calls that run, by their ids. */
  readonly calls: Readonly<Record<string, RunningCall>>;
}

export interface RunningCall {
  /** The request that began it. */
  readonly begun_by: string;
  readonly claimed?: boolean;
  readonly cancelled?: boolean;
  /** ISO 8601. After this no function can be working on it: its id is free. */
  readonly lease_ends: string;
}

/** How long a call holds its id: on its way to the worker, and while it is answered. */
export const socketLeases = {
  /** Work that waited a minute is dropped (`lib/websocket-surface.ts`). */
  handedOverMs: 90_000,
  /** The worker has 15 minutes (`core/contracts/functions.ts`). */
  claimedMs: 16 * 60_000,
} as const;

export interface SocketConnections {
  open(connection: SocketConnection): Promise<void>;
  /** The state as of now; undefined when the connection is not known, or its time is over. */
  get(id: string): Promise<SocketConnection | undefined>;
  authenticate(id: string, who: SocketCaller): Promise<void>;
  /** Notes a call for as long as it can be under way. `running`: its id is taken; `full`: `most` calls run. */
  begin(id: string, callId: string, by: string, most: number): Promise<'begun' | 'running' | 'full' | 'gone'>;
  /**
   * Of several claims of a call one succeeds, by the request that began it: work that comes late finds its id taken by
   * another. `cancelled`: no worker answers it, and none may.
   */
  claim(id: string, callId: string, by: string): Promise<'claimed' | 'cancelled' | 'no'>;
  /** Harmless when the call is over. */
  cancel(id: string, callId: string): Promise<void>;
  over(id: string, callId: string): Promise<void>;
  leave(id: string): Promise<void>;
}

export interface SocketPosts {
  /** False when the connection is gone. */
  post(connectionId: string, text: string): Promise<boolean>;
  close(connectionId: string): Promise<void>;
}

/** A call on its way to the worker that answers it. */
export interface DispatchedCall extends SocketCaller {
  readonly connection_id: string;
  readonly call_id: string;
  readonly session_id?: string;
  readonly request_id: string;
  /** The message as it came, base64 of its UTF-8. */
  readonly message: string;
}

export type DispatchCall = (call: DispatchedCall) => Promise<void>;
