/**
 * Wire format of chat calls: text in requests, replies and stream events, and the encoding of events. Members unknown
 * to a dialect are left unchanged.
 */
import type { DialectName, Usage } from '#core/contracts/chat.ts';
import type { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';

/** Readable text inside a wire object. */
export interface TextSlot {
  /** Text stream that the slot belongs to: deltas on one channel continue each other. */
  readonly channel: string;
  /** True if the text repeats other text. Such text is sent unchanged or not at all, and a held part is never sent. */
  readonly echo?: boolean;
  readonly kind: 'text' | 'system' | 'refusal' | 'reasoning' | 'tool_arguments' | 'tool_result' | 'other';
  /** True if the text is complete on its own and is not continued, even in a stream. */
  readonly whole?: boolean;
  /** True for JSON text, such as call arguments, whose strings are decoded. */
  readonly json?: boolean;
  /** Group of texts that the model reads as adjacent, such as parts of one turn. */
  group?: string;
  /** Member that contains the text, if there is one. */
  readonly place?: { readonly holder: JsonObject; readonly key: string };
  readonly text: string;
  /** Replaces the text inside the object it was found in. */
  set(text: string): void;
}

export interface Dialect {
  readonly name: DialectName;

  /**
   * Checks the parts that every request must have: a model, messages of the right shape, valid numbers.
   * @throws GatewayError `invalid_request` stating what was found and what is allowed.
   */
  checkRequest(body: JsonObject): void;
  /** Returns the text of the conversation, in order: system, messages, tool results. */
  messageTexts(body: JsonObject): TextSlot[];
  /**
   * Returns all text that the model reads: definitions, then the conversation.
   * @param messages result of `messageTexts` for the same body, if already known.
   */
  requestTexts(body: JsonObject, messages?: readonly TextSlot[]): TextSlot[];
  /**
   * Returns a body with text before and after the system prompt, separated by a blank line, or with a new prompt if
   * there is none. Does not change the given body.
   */
  withSystemPrompt(body: JsonObject, before: string, after: string): JsonObject;
  /**
   * Returns the maximum number of output tokens that the caller allows per choice, or undefined if there is no limit.
   */
  maxTokens(body: JsonObject): number | undefined;
  /** Checks whether the request offers tools or contains tool calls or results. */
  usesTools(body: JsonObject): boolean;

  /** Returns the text of a complete reply. */
  replyTexts(reply: JsonObject): TextSlot[];
  /** Returns the text of one stream event. */
  eventTexts(event: JsonObject): TextSlot[];
  /** Returns the channels whose text this event completes, as name prefixes, or `all`. */
  endedChannels(event: JsonObject): readonly string[] | 'all' | undefined;
  /** Returns an event that carries `text` on `channel`, shaped like an earlier event on that channel. */
  textEvent(channel: string, text: string, like: JsonObject): JsonObject;
  /** Returns the counts in a reply or event. They are cumulative, so later ones replace earlier ones. */
  usageOf(message: JsonObject): Partial<Usage> | undefined;
  finishReason(message: JsonObject): string | undefined;

  /** Encodes an event as SSE text, including the trailing blank line. */
  encode(event: JsonObject): string;
  /** SSE text that ends a complete stream; empty if the last event ends it. */
  readonly terminator: string;
  errorEvent(error: GatewayError): JsonObject;
  /** Returns the HTTP status of an error. */
  statusOf(error: GatewayError): number;
  /** Returns the body of an HTTP error. */
  errorBody(error: GatewayError): JsonObject;

  /** Returns the events that would have been streamed for a complete reply. */
  replay(reply: JsonObject): JsonObject[];
  /**
   * Returns a collector that builds the complete reply from stream events; `reply()` is undefined until the stream has
   * completed normally.
   */
  collector(): { add(event: JsonObject): void; reply(): JsonObject | undefined };
}

/** Facts about a call that are needed to translate its reply. */
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

/**
 * Translator between the caller's and the provider's dialect. If they are the same, everything passes through
 * unchanged.
 */
export interface Translator {
  /**
   * Translates a caller's request for the provider.
   * @param note receives the name of each member that is left out.
   * @throws GatewayError `invalid_request` if the provider's dialect cannot express the request.
   */
  request(body: JsonObject, note?: (name: string) => void): JsonObject;
  /** Translates a provider's complete reply for the caller. */
  reply(reply: JsonObject, context: TranslationContext): JsonObject;
  /**
   * Returns a translator for the events of one stream. `end` returns the remaining events when the source completes
   * normally.
   */
  events(context: TranslationContext): { next(event: JsonObject): JsonObject[]; end(): JsonObject[] };
}
