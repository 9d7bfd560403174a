/** Messages on their way to an MCP client: the flow that answers writes them, the host that sends the reply reads them. */
import { AsyncQueue } from '#core/kernel/async-queue.ts';
import type { JsonObject } from '#core/kernel/json.ts';

export class MessageQueue extends AsyncQueue<JsonObject> {
  /** To be written as events, even if there is only one message. */
  streams = false;
  /** Whether a client reads the messages, where one that reconnects may take them up. */
  hasReader: (() => boolean) | undefined;
  /** Why the response wants another HTTP status than 200, where nothing is streamed before it. */
  refusal: { readonly status: number; readonly fault?: unknown } | undefined;
}
