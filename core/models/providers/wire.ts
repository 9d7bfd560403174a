/** Defines how the gateway communicates with one type of provider. */
import type { DialectName } from '#core/contracts/chat.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Frame } from './lines.ts';
import type { ProviderCall } from './ports.ts';

/** Wire format of one provider type. */
export interface Wire {
  readonly dialect: DialectName;
  readonly defaultBaseUrl: string;
  readonly frames: 'sse' | 'lines';
  /** Returns the path relative to the base URL, without repeating the version. */
  path(baseUrl: string): string;
  /** Returns the headers specific to this provider type; the key is absent for servers that do not require one. */
  headers(key: string | undefined, call: ProviderCall): Record<string, string>;
  /** @throws UnfitRequest */
  body(call: ProviderCall): JsonObject;
  leftOut?(body: JsonObject): readonly string[];
  /** Translates the reply into the provider's dialect. @throws BadReply */
  reply(body: JsonObject, call: ProviderCall): JsonObject;
  stream(call: ProviderCall): FrameReader;
  readonly embeddings?: Embeddings;
  /** Set if the provider stores files and batches in OpenAI's format. */
  readonly files?: true;
  /** Returns the differences for a call whose response is stored, for provider types that support it. */
  responses?(): Promise<Pick<Wire, 'path' | 'body' | 'reply' | 'stream'>>;
}

/** Reader of one stream, frame by frame. */
export interface FrameReader {
  /** Returns the events of a frame. @throws BadReply */
  read(frame: Frame): readonly JsonObject[];
  /** True once the last event has been read. */
  readonly ended: boolean;
  /** True if the stream would be complete if the connection ended now. */
  readonly complete: boolean;
}

interface Embeddings {
  readonly path: string;
  body(model: string, texts: readonly string[]): JsonObject;
  /** @throws BadReply */
  vectors(body: JsonObject, count: number): number[][];
}
