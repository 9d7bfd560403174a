/** The queue of messages to an MCP client, between the flow that produces them and the host that sends the reply. */
import { AsyncQueue } from '#core/kernel/async-queue.ts';
import type { JsonObject } from '#core/kernel/json.ts';

export class MessageQueue extends AsyncQueue<JsonObject> {
  /** True if the messages are written as events, even if there is only one. */
  streams = false;
  /** Checks whether a client is reading. Set if a reconnecting client can resume the messages. */
  hasReader: (() => boolean) | undefined;
  /** HTTP status other than 200, used if nothing has been streamed yet. */
  refusal: { readonly status: number; readonly fault?: unknown } | undefined;
}
