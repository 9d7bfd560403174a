/** Splits a byte stream into lines. Only "\n" ends a line, because JSON strings may contain U+2028 unescaped. */

interface ByteLine {
  /** The line without its line break. */
  readonly text: string;
  /** Length in the source, including the line break. */
  readonly bytes: number;
  /** False for the last line if the source ends without a line break. */
  readonly whole: boolean;
}

const lineBreak = 0x0a;

/** Splits on bytes, so that offsets are exact and a character split across two pieces stays intact. */
export async function* byteLines(pieces: AsyncIterable<Uint8Array | string>): AsyncGenerator<ByteLine> {
  let held: Uint8Array[] = [];
  for await (const given of pieces) {
    const piece = typeof given === 'string' ? Buffer.from(given) : given;
    let start = 0;
    for (let end = piece.indexOf(lineBreak); end !== -1; end = piece.indexOf(lineBreak, start)) {
      const line = Buffer.concat([...held, piece.subarray(start, end)]);
      yield { text: line.toString('utf8'), bytes: line.length + 1, whole: true };
      [held, start] = [[], end + 1];
    }
    if (start < piece.length) held.push(piece.subarray(start));
  }
  if (held.length === 0) return;
  const rest = Buffer.concat(held);
  yield { text: rest.toString('utf8'), bytes: rest.length, whole: false };
}
