/** Converts an `apply_patch` patch to one call per added, changed, moved or deleted file [cli.hook]. */
import type { CallBody } from '#agentctl/call-options.ts';
import { fileCall, type ReadTool, type WorkingFolders } from './coding-tool.ts';

const headers: Readonly<Record<string, string>> = {
  'Add File': 'write_file',
  'Update File': 'edit_file',
  'Delete File': 'delete_file',
  'Move to': 'write_file',
};

/** Matches lines that could be mistaken for a header by a reader that trims spaces. */
const looksLikeHeader = /^[\s\p{C}\p{Z}]*\*\*\* /u;

/** Maximum number of files in a patch. A person would not review more. */
const maxFiles = 100;

/** Reads a patch. @throws Error for a patch that does not name a file or has an unknown header. */
export const patchCalls: ReadTool = (input, place) => {
  const { command: patch, ...others } = input;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined)
    throw new Error(`apply_patch has the unknown member ${JSON.stringify(unknown)}; only command is allowed`);
  if (typeof patch !== 'string') throw new Error('command of apply_patch must be a string');
  const calls = [...filesOf(patch, place)];
  if (calls.length === 0)
    throw new Error('the patch names no file; expected lines such as "*** Update File: src/a.ts"');
  if (calls.length > maxFiles) throw new Error(`the patch names ${calls.length} files, allowed ${maxFiles}`);
  return calls;
};

function* filesOf(patch: string, place: WorkingFolders): Iterable<CallBody> {
  for (const line of patch.split(/\r?\n/)) {
    if (/^(?:[-+@ ].*)?$/su.test(line) && !looksLikeHeader.test(line)) continue;
    if (/^\*\*\* (?:Begin Patch|End Patch|End of File)$/.test(line)) continue;
    const [, header = '', path] = /^\*\*\* ([A-Za-z ]+): (\S.*)$/.exec(line) ?? [];
    if (path === undefined || !Object.hasOwn(headers, header))
      throw new Error(
        `the patch has the line ${JSON.stringify(line.slice(0, 100))}; a file is named by ${Object.keys(headers).join(', ')}, as in "*** Update File: src/a.ts"`,
      );
    yield fileCall(headers[header]!, path.trimEnd(), { patch }, place);
  }
}
