/** The queue of messages to an MCP client, between the flow that answers and the host that sends the reply. */
import { AsyncQueue } from '#core/kernel/async-queue.ts';
import type { JsonObject } from '#core/kernel/json.ts';

export class MessageQueue extends AsyncQueue<JsonObject> {
  /** True to write the messages as events, even a single one. */
  streams = false;
  /** Checks whether a client is reading. Set if a reconnecting client may resume the messages. */
  hasReader: (() => boolean) | undefined;
  /** HTTP status other than 200, used if nothing was streamed before. */
  refusal: { readonly status: number; readonly fault?: unknown } | undefined;
}
