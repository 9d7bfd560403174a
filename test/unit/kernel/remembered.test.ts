import { remembered, rememberedText } from '#core/kernel/remembered.ts';

it('computes a function once for each object, including an undefined result', () => {
  const asked: object[] = [];
  const lengthOf = remembered((list: readonly number[]) => {
    asked.push(list);
    return list.length === 0 ? undefined : list.length;
  });
  const [none, two, alike] = [[], [1, 2], [1, 2]];

  expect([none, two, none, two, alike].map(lengthOf)).toEqual([undefined, 2, undefined, 2, 2]);
  expect(asked).toEqual([none, two, alike]);
});

it('computes a function once for each short string, and caches up to a thousand results', () => {
  const asked: string[] = [];
  const upper = rememberedText((text) => {
    asked.push(text);
    return text.toUpperCase();
  });
  const long = 'x'.repeat(129);

  expect(['a', '__proto__', 'a', '\ud800', '\ud800', long, long].map(upper)).toEqual(
    ['a', '__proto__', 'a', '\ud800', '\ud800', long, long].map((text) => text.toUpperCase()),
  );
  expect(asked).toEqual(['a', '__proto__', '\ud800', long, long]);
  for (let n = 0; n < 1_000; n++) upper(`name-${n}`);
  expect(asked).toHaveLength(1_005);
  upper('a');
  expect(asked).toHaveLength(1_006);
});
