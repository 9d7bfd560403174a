/** An HTTP request of an MCP client as the gateway takes it, and the reply that the endpoint writes. */

import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import type { McpHeaders } from './protocol/era.ts';
import type { MessageQueue } from './sessions/message-queue.ts';
import type { StreamEvent } from './sessions/resumable-streams.ts';

/** A message, or a request for a stream, with its caller. */
export interface McpCall {
  readonly headers: McpHeaders;
  readonly principal: Principal;
  readonly snapshot: Snapshot;
  /** `X-Session-ID`. */
  readonly namedSession: string | undefined;
  readonly passed: Readonly<Record<string, string>>;
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal;
}

export interface McpReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Messages as they arrive, the response last; none for an accepted notification. */
  readonly messages?: MessageQueue;
  /** Session in which the messages may be taken up again, where they are sent as events, and the key whose it is. */
  readonly resumableIn?: { readonly session: string; readonly owner: string } | undefined;
  /** The rest of an answer. */
  readonly events?: AsyncIterableIterator<StreamEvent>;
  /** The whole reply is one JSON text: a batch, or an error before there was anything to wait for. */
  readonly body?: Json;
  /** Settles when nothing goes on any more. Never rejects. */
  readonly finished?: Promise<void>;
}

export const serversOf = ({ snapshot }: McpCall) => snapshot.configuration.upstreams.mcp;

/** The address in the first event of a stream of the older transport, which is not a JSON-RPC message. */
export const endpointOf = ({ endpoint }: JsonObject): string | undefined =>
  typeof endpoint === 'string' ? endpoint : undefined;
