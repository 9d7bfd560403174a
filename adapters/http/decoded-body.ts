/**
 * Decodes replies that are compressed although the request did not allow compression; some proxies send such replies
 * [provider.encoded-reply].
 */
import { PassThrough, pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { type HttpBody, HttpFault } from '#core/models/providers/http.ts';

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

export const isDecodable = (encoding: string): boolean => Object.hasOwn(decoders, encoding);

/**
 * Returns the decoded body in pieces. Decodes only as much as the reader consumes, so that the reader's own limit also
 * stops a small reply that expands to a huge size.
 */
export function decodedBody(body: HttpBody, encoding: string): HttpBody {
  const decoder = decoders[encoding]!();
  // The body reports its own faults; the decoder would only see a premature end of input.
  let fault: unknown;
  async function* encoded() {
    try {
      yield* body;
    } catch (cause) {
      fault = cause;
      throw cause;
    }
  }
  const decoded = new PassThrough({ highWaterMark: 16 * 1024 });
  pipeline(Readable.from(encoded(), { objectMode: false, highWaterMark: 16 * 1024 }), decoder, decoded, () => {});
  return {
    async *[Symbol.asyncIterator]() {
      try {
        yield* decoded;
      } catch (cause) {
        throw fault ?? new HttpFault('broken', `the reply is not valid ${encoding}`, cause);
      }
    },
    release() {
      decoded.destroy();
      body.release();
    },
    close() {
      decoded.destroy();
      body.close();
    },
  };
}
