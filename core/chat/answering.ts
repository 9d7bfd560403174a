/** How an answer leaves the pipeline: whole, or as a stream of events in the caller's dialect. */

import type { AsyncQueue } from '#core/kernel/async-queue.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Speech } from '#core/models/dialects/endpoints.ts';
import type { KnownCall } from './call-stages.ts';

/** The status line is decided before the first event of a stream; what goes wrong later is an event of it. */
export interface ChatReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject | AsyncIterable<JsonObject>;
  /** The answer in place of `body`, where it is bytes. */
  readonly speech?: Speech;
  /** The call is over: answered, recorded, settled. Never rejects. */
  readonly finished: Promise<void>;
}

export const isStream = (body: ChatReply['body']): body is AsyncIterable<JsonObject> => Symbol.asyncIterator in body;

/** Where a stage puts the answer. */
export interface Answering {
  /** The first event is at hand: from now on the answer is a stream, under the headers of what is known of its call. */
  stream(known: KnownCall): AsyncQueue<JsonObject>;
  json(status: number, body: JsonObject): void;
  /** All that a stream says, where no model speaks. */
  events(status: number, events: readonly JsonObject[]): void;
}
