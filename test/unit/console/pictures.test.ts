import { routes } from '#features/routes.ts';
import { type Blocks, changedBlocks, isAlike } from '../../console/pictures/compare.ts';
import { storedStory } from '../../console/pictures/story.ts';

/** Builds a white page of 20 by 10 blocks with some grey ones. */
const page = (grey: readonly number[], level = 200): Blocks => ({
  columns: 20,
  means: Array.from({ length: 200 }, (_, at) =>
    grey.includes(at) ? [level, level, level, 255] : [255, 255, 255, 255],
  ).flat(),
});
const words = [21, 22, 23, 24, 41, 42];

test.each<[string, Blocks, boolean]>([
  ['the same', page(words), true],
  ['letters that are smoothed in another way', page(words, 208), true],
  ['a cursor', page([...words, 99]), true],
  ['a word that moved by a line', page(words.map((at) => at + 20)), false],
  ['a word that is gone', page(words.slice(4)), false],
  [
    'a ground of another colour',
    { ...page(words), means: page(words).means.map((mean) => Math.max(0, mean - 20)) },
    false,
  ],
  ['a picture of another height', { columns: 20, means: page(words).means.slice(0, -80) }, false],
  ['a picture of another width', { columns: 10, means: page(words).means }, false],
])('[console.pictures] %s is compared correctly with the stored picture', (_, taken, alike) => {
  expect(isAlike(changedBlocks(page(words), taken))).toBe(alike);
});

const answers = Object.entries(storedStory().answers).filter(([, body]) => typeof body !== 'string');

test.each(answers)('the stored response to %s matches the schema of the gateway’s response', (name, body) => {
  const [method, address = ''] = name.split(' ');
  const path = `/admin/v1/${address.split('?')[0]}`.split('/');
  const fits = (template: readonly string[]) =>
    template.length === path.length && template.every((step, at) => step.startsWith('{') || step === path[at]);
  const found = routes.filter((route) => route.method === method && fits(route.path.split('/')));
  const { output } = found.find((route) => !route.path.includes('{')) ?? found[0]!;
  expect(typeof output === 'function' ? output().safeParse(body).error : output).toBeUndefined();
});
