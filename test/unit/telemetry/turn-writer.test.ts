import { turnWriter } from '#adapters/telemetry/turn-writer.ts';

test('lines of one turn are one write, in their order', async () => {
  const writes: string[] = [];
  const write = turnWriter((text) => void writes.push(text));
  for (const line of ['one', 'two', 'three']) write(line);
  expect(writes).toEqual([]);
  await new Promise(setImmediate);
  expect(writes).toEqual(['one\ntwo\nthree\n']);
  write('four');
  await new Promise(setImmediate);
  expect(writes).toEqual(['one\ntwo\nthree\n', 'four\n']);
});

test('what is held when the process exits is written', () => {
  const writes: string[] = [];
  const before = process.listeners('exit');
  const write = turnWriter((text) => void writes.push(text));
  const [onExit] = process.listeners('exit').filter((listener) => !before.includes(listener));
  write('last');
  onExit?.(0);
  expect(writes).toEqual(['last\n']);
  process.off('exit', onExit!);
});
