/** How one kind of provider is spoken to. */
import type { DialectName } from '#core/contracts/chat.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Frame } from './lines.ts';
import type { ProviderCall } from './ports.ts';

/** Wire form of one kind of provider. */
export interface Wire {
  readonly dialect: DialectName;
  readonly defaultBaseUrl: string;
  readonly frames: 'sse' | 'lines';
  /** Returns the path below the base URL, without a doubled version. */
  path(baseUrl: string): string;
  /** Returns the kind's own headers; the key is absent for servers that require none. */
  headers(key: string | undefined, call: ProviderCall): Record<string, string>;
  /** @throws UnfitRequest */
  body(call: ProviderCall): JsonObject;
  leftOut?(body: JsonObject): readonly string[];
  /** Translates the reply into the provider's dialect. @throws BadReply */
  reply(body: JsonObject): JsonObject;
  stream(call: ProviderCall): FrameReader;
  readonly embeddings?: Embeddings;
  /** Set if it stores files and batches in OpenAI's form. */
  readonly files?: true;
  /** Returns the differences of a call whose response is stored, for kinds that support it. */
  responses?(): Promise<Pick<Wire, 'path' | 'body' | 'reply' | 'stream'>>;
}

/** Reader of one stream, frame by frame. */
export interface FrameReader {
  /** Returns the events of a frame. @throws BadReply */
  read(frame: Frame): readonly JsonObject[];
  /** True once the last event was read. */
  readonly ended: boolean;
  /** True if the stream is complete should the connection end now. */
  readonly complete: boolean;
}

export interface Embeddings {
  readonly path: string;
  body(model: string, texts: readonly string[]): JsonObject;
  /** @throws BadReply */
  vectors(body: JsonObject, count: number): number[][];
}
