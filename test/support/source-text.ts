/** The program's own text, for tests that hold documents and templates against it. */
import { globSync, readFileSync } from 'node:fs';

/** @param folders of the repository. @returns all TypeScript below them, as one text */
export const sourceText = (folders: readonly string[]): string =>
  folders
    .flatMap((folder) => globSync(`${folder}/**/*.ts`))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
