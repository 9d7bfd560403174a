/** An HTTP request from an MCP client, and the reply that the endpoint writes. */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import type { McpHeaders } from './protocol/era.ts';
import type { MessageQueue } from './sessions/message-queue.ts';
import type { StreamEvent } from './sessions/resumable-streams.ts';

/** A message or a stream request, with its caller. */
export interface McpCall {
  readonly headers: McpHeaders;
  readonly principal: Principal;
  readonly snapshot: Snapshot;
  /** `X-Session-ID`. */
  readonly namedSession: string | undefined;
  readonly passed: Readonly<Record<string, string>>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

export interface McpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Messages as they arrive, with the response last. Absent for an accepted notification. */
  readonly messages?: MessageQueue;
  /** Session and owning key under which the messages can be resumed, if they are sent as events. */
  readonly resumableIn?: { readonly session: string; readonly owner: string } | undefined;
  /** The rest of a resumed response. */
  readonly events?: AsyncIterableIterator<StreamEvent>;
  /** The whole reply as one JSON string: a batch, or an error raised before any asynchronous work. */
  readonly body?: Json;
  /** Settles when all work has ended. Never rejects. */
  readonly finished?: Promise<void>;
}

export const serversOf = ({ snapshot }: McpCall) => snapshot.configuration.upstreams.mcp;

/** Returns the message URL from the first event of an HTTP+SSE stream. This event is not a JSON-RPC message. */
export const endpointOf = ({ endpoint }: JsonObject): string | undefined =>
  typeof endpoint === 'string' ? endpoint : undefined;
