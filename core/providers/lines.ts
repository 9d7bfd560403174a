/** Streams of one JSON document a line, from bytes cut anywhere. */
import type { SseDecoder, SseEvent } from '#core/dialects/sse.ts';
import { BadReply } from './reply.ts';

/** A piece of a stream: an SSE event or a line. */
export type Frame = SseEvent;
export type Frames = Pick<SseDecoder, 'push' | 'end'>;

/** Of one frame; images in replies come base64-coded in one piece. */
export const maxFrameCharacters = 32 * 1024 * 1024;

/** Blank lines mean nothing; a last line needs no line end. @throws BadReply for malformed UTF-8 and endless lines. */
export function lineFrames(): Frames {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let partial = '';

  const decoded = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? utf8.decode() : utf8.decode(bytes, { stream: true });
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
    if (partial.length > maxFrameCharacters) throw new BadReply('a line has no end');
    return frames;
  };

  return { push: (bytes) => cut(decoded(bytes)), end: () => cut(`${decoded()}\n`) };
}
