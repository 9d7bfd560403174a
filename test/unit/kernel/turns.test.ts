/** Passes over a list that is read page by page. */
import { Turns } from '#core/kernel/turns.ts';

const listed = (ids: readonly string[]) => async (after: string | undefined, most: number) =>
  ids.filter((id) => after === undefined || id > after).slice(0, most);

async function pages(turns: Turns, ids: readonly string[], count: number, most = 2, finished = most) {
  const seen: string[] = [];
  for (let page = 0; page < count; page++)
    await turns.nextPage(most, listed(ids), async (items, took) => {
      seen.push(items.join(''));
      for (const item of items.slice(0, finished)) took(item);
    });
  return seen;
}

test('each page continues after the previous one, and the last page is followed by the first, never by an empty page', async () => {
  expect(await pages(new Turns(), ['a', 'b', 'c'], 4)).toEqual(['ab', 'c', 'ab', 'c']);
  expect(await pages(new Turns(), ['a', 'b', 'c', 'd'], 3)).toEqual(['ab', 'cd', 'ab']);
});

test('an empty list yields one empty page each time', async () => {
  expect(await pages(new Turns(), [], 2)).toEqual(['', '']);
});

test('unprocessed items come first on the next page', async () => {
  expect(await pages(new Turns(), ['a', 'b', 'c'], 3, 2, 1)).toEqual(['ab', 'bc', 'c']);
});

test('an item that was removed does not stop the pass', async () => {
  const turns = new Turns();
  await pages(turns, ['a', 'b', 'c', 'd'], 1);
  expect(await pages(turns, ['a', 'c', 'd'], 1)).toEqual(['cd']);
});
