/** Reads a file in slices, so that a long session is never in memory as a whole. */

const sliceBytes = 256 * 1024;

export async function* blobBytes(file: Blob): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += sliceBytes)
    yield new Uint8Array(await file.slice(at, at + sliceBytes).arrayBuffer());
}
