/**
 * Every configuration snippet in the documentation loads, on top of the shipped configuration and the earlier snippets
 * on its page.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse, stringify } from 'yaml';
import { loadConfiguration } from '#features/load-configuration.ts';
import { packs } from '../configuration/memory.ts';

type Piece = Readonly<Record<string, unknown>>;

const root = process.cwd();
const shipped: Piece = parse(readFileSync(join(root, 'config/gateway.yaml'), 'utf8'));
const pages = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && !/^(reference|decisions)\//.test(name))
  .map((name) => join(root, 'docs', name));

const isPiece = (value: unknown): value is Piece =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Applies a snippet as a reader would: maps are merged, a list entry is merged into the entry with the same name, and
 * other lists are replaced.
 */
function over(before: unknown, piece: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(piece)) {
    const names = piece.map(nameOf);
    if (names.includes(undefined)) return piece;
    const shown = piece.map((each) =>
      over(
        before.find((old) => nameOf(old) === nameOf(each)),
        each,
      ),
    );
    return [...before.filter((each) => !names.includes(nameOf(each))), ...shown];
  }
  if (!isPiece(before) || !isPiece(piece)) return piece;
  return { ...before, ...Object.fromEntries(Object.entries(piece).map(([key, to]) => [key, over(before[key], to)])) };
}

const nameOf = (entry: unknown): unknown => (isPiece(entry) ? (entry.id ?? entry.name) : undefined);

const blocks = (page: string): string[] =>
  [...page.matchAll(/^( *)```yaml\n([\s\S]*?)^\1```/gm)].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );

const configurations = pages.flatMap((file) => {
  let before: unknown = shipped;
  return blocks(readFileSync(file, 'utf8')).map((text, i) => {
    before = over(before, parse(text));
    return [`${relative(root, file)} #${i + 1}`, before] as const;
  });
});

const load = (text: string) =>
  loadConfiguration(text, {
    packs: (name) => (name.includes('/') ? readFileSync(join(root, name), 'utf8') : packs(name)),
  });

test('[docs.commands] the pages contain configuration snippets', () => {
  expect(configurations.length).toBeGreaterThan(20);
});

test.each(configurations)('[docs.commands] %s loads', async (_, configuration) => {
  await expect(load(stringify(configuration))).resolves.toBeDefined();
});
