/** Server-sent events from bytes split anywhere. */
import { encodeSse, SseFault, sseDecoder, ssePing } from '#core/models/dialects/sse.ts';
import { bytesOf, decoded } from '../../../golden/read.ts';

const read = (text: string) => decoded(bytesOf(text));

test('parses fields, comments, line endings and blank lines as the WHATWG specification requires', () => {
  expect(read('data: a\n\n')).toEqual([{ data: 'a' }]);
  expect(read('data:a\r\rdata:  b\r\n\r\n')).toEqual([{ data: 'a' }, { data: ' b' }]);
  expect(read('data: a\ndata\ndata: c\n\n')).toEqual([{ data: 'a\n\nc' }]);
  expect(read(': hi\n\nevent: x\n\ndata: a\n\n')).toEqual([{ data: 'a' }]);
  expect(read('event: x\nid: 7\nretry: 5\nother: y\ndata: a\n\n')).toEqual([{ event: 'x', data: 'a', id: '7' }]);
  expect(read('data\n\n')).toEqual([{ data: '' }]);
  expect(read('\n\n\r\n\n')).toEqual([]);
});

test('a byte order mark is dropped only at the start', () => {
  expect(read('\uFEFFdata: \uFEFFa\n\n\uFEFFdata: b\n\n')).toEqual([{ data: '\uFEFFa' }]);
  const bytes = bytesOf('\uFEFFdata: \uFEFF\n\n');
  for (let at = 0; at <= bytes.length; at++) expect(decoded(bytes, [at])).toEqual([{ data: '\uFEFF' }]);
});

test('the last event of a stream does not need a blank line', () => {
  expect(read('data: a\n\ndata: [DONE]')).toEqual([{ data: 'a' }, { data: '[DONE]' }]);
  expect(read('data: a\r')).toEqual([{ data: 'a' }]);
});

test('an event is complete as soon as its blank line arrives', () => {
  const decoder = sseDecoder();
  expect(decoder.push(bytesOf('data: a\n'))).toEqual([]);
  expect(decoder.push(bytesOf('\n'))).toEqual([{ data: 'a' }]);
  expect(decoder.push(bytesOf('data: b\r\r'))).toEqual([{ data: 'b' }]);
  expect(decoder.push(bytesOf('\ndata: c\n\n'))).toEqual([{ data: 'c' }]);
  expect(decoder.end()).toEqual([]);
});

test('malformed UTF-8 causes a typed error, whether mid-stream or at the end', () => {
  expect(() => sseDecoder().push(Uint8Array.of(0x64, 0xff))).toThrow(SseFault);
  const decoder = sseDecoder();
  decoder.push(Uint8Array.of(0xe2, 0x82));
  expect(() => decoder.end()).toThrow(expect.objectContaining({ name: 'SseFault', kind: 'encoding' }));
});

test('an endless event is refused, however it is split', () => {
  const endless = (piece: string) => {
    const decoder = sseDecoder({ maxEventBytes: 1000 });
    for (let sent = 0; sent < 5000; sent += piece.length) decoder.push(bytesOf(piece));
  };
  for (const piece of ['x', 'data: aaaa\n', ':', 'data: a\r\n', 'y'.repeat(2000)])
    expect(() => endless(piece)).toThrow(expect.objectContaining({ kind: 'size' }));
  const many = sseDecoder({ maxEventBytes: 1000 });
  expect(many.push(bytesOf(`data: ${'a'.repeat(900)}\n\n`.repeat(50)))).toHaveLength(50);
});

test('unknown fields are ignored, and a stream stays refused once it has been refused', () => {
  const before = Error.stackTraceLimit;
  const decoder = sseDecoder({ maxEventBytes: 1000 });
  const lines = `${'x: y\nretry: soon\nx\n'.repeat(2_000)}data: a\n\n`;
  expect(decoder.push(bytesOf(lines))).toEqual([{ data: 'a' }]);
  for (const again of ['data: b\n'.repeat(600), 'data: c\n\n'])
    expect(() => decoder.push(bytesOf(again))).toThrow(expect.objectContaining({ kind: 'size' }));
  expect(Error.stackTraceLimit).toBe(before);
});

test('a long line in small pieces is parsed in linear time', () => {
  const decoder = sseDecoder();
  const piece = new Uint8Array(64).fill(0x61);
  decoder.push(bytesOf('data: '));
  for (let sent = 0; sent < 4_000_000; sent += piece.length) decoder.push(piece);
  expect(decoder.push(bytesOf('\n\n'))[0]?.data).toHaveLength(4_000_000);
});

test('written events can be parsed again', () => {
  expect(encodeSse(undefined, '{}')).toBe('data: {}\n\n');
  expect(encodeSse('ping', '{}')).toBe('event: ping\ndata: {}\n\n');
  expect(read(encodeSse('x', 'a\nb\r\nc'))).toEqual([{ event: 'x', data: 'a\nb\nc' }]);
  expect(read(encodeSse('x\ndata: forged', 'a'))).toEqual([{ data: 'a' }]);
  expect(read(ssePing)).toEqual([]);
});
