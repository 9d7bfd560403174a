/**
 * A wire form of chat calls: where text stands in requests, replies and stream events, and how events are written
 *. Everything a dialect does not know is left as it came.
 */
import type { DialectName, Usage } from '#core/contracts/chat.ts';
import type { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';

/** A place of readable text inside a wire object. */
export interface TextSlot {
  /** The running text it belongs to: deltas of one channel continue each other. */
  readonly channel: string;
  /** Spells out another text once more: it goes as it is or not at all, and what is held of it is never sent. */
  readonly echo?: boolean;
  readonly kind: 'text' | 'system' | 'refusal' | 'reasoning' | 'tool_arguments' | 'tool_result' | 'other';
  /** Complete by itself: nothing continues it, also not in a stream. */
  readonly whole?: boolean;
  /** JSON text, as models write the arguments of calls: its strings are read decoded. */
  readonly json?: boolean;
  /** Texts of one group stand together before the model: parts of one turn. */
  group?: string;
  /** The member it stands for, where it stands for one. */
  readonly place?: { readonly holder: JsonObject; readonly key: string };
  readonly text: string;
  /** Replaces the text inside the object it was found in. */
  set(text: string): void;
}

export interface Dialect {
  readonly name: DialectName;

  /**
   * What every request must have: model, messages of the right shape, sane numbers.
   * @throws GatewayError `invalid_request` with what was found and what is allowed.
   */
  checkRequest(body: JsonObject): void;
  /** Every text the model will read, in order: system, messages, tool results. */
  requestTexts(body: JsonObject): TextSlot[];
  /**
   * Adds text before and after what the system prompt says, a blank line between; makes one where there is none. The
   * body given stays as it is.
   */
  withSystemPrompt(body: JsonObject, before: string, after: string): JsonObject;
  /** Output tokens the caller allows for each choice, or undefined. */
  maxTokens(body: JsonObject): number | undefined;
  /** Whether the request offers tools or carries tool calls or results. */
  usesTools(body: JsonObject): boolean;

  /** Texts of a complete reply. */
  replyTexts(reply: JsonObject): TextSlot[];
  /** Texts of one stream event. */
  eventTexts(event: JsonObject): TextSlot[];
  /** Channels whose text is complete with this event, by the beginnings of their names; or all. */
  endedChannels(event: JsonObject): readonly string[] | 'all' | undefined;
  /** An event that carries `text` on `channel`, shaped like an earlier event of it. */
  textEvent(channel: string, text: string, like: JsonObject): JsonObject;
  /** Counts in a reply or event; cumulative ones replace each other, they are never summed. */
  usageOf(message: JsonObject): Partial<Usage> | undefined;
  finishReason(message: JsonObject): string | undefined;

  /** An event as SSE text, with its blank line. */
  encode(event: JsonObject): string;
  /** SSE text that ends a stream well; empty where the last event does. */
  readonly terminator: string;
  errorEvent(error: GatewayError): JsonObject;
  /** HTTP status of an error. */
  statusOf(error: GatewayError): number;
  /** Body of an HTTP error. */
  errorBody(error: GatewayError): JsonObject;

  /** A complete reply as the events that would have streamed it. */
  replay(reply: JsonObject): JsonObject[];
  /** Builds the complete reply out of stream events; `reply()` is undefined until the stream has ended well. */
  collector(): { add(event: JsonObject): void; reply(): JsonObject | undefined };
}

/** What a translated reply needs to know of its call. */
export interface TranslationContext {
  readonly model: string;
  /** Input tokens estimated beforehand: `message_start` carries them. */
  readonly inputTokens: number;
  readonly id: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  /** The caller asked for a usage chunk at the end (`stream_options.include_usage`). */
  readonly includeUsage: boolean;
}

/** Between a caller's dialect and a provider's. Same dialect: everything passes through untouched. */
export interface Translator {
  /**
   * A request of the caller, as the provider takes it.
   * @param note takes the name of each member that is left out.
   * @throws GatewayError `invalid_request` for what the provider's dialect cannot say.
   */
  request(body: JsonObject, note?: (name: string) => void): JsonObject;
  /** A complete reply of the provider, as the caller reads it. */
  reply(reply: JsonObject, context: TranslationContext): JsonObject;
  /** A provider's stream, event by event, as the caller reads it. One translator of events per stream; `end` gives what is due when the source ends well. */
  events(context: TranslationContext): { next(event: JsonObject): JsonObject[]; end(): JsonObject[] };
}
