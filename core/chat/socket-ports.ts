/** What the WebSocket needs on a host where no process holds the connection (spec §4.1). */

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
  /** Named at the handshake: the session of calls that name none, the tenant a platform's key wants to act in. */
  readonly session_id?: string;
  readonly asked_tenant?: string;
  /** The caller has left. */
  readonly gone?: boolean;
  /** Calls that run, by their ids. */
  readonly calls: Readonly<Record<string, { readonly cancelled?: boolean; readonly claimed_by?: string }>>;
}

export interface SocketConnections {
  open(connection: SocketConnection): Promise<void>;
  /** The state as of now; undefined when the connection is not known, or its time is over. */
  get(id: string): Promise<SocketConnection | undefined>;
  authenticate(id: string, who: { readonly key_id: string; readonly tenant: string }): Promise<void>;
  /** Notes a call. `running`: its id is taken; `full`: `most` calls run. */
  begin(id: string, callId: string, most: number): Promise<'begun' | 'running' | 'full' | 'gone'>;
  /** Of several claims of a call one succeeds. `cancelled`: nobody began it, and nobody shall. */
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
export interface HandedCall {
  readonly connection_id: string;
  readonly call_id: string;
  readonly key_id: string;
  readonly tenant: string;
  readonly session_id?: string;
  readonly request_id: string;
  /** The message as it came, base64 of its UTF-8. */
  readonly message: string;
}

export type HandOver = (call: HandedCall) => Promise<void>;
