import { lineWriter } from '#adapters/telemetry/line-writer.ts';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('lines written in quick succession are combined into one write, in order', () => {
  const writes: string[] = [];
  const write = lineWriter((text) => void writes.push(text));
  for (const line of ['one', 'two', 'three']) write(line);
  expect(writes).toEqual([]);
  jest.advanceTimersByTime(20);
  expect(writes).toEqual(['one\ntwo\nthree\n']);
  write('four');
  jest.advanceTimersByTime(20);
  expect(writes).toEqual(['one\ntwo\nthree\n', 'four\n']);
});

test('a large amount of text is written immediately', () => {
  const writes: string[] = [];
  const write = lineWriter((text) => void writes.push(text));
  const line = 'x'.repeat(40_000);
  write(line);
  expect(writes).toEqual([]);
  write(line);
  expect(writes).toEqual([`${line}\n${line}\n`]);
  jest.advanceTimersByTime(1_000);
  expect(writes).toHaveLength(1);
});

test('buffered lines are written when the process exits', () => {
  const writes: string[] = [];
  const before = process.listeners('exit');
  const write = lineWriter((text) => void writes.push(text));
  const [onExit] = process.listeners('exit').filter((listener) => !before.includes(listener));
  write('last');
  onExit?.(0);
  expect(writes).toEqual(['last\n']);
  process.off('exit', onExit!);
});
