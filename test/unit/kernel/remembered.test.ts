import { remembered } from '#core/kernel/remembered.ts';

it('works a function out once for each object, undefined included', () => {
  const asked: object[] = [];
  const lengthOf = remembered((list: readonly number[]) => {
    asked.push(list);
    return list.length === 0 ? undefined : list.length;
  });
  const [none, two, alike] = [[], [1, 2], [1, 2]];

  expect([none, two, none, two, alike].map(lengthOf)).toEqual([undefined, 2, undefined, 2, 2]);
  expect(asked).toEqual([none, two, alike]);
});
