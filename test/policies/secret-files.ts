/**
 * Files in which well-known programs store keys, credentials, sessions and wallets, and similar names of other files.
 */
import { readFileSync } from 'node:fs';

const listed = (name: string): readonly string[] =>
  readFileSync(`test/policies/${name}.txt`, 'utf8').trim().split('\n');
export const secretFiles = listed('secret-files');
export const harmlessFiles = listed('harmless-files');

const ways = listed('ways-to-read');

/** Returns lines that show, copy, send or run the content of a file. */
export const waysToRead = (file: string): readonly string[] => {
  const name = file.split('/').at(-1)!;
  const half = Math.floor(file.length / 2);
  return [
    ...ways.map((line) => line.replaceAll('FILE', () => file).replaceAll('NAME', () => name)),
    `cat ${file.slice(0, -1)}?`,
    `cat "${file.slice(0, half)}"'${file.slice(half)}'`,
  ];
};
