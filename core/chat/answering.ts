/** Forms of a response: complete, or a stream of events in the caller's dialect. */

import type { AsyncQueue } from '#core/kernel/async-queue.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Speech } from '#core/models/dialects/endpoints.ts';
import type { KnownCall } from './call-stages.ts';

/** Reply whose status line is sent before the first event of a stream; later failures are sent as events. */
export interface ChatReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject | AsyncIterable<JsonObject>;
  /** Binary response that replaces `body`. */
  readonly speech?: Speech;
  /** Resolves when the response has been sent, recorded and settled. Never rejects. */
  readonly finished: Promise<void>;
}

export const isStream = (body: ChatReply['body']): body is AsyncIterable<JsonObject> => Symbol.asyncIterator in body;

/** Receiver of the response that the stages produce. */
export interface AnswerReceiver {
  /** Starts the stream when its first event is ready, with the headers known at that point. */
  stream(known: KnownCall): AsyncQueue<JsonObject>;
  json(status: number, body: JsonObject): void;
  /** Sends the complete events of a stream that no model produced. */
  events(status: number, events: readonly JsonObject[]): void;
}
