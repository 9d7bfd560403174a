/** Reads the file changes that a call carries: replaced text, new file contents and patches. */

import type { ToolCall } from '#core/contracts/envelope.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { capabilityFromName } from '#core/policy/classification/classify-tool.ts';
import { toolWords } from '#core/policy/classification/tool-words.ts';

interface Replacement {
  readonly before: string;
  readonly after: string;
}

export interface FileChange {
  readonly path: string;
  /** Replaced text. Absent if the call contains the whole content. */
  readonly replaced?: readonly Replacement[];
  /** Complete new content of the file. */
  readonly content?: string;
}

interface FileChanges {
  readonly files: readonly FileChange[];
  /** Names of the parameters that the changes show in full. */
  readonly names: readonly string[];
}

type Members = Readonly<Record<string, unknown>>;

const pathNames = ['path', 'file_path', 'filePath', 'filepath', 'file', 'filename', 'notebook_path'];
const beforeNames = ['oldText', 'old_text', 'old_string', 'oldString', 'old_str'];
const afterNames = ['newText', 'new_text', 'new_string', 'newString', 'new_str'];
const contentNames = ['content', 'contents', 'file_text', 'text', 'new_source'];
const listNames = ['edits', 'replacements'];

const noChanges: FileChanges = { files: [], names: [] };

/** Returns the changes in the order in which the call lists them. Members of unknown form are ignored. */
export function fileChanges({
  tool,
  capability,
  parameters,
}: Pick<ToolCall, 'tool' | 'capability' | 'parameters'>): FileChanges {
  const path = onlyText(parameters, pathNames);
  if (path === undefined) return changesOfList(parameters);
  const one = replacementOf(parameters);
  if (one) return { files: [{ path: path.text, replaced: [one.change] }], names: [path.name, ...one.names] };
  const list = listNames.find((name) => Array.isArray(parameters[name]));
  const edits = (list === undefined ? [] : (parameters[list] as readonly unknown[])).map(replacementOf);
  if (edits.length > 0) {
    if (edits.some((edit) => edit === undefined)) return noChanges;
    const isAll = edits.every((edit, index) => isOnly((parameters[list!] as readonly Members[])[index]!, edit!.names));
    return {
      files: [{ path: path.text, replaced: edits.map((edit) => edit!.change) }],
      names: isAll ? [path.name, list!] : [path.name],
    };
  }
  const content = onlyText(parameters, contentNames);
  return content && writesFiles(tool, capability)
    ? { files: [{ path: path.text, content: content.text }], names: [path.name, content.name] }
    : noChanges;
}

/** Reads `files: [{ path, content }]` of a commit. */
function changesOfList({ files }: Members): FileChanges {
  if (!Array.isArray(files) || files.length === 0) return noChanges;
  const changes: FileChange[] = [];
  let isAll = true;
  for (const file of files) {
    const path = isMembers(file) ? onlyText(file, pathNames) : undefined;
    const content = isMembers(file) ? onlyText(file, contentNames) : undefined;
    if (!path || !content) return noChanges;
    isAll &&= isOnly(file, [path.name, content.name]);
    changes.push({ path: path.text, content: content.text });
  }
  return { files: changes, names: isAll ? ['files'] : [] };
}

const writing = wordSet('write create save edit update put overwrite replace file');

/** Checks that a tool with a path and a text parameter writes the text to the file. */
const writesFiles = (tool: string, capability: string): boolean =>
  capability !== 'read' &&
  capabilityFromName(tool) !== 'read' &&
  toolWords(tool).words.some((word) => writing.has(word)) &&
  !toolWords(tool).words.some((word) => word === 'append' || word === 'insert');

function replacementOf(value: unknown): { change: Replacement; names: readonly string[] } | undefined {
  if (!isMembers(value)) return undefined;
  const before = onlyText(value, beforeNames);
  const after = onlyText(value, afterNames);
  return before && after
    ? { change: { before: before.text, after: after.text }, names: [before.name, after.name] }
    : undefined;
}

const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isOnly = (value: Members, names: readonly string[]): boolean =>
  Object.keys(value).every((name) => names.includes(name));

/** Returns the only member with one of these names, if it is a string. */
function onlyText(members: Members, names: readonly string[]): { name: string; text: string } | undefined {
  const [name, ...others] = names.filter((each) => Object.hasOwn(members, each));
  const text = name === undefined || others.length > 0 ? undefined : members[name];
  return typeof text === 'string' ? { name: name!, text } : undefined;
}

/** Counts the lines that a replacement changes: those between the identical lines at its start and end. */
export function changedLines({ before, after }: Replacement): number {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  return Math.max(old.length, fresh.length) - start - end;
}

/** Counts the lines in a string. A final line feed does not start another line. */
export const lineCount = (text: string): number =>
  text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
