/**
 * Wire form of chat calls: texts in requests, replies and stream events, and the encoding of events. Members unknown to
 * a dialect stay unchanged.
 */
import type { DialectName, Usage } from '#core/contracts/chat.ts';
import type { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';

/** Readable text inside a wire object. */
export interface TextSlot {
  /** Running text to which it belongs: deltas of one channel continue each other. */
  readonly channel: string;
  /** True if it repeats another text: it is sent unchanged or not at all, and a held part is never sent. */
  readonly echo?: boolean;
  readonly kind: 'text' | 'system' | 'refusal' | 'reasoning' | 'tool_arguments' | 'tool_result' | 'other';
  /** True if it is complete by itself and is not continued, even in a stream. */
  readonly whole?: boolean;
  /** True for JSON text, such as arguments of calls: its strings are decoded. */
  readonly json?: boolean;
  /** Group of texts that are adjacent for the model: parts of one turn. */
  group?: string;
  /** Member that contains it, if there is one. */
  readonly place?: { readonly holder: JsonObject; readonly key: string };
  readonly text: string;
  /** Replaces the text inside the object it was found in. */
  set(text: string): void;
}

export interface Dialect {
  readonly name: DialectName;

  /**
   * Checks what every request must have: model, messages of the right shape, valid numbers.
   * @throws GatewayError `invalid_request` with what was found and what is allowed.
   */
  checkRequest(body: JsonObject): void;
  /** Returns every text that the model reads, in order: system, messages, tool results. */
  requestTexts(body: JsonObject): TextSlot[];
  /**
   * Returns a body with text before and after the system prompt, separated by a blank line; adds a prompt if there is
   * none. Does not change the given body.
   */
  withSystemPrompt(body: JsonObject, before: string, after: string): JsonObject;
  /** Returns the output tokens that the caller allows for each choice, or undefined. */
  maxTokens(body: JsonObject): number | undefined;
  /** Checks whether the request offers tools or contains tool calls or results. */
  usesTools(body: JsonObject): boolean;

  /** Returns the texts of a complete reply. */
  replyTexts(reply: JsonObject): TextSlot[];
  /** Returns the texts of one stream event. */
  eventTexts(event: JsonObject): TextSlot[];
  /** Returns the channels whose text is complete with this event, as prefixes of their names, or `all`. */
  endedChannels(event: JsonObject): readonly string[] | 'all' | undefined;
  /** Returns an event that carries `text` on `channel`, shaped like an earlier event of it. */
  textEvent(channel: string, text: string, like: JsonObject): JsonObject;
  /** Returns the counts in a reply or event. They are cumulative: later ones replace earlier ones. */
  usageOf(message: JsonObject): Partial<Usage> | undefined;
  finishReason(message: JsonObject): string | undefined;

  /** Encodes an event as SSE text with its blank line. */
  encode(event: JsonObject): string;
  /** SSE text that ends a complete stream; empty if the last event does so. */
  readonly terminator: string;
  errorEvent(error: GatewayError): JsonObject;
  /** Returns the HTTP status of an error. */
  statusOf(error: GatewayError): number;
  /** Returns the body of an HTTP error. */
  errorBody(error: GatewayError): JsonObject;

  /** Returns the events that would have streamed a complete reply. */
  replay(reply: JsonObject): JsonObject[];
  /**
   * Returns a collector that builds the complete reply from stream events; `reply()` is undefined until the stream has
   * ended well.
   */
  collector(): { add(event: JsonObject): void; reply(): JsonObject | undefined };
}

/** Facts of a call that translating its reply requires. */
export interface TranslationContext {
  readonly model: string;
  /** Estimated input tokens, for `message_start`. */
  readonly inputTokens: number;
  readonly id: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  /** True if the caller requested a final usage chunk (`stream_options.include_usage`). */
  readonly includeUsage: boolean;
}

/** Translator between a caller's and a provider's dialect. Within one dialect everything passes unchanged. */
export interface Translator {
  /**
   * Translates a request of the caller for the provider.
   * @param note receives the name of each member that is left out.
   * @throws GatewayError `invalid_request` for what the provider's dialect cannot express.
   */
  request(body: JsonObject, note?: (name: string) => void): JsonObject;
  /** Translates a complete reply of the provider for the caller. */
  reply(reply: JsonObject, context: TranslationContext): JsonObject;
  /**
   * Returns a translator for the events of one stream. `end` returns the remaining events when the source ends well.
   */
  events(context: TranslationContext): { next(event: JsonObject): JsonObject[]; end(): JsonObject[] };
}
