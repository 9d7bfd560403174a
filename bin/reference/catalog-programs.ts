/** Writes `core/catalog/programs/*.yaml` as a module for the reader of shell lines. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import * as z from 'zod';
import { commandFileSchema, familyFileSchema, gitFileSchema } from '#core/contracts/shell-programs.ts';

/** Files of families of programs, in the order of the reference page. */
const familyFiles = 'texts searching files system wrappers archives build-tools interpreters network editors'.split(
  ' ',
);
/** Files of programs with commands, in the order of the page. */
const commandFiles = 'kubectl helm docker terraform gh aws gcloud az'.split(' ');

/** Returns `core/catalog/programs.ts`. @throws Error naming the file and the entry that does not match the schema. */
export function programsModule(folder: string): string {
  const names = readdirSync(folder).map((file) => file.replace(/\.yaml$/, ''));
  const unknown = names.find((name) => ![...familyFiles, ...commandFiles, 'git'].includes(name));
  if (unknown !== undefined)
    throw new Error(`${folder}/${unknown}: add its place in bin/reference/catalog-programs.ts`);
  const pathOf = (name: string) => join(folder, `${name}.yaml`);
  const families = familyFiles
    .map((name) => checked(pathOf(name), familyFileSchema))
    .map(({ title, programs }) => ({ title, programs }));
  const programs = Object.assign({}, ...commandFiles.map((name) => checked(pathOf(name), commandFileSchema).programs));
  const { shared: _, ...git } = checked(pathOf('git'), gitFileSchema);
  const writer = new SharingWriter([families, programs, git]);
  const [first, second, third] = [writer.write(families), writer.write(programs), writer.write(git)];
  return [
    '/** Generated from core/catalog/programs/*.yaml by `npm run docs`: do not edit. */',
    "import type { CommandProgram, Family, Git } from '#core/contracts/shell-programs.ts';",
    '',
    ...writer.shared.map((text, i) => `const s${i} = ${text} as const;`),
    '',
    `export const familiesData: readonly { readonly title: string; readonly programs: Family }[] = ${first};`,
    '',
    `export const commandProgramsData: Readonly<Record<string, CommandProgram>> = ${second};`,
    '',
    `export const gitData: Git = ${third};`,
    '',
  ].join('\n');
}

function checked<T>(path: string, schema: z.ZodType<T>): T {
  const { success, data, error } = schema.safeParse(
    parse(readFileSync(path, 'utf8'), { merge: true, maxAliasCount: -1 }),
  );
  if (!success) throw new Error(`${path}: ${z.prettifyError(error)}`);
  return data;
}

/** Writes values as TypeScript. Equal long parts become constants, because the YAML files share them, too. */
class SharingWriter {
  readonly shared: string[] = [];
  readonly #counts = new Map<string, number>();
  readonly #names = new Map<string, string>();

  constructor(values: readonly unknown[]) {
    this.#count(values);
  }

  write(value: unknown): string {
    const text = plain(value);
    if (!this.#isShared(text)) return this.#members(value);
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const members = this.#members(value);
    const name = `s${this.shared.push(members) - 1}`;
    this.#names.set(text, name);
    return name;
  }

  /** Counts parts. Parts of a part that was counted before do not count again. */
  #count(value: unknown): void {
    const text = plain(value);
    const count = (this.#counts.get(text) ?? 0) + 1;
    this.#counts.set(text, count);
    if (count === 1 && isPlainObject(value)) for (const each of Object.values(value)) this.#count(each);
  }

  readonly #isShared = (text: string): boolean => text.length >= shortest && (this.#counts.get(text) ?? 0) > 1;

  #members(value: unknown): string {
    if (Array.isArray(value)) return `[${value.map((each) => this.write(each)).join(', ')}]`;
    if (!isPlainObject(value)) return plain(value);
    return `{ ${Object.entries(value)
      .map(([key, each]) => `${JSON.stringify(key)}: ${this.write(each)}`)
      .join(', ')} }`;
  }
}

const shortest = 24;
const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof RegExp);

const plain = (value: unknown): string =>
  value instanceof RegExp
    ? String(value)
    : JSON.stringify(value, (_, each) => (each instanceof RegExp ? `regex ${each}` : each));
