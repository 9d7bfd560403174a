/**
 * Detects two parameters that both name the file of a call, such as `path` and `file_path`; only the server knows which
 * one takes effect [effects.alike-names].
 */

import type { ToolCall } from '#core/contracts/envelope.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { resolveAt } from './paths.ts';

const fileNames: ReadonlySet<string> = new Set(
  `path pathname path_name file_path filepath target_path targetpath target_file targetfile relative_path relativepath absolute_path
  absolutepath full_path fullpath notebook_path notebookpath`.split(/\s+/),
);
/** Names that, in a call that also has a path, may be a file name in that folder or a display name. */
const shortNames: ReadonlySet<string> = new Set('file filename file_name'.split(' '));

/** Returns the reason why the call is unclear, or undefined if its parameters name at most one file. */
export function fileNamedTwice({ protocol, parameters, capability }: ToolCall): string | undefined {
  if (['shell', 'sql', 'http'].includes(foldCase(protocol).trim())) return undefined;
  const named = Object.entries(parameters).flatMap(([name, value]) => {
    const words = wordsIn(name).join('_');
    const counts = fileNames.has(words) || (capability !== 'read' && shortNames.has(words));
    return counts && typeof value === 'string' && value !== '' ? [{ name, path: resolveAt('', value) }] : [];
  });
  const [first, ...rest] = named;
  const other = rest.find(({ path }) => path !== first?.path);
  return (
    other &&
    `the parameters ${quoteName(first!.name)} and ${quoteName(other.name)} name two files, and only the server knows which one it uses`
  );
}

const quoteName = (name: string): string => JSON.stringify(name.slice(0, 64));
