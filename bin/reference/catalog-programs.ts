/** Writes `core/catalog/programs/*.yaml` as a module for the shell-line reader. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { commandFileSchema, familyFileSchema, gitFileSchema } from '#core/contracts/shell-programs.ts';

/** Files of program families, in the order of the reference page. */
const familyFiles = 'texts searching files system wrappers archives build-tools interpreters network editors'.split(
  ' ',
);
/** Files of programs with commands, in the order of the page. */
const commandFiles = 'kubectl helm docker terraform gh aws gcloud az'.split(' ');

/**
 * Returns the modules for programs and for git, by path. @throws Error naming the file and the entry that does not
 * match the schema.
 */
export function programModules(folder: string): Record<string, string> {
  const names = readdirSync(folder).map((file) => file.replace(/\.yaml$/, ''));
  const unknown = names.find((name) => ![...familyFiles, ...commandFiles, 'git'].includes(name));
  if (unknown !== undefined)
    throw new Error(`${folder}/${unknown}: add its place in bin/reference/catalog-programs.ts`);
  const pathOf = (name: string) => join(folder, `${name}.yaml`);
  const families = familyFiles
    .map((name) => readYaml(pathOf(name), familyFileSchema))
    .map(({ title, programs }) => ({ title, programs }));
  const programs = Object.assign({}, ...commandFiles.map((name) => readYaml(pathOf(name), commandFileSchema).programs));
  const { shared, ...git } = readYaml(pathOf('git'), gitFileSchema);
  return {
    'core/catalog/programs.ts': writtenModule('*', {
      'familiesData: readonly { readonly title: string; readonly programs: Family }[]': families,
      'commandProgramsData: Readonly<Record<string, CommandProgram>>': programs,
    }),
    // Separate from the others, because limits read git without them.
    'core/catalog/git.ts': writtenModule('git', { 'gitData: Git': git }, shared),
  };
}

/**
 * @param shared lists of names and groups of members. Each is written once and referenced wherever it occurs in full.
 */
function writtenModule(
  file: string,
  values: Readonly<Record<string, unknown>>,
  shared: Readonly<Record<string, unknown>> = {},
): string {
  const lists = Object.values(shared).filter((each) => typeof each === 'string' && each.length > shortestList);
  const bases = Object.values(shared).filter((each) => isPlainObject(each) && !('options' in each));
  const writer = new SharingWriter(Object.values(values), lists as string[], bases as object[]);
  const written = Object.entries(values).map(([name, value]) => `export const ${name} = ${writer.write(value)};\n`);
  const types = ['CommandProgram', 'Family', 'Git'].filter((type) =>
    written.some((text) => text.split(' = ')[0]!.includes(type)),
  );
  return [
    `/** Generated from core/catalog/programs/${file}.yaml by \`npm run docs\`: do not edit. */`,
    `import type { ${types.join(', ')} } from '#core/contracts/shell-programs.ts';`,
    '',
    ...bases.map((base, i) => `const b${i} = ${JSON.stringify(base)} as const;`),
    ...lists.map((text, i) => `const n${i} = ${JSON.stringify(text)};`),
    ...(lists.length > 0
      ? ["const names = (...lists: string[]) => [...new Set(lists.join(' ').split(' '))].join(' ');"]
      : []),
    ...writer.shared.map((text, i) => `const s${i} = ${text}${/^[{["]/.test(text) ? ' as const' : ''};`),
    '',
    written.join('\n'),
  ].join('\n');
}

function readYaml<T>(path: string, schema: z.ZodType<T>): T {
  const { success, data, error } = schema.safeParse(
    parse(readFileSync(path, 'utf8'), { merge: true, maxAliasCount: -1 }),
  );
  if (!success) throw new Error(`${path}: ${z.prettifyError(error)}`);
  return data;
}

/**
 * Writer of values as TypeScript. Large parts that occur more than once become constants, because the YAML files share
 * them too.
 */
class SharingWriter {
  readonly shared: string[] = [];
  readonly #counts = new Map<string, number>();
  readonly #known = new Map<string, string>();

  readonly #lists: readonly string[];
  readonly #bases: readonly object[];

  constructor(values: readonly unknown[], lists: readonly string[], bases: readonly object[]) {
    this.#lists = lists;
    this.#bases = bases;
    this.#count(values);
  }

  write(value: unknown): string {
    const text = cellText(value);
    if (!this.#isShared(text)) return this.#members(value);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const members = this.#members(value);
    const name = `s${this.shared.push(members) - 1}`;
    this.#known.set(text, name);
    return name;
  }

  /** Counts parts. The children of a part that was already counted are not counted again. */
  #count(value: unknown): void {
    const text = cellText(value);
    const count = (this.#counts.get(text) ?? 0) + 1;
    this.#counts.set(text, count);
    if (count === 1 && isPlainObject(value)) for (const each of Object.values(value)) this.#count(each);
  }

  readonly #isShared = (text: string): boolean => text.length >= shortest && (this.#counts.get(text) ?? 0) > 1;

  #names(text: string): string {
    const words = new Set(text.split(' '));
    const whole = this.#lists.filter((list) => list.split(' ').every((word) => words.has(word)));
    if (whole.length === 0) return cellText(text);
    const listed = new Set(whole.join(' ').split(' '));
    const others = [...words].filter((word) => !listed.has(word)).join(' ');
    const written = [
      ...whole.map((list) => `n${this.#lists.indexOf(list)}`),
      ...(others === '' ? [] : [cellText(others)]),
    ];
    return written.length === 1 ? written[0]! : `names(${written.join(', ')})`;
  }

  #members(value: unknown): string {
    if (Array.isArray(value)) return `[${value.map((each) => this.write(each)).join(', ')}]`;
    if (typeof value === 'string') return this.#names(value);
    if (!isPlainObject(value)) return cellText(value);
    const members = new Map(Object.entries(value));
    const at = this.#bases.findIndex((base) =>
      Object.entries(base).every(([key, each]) => cellText(members.get(key)) === cellText(each)),
    );
    for (const key of Object.keys(this.#bases[at] ?? {})) members.delete(key);
    const written = [...members].map(
      ([key, each]) => `${/^[a-z]\w*$/i.test(key) ? key : JSON.stringify(key)}: ${this.write(each)}`,
    );
    return `{ ${[...(at < 0 ? [] : [`...b${at}`]), ...written].join(', ')} }`;
  }
}

const shortest = 24;
const shortestList = 40;
const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof RegExp);

const cellText = (value: unknown): string =>
  value instanceof RegExp
    ? String(value)
    : JSON.stringify(value, (_, each) => (each instanceof RegExp ? `regex ${each}` : each));
