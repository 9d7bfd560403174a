/** Event streams split at every byte: the decoder's result does not depend on chunking. */

import * as z from 'zod';
import { sseDecoder } from '#core/models/dialects/sse.ts';
import { lineFrames } from '#core/models/providers/lines.ts';
import { readCases, rows, text } from '../support/yaml.ts';

const { streams } = readCases('test/property/streams-cut.yaml', z.strictObject({ streams: rows(text, text) }));

interface Decoder {
  push(bytes: Uint8Array): unknown[];
  end(): unknown[];
}

/** Returns the events read from the pieces, or the error that the decoder throws. */
function read(make: () => Decoder, pieces: readonly Uint8Array[]): unknown {
  const decoder = make();
  const events: unknown[] = [];
  try {
    for (const piece of pieces) events.push(...decoder.push(piece));
    events.push(...decoder.end());
    return events;
  } catch (fault) {
    return [events, (fault as { kind?: string; message: string }).kind ?? (fault as Error).message];
  }
}

/**
 * Yields every split into two, every split into three whose boundaries are one byte apart, and the split into single
 * bytes.
 */
function* cuts(bytes: Uint8Array): Generator<Uint8Array[]> {
  for (let at = 0; at <= bytes.length; at++) {
    yield [bytes.subarray(0, at), bytes.subarray(at)];
    if (at < bytes.length) yield [bytes.subarray(0, at), bytes.subarray(at, at + 1), bytes.subarray(at + 1)];
  }
  yield [...bytes].map((_, at) => bytes.subarray(at, at + 1));
}

test('[chat.streams-cut] the corpus has at least thirty streams', () => {
  expect(streams.length).toBeGreaterThanOrEqual(30);
});

test.each(streams)('[chat.streams-cut] %s', (_, text) => {
  const bytes = new TextEncoder().encode(text);
  for (const make of [() => sseDecoder(), lineFrames] as (() => Decoder)[]) {
    const whole = read(make, [bytes]);
    for (const pieces of cuts(bytes)) expect(read(make, pieces)).toEqual(whole);
  }
});

test.each([
  ['a byte that no character begins with', [0x64, 0xff, 0x0a, 0x0a]],
  ['a character that is cut off by the end', [0x64, 0x61, 0x74, 0x61, 0x3a, 0x31, 0x0a, 0x0a, 0xe6, 0xbc]],
  ['a surrogate', [0x64, 0x61, 0x74, 0x61, 0x3a, 0xed, 0xa0, 0x80, 0x0a, 0x0a]],
  ['an overlong form', [0x64, 0x61, 0x74, 0x61, 0x3a, 0xc0, 0xaf, 0x0a, 0x0a]],
])('[chat.streams-cut] %s is refused wherever the stream is split', (_, list) => {
  const bytes = Uint8Array.from(list);
  for (const make of [() => sseDecoder(), lineFrames] as (() => Decoder)[])
    for (const pieces of cuts(bytes)) {
      const [, reason] = read(make, pieces) as [unknown[], unknown];
      expect(['encoding', 'it is not valid UTF-8']).toContain(reason);
    }
});
