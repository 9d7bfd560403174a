/** Edits a JSON file that people maintain. Comments, order and all other contents are preserved. */
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { UsageError } from '#agentctl/failure.ts';

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [member: string]: JsonValue };

export interface JsonChange {
  /** Members to set. */
  readonly values: readonly { readonly path: readonly string[]; readonly value: JsonValue }[];
  /** Lists to which an item is added. An existing item that matches `own` was added by the gateway. */
  readonly items?: readonly { readonly path: readonly string[]; readonly value: JsonValue; readonly own: RegExp }[];
}

const formattingOptions = { tabSize: 2, insertSpaces: true, eol: '\n' };

/** Applies the change. @throws UsageError for text that is not JSON with comments. */
export function withChange(text: string, { values, items = [] }: JsonChange, file: string): string {
  let changed = checkJson(text, file);
  for (const { path, value } of values) changed = setJsonValue(changed, path, value);
  for (const { path, value, own } of items) {
    const found = itemsAt(changed, path);
    if (found === undefined) throw new UsageError(`${file}: ${path.join('.')} is not a list`);
    const at = found.findIndex((item) => own.test(JSON.stringify(item)));
    changed = at < 0 ? insert(changed, [...path, found.length], value) : setJsonValue(changed, [...path, at], value);
  }
  return changed;
}

/**
 * Reverts the change. Each member is restored to its value in `before`, or is removed along with the objects and lists
 * that were created for it.
 */
export function withoutChange(text: string, before: string, { values, items = [] }: JsonChange, file: string): string {
  let changed = checkJson(text, file);
  const former = parseTree(before === '' ? '{}' : before);
  for (const { path } of values) {
    const value = former && findNodeAtLocation(former, [...path]);
    changed = value ? setJsonValue(changed, path, getNodeValue(value)) : removeMember(changed, path, former);
  }
  for (const { path, own } of items) {
    const at = (itemsAt(changed, path) ?? []).findIndex((item) => own.test(JSON.stringify(item)));
    if (at >= 0) changed = removeMember(changed, [...path, at], former);
  }
  return changed;
}

type Path = readonly (string | number)[];

const setJsonValue = (text: string, path: Path, value: JsonValue | undefined): string =>
  applyEdits(text, modify(text, [...path], value, { formattingOptions }));

const insert = (text: string, path: Path, value: JsonValue): string =>
  applyEdits(text, modify(text, [...path], value, { formattingOptions, isArrayInsertion: true }));

/** Removes a member, and the containers that were created only for it. */
function removeMember(text: string, path: Path, former: ReturnType<typeof parseTree>): string {
  const changed = setJsonValue(text, path, undefined);
  const holder = path.slice(0, -1);
  if (holder.length === 0 || (former && findNodeAtLocation(former, [...holder]))) return changed;
  const tree = parseTree(changed);
  const left = tree && findNodeAtLocation(tree, [...holder]);
  return left?.children?.length === 0 ? removeMember(changed, holder, former) : changed;
}

/** Returns the items of a list. The result is empty if there is no list, and undefined if the value is not a list. */
function itemsAt(text: string, path: readonly string[]): readonly unknown[] | undefined {
  const tree = parseTree(text);
  const node = tree && findNodeAtLocation(tree, [...path]);
  if (!node) return [];
  return node.type === 'array' ? (getNodeValue(node) as unknown[]) : undefined;
}

function checkJson(text: string, file: string): string {
  if (text.trim() === '') return '{}\n';
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error || tree?.type !== 'object') {
    const what = error ? `${printParseErrorCode(error.error)} at character ${error.offset}` : 'it is not an object';
    throw new UsageError(`${file} is not JSON: ${what}. Correct it first; it was not changed.`);
  }
  return text;
}
