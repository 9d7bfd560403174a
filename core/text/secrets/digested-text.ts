/** Decodes a byte stream into text and computes its digest. */
import { createHash } from 'node:crypto';
import { invalidRequest } from '#core/kernel/errors.ts';

/** Text stream that can be read once. Reading throws GatewayError `invalid_request` if the bytes are not UTF-8. */
export class DigestedText implements AsyncIterable<string> {
  readonly #bytes: AsyncIterable<Uint8Array>;
  readonly #hash = createHash('sha256');

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#bytes = bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    // The decoder drops a leading byte order mark, which some editors write.
    const decoder = new TextDecoder('utf-8', { fatal: true });
    for await (const chunk of this.#bytes) {
      this.#hash.update(chunk);
      const text = decodeOrEmpty(() => decoder.decode(chunk, { stream: true }));
      if (text !== '') yield text;
    }
    const rest = decodeOrEmpty(() => decoder.decode());
    if (rest !== '') yield rest;
  }

  /** Returns the SHA-256 of all bytes as hex. Must be called only once, at the end. */
  digest(): string {
    return this.#hash.digest('hex');
  }
}

function decodeOrEmpty(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw invalidRequest(
      'The bundle is not valid UTF-8, so it was changed after its export. Export the session again.',
    );
  }
}
