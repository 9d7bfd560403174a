/** Which reader reads which command. */
import { binaries } from './binaries.ts';
import { builtins } from './builtins.ts';
import { fileReaders } from './files.ts';
import { git } from './git.ts';
import { interpreters } from './interpreters.ts';
import type { Reader } from './invocation.ts';
import { networkReaders } from './network.ts';
import { plainReaders } from './plain.ts';
import { wrappers } from './wrappers.ts';

export interface Found {
  readonly read: Reader;
  /** Words that split do no harm, or are looked after by the reader. */
  readonly loose: boolean;
  readonly isKnown: boolean;
}

const strict = [plainReaders, fileReaders, interpreters, networkReaders, new Map([['git', git]])];
const table = new Map<string, Found>([
  ...strict
    .flatMap((readers) => [...readers])
    .map(([name, read]): [string, Found] => [
      name,
      { read, loose: binaries[name]?.text === 'all' && !binaries[name].reads, isKnown: true },
    ]),
  ...[...builtins, ...wrappers].map(([name, read]): [string, Found] => [name, { read, loose: true, isKnown: true }]),
]);

/** Runs something we know nothing about: the whole of its arguments is what it acts on. */
const anything: Found = { read: (call) => call.whole('execute'), loose: false, isKnown: false };

/** `python3.11` is read as `python3` is; a loader runs the program it is given. */
export function readerOf(binary: string): Found {
  const known = table.get(binary);
  if (known) return known;
  if (/^ld(?:-linux|-musl)?[\w.-]*\.so[\w.-]*$/.test(binary)) return table.get('nohup')!;
  const stem = binary.replace(/[-\d.]+$/, '');
  return (stem !== binary && interpreters.has(stem) && table.get(stem)) || anything;
}
