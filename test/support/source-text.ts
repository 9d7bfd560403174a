/** The program's source text, for tests that compare documents and templates with it. */
import { globSync, readFileSync } from 'node:fs';

/** @param folders of the repository. @returns all TypeScript below them, as one string */
export const sourceText = (folders: readonly string[]): string =>
  folders
    .flatMap((folder) => globSync(`${folder}/**/*.ts`))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
