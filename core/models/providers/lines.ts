/** Parses streams with one JSON document per line, from bytes split at any position. */
import type { SseDecoder, SseEvent } from '#core/models/dialects/sse.ts';
import { BadReply } from './reply.ts';

/** Piece of a stream: an SSE event or a line. */
export type Frame = SseEvent;
export type Frames = Pick<SseDecoder, 'push' | 'end'>;

/** Maximum length of one frame; base64 images in replies arrive in one piece. */
export const maxFrameCharacters = 32 * 1024 * 1024;

/**
 * Returns a decoder that ignores blank lines and accepts a last line without a line ending.
 * @throws BadReply for malformed UTF-8 and overlong lines.
 */
export function lineFrames(): Frames {
  // One byte order mark at the start is dropped here, because Node's decoder drops a second one if it arrives in
  // pieces.
  const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let partial = '';
  let begun = false;

  const decoded = (bytes?: Uint8Array): string => {
    try {
      const text = bytes === undefined ? utf8.decode() : utf8.decode(bytes, { stream: true });
      if (begun || text === '') return text;
      begun = true;
      return text.startsWith('\uFEFF') ? text.slice(1) : text;
    } catch {
      throw new BadReply('it is not valid UTF-8');
    }
  };

  const cut = (text: string): Frame[] => {
    const frames: Frame[] = [];
    const add = (line: string): void => {
      if (line.trim() !== '') frames.push({ data: line });
    };
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      add(partial + text.slice(from, end));
      partial = '';
      from = end + 1;
    }
    partial += text.slice(from);
    if (partial.length > maxFrameCharacters) throw new BadReply('a line is too long');
    return frames;
  };

  return { push: (bytes) => cut(decoded(bytes)), end: () => cut(`${decoded()}\n`) };
}
