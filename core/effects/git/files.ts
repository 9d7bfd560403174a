/** Which files of a repository a call touches. */
import type { ToolCall } from '#core/contracts/envelope.ts';
import { resolvePath } from '#core/tool-policy/paths.ts';
import { canonicalText, plainReading } from '#core/tool-policy/text.ts';

export interface TouchedFile {
  readonly path: string;
  readonly removed: boolean;
}

const single = [
  'path',
  'file',
  'file_path',
  'filePath',
  'filename',
  'old_path',
  'new_path',
  'previous_path',
  'source',
  'destination',
];
const many = ['files', 'paths', 'changes', 'actions', 'operations', 'tree', 'additions', 'deletions'];

/** Each path once, resolved inside the repository; what climbs out or hides is said. */
export function filesOf({ parameters }: ToolCall, unclear: Set<string>): TouchedFile[] {
  const found = new Map<string, TouchedFile>();
  const add = (raw: string, removed: boolean): void => {
    const path = normalPath(raw, unclear);
    found.set(path, { path, removed: removed || (found.get(path)?.removed ?? false) });
  };
  for (const key of single) {
    const value = parameters[key];
    if (typeof value === 'string' && value !== '') add(value, false);
  }
  for (const key of many) for (const item of itemsOf(parameters[key])) addItem(item, key === 'deletions', add);
  return [...found.values()];
}

/** `['a.ts']`, `[{ path }]`, `{ 'a.ts': '…' }`. */
function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.keys(value) : [];
}

function addItem(item: unknown, removes: boolean, add: (path: string, removed: boolean) => void): void {
  if (typeof item === 'string') add(item, removes);
  if (typeof item !== 'object' || item === null) return;
  const record = item as Record<string, unknown>;
  const verb =
    [record.action, record.operation, record.status, record.mode].find((word) => typeof word === 'string') ?? '';
  const removed = removes || /^(?:delete|remove)/i.test(String(verb)) || record.deleted === true || record.sha === null;
  for (const key of single) if (typeof record[key] === 'string' && record[key] !== '') add(record[key], removed);
}

function normalPath(raw: string, unclear: Set<string>): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\\\u0000-\u001f\u007f]|%[0-9a-f]{2}/i.test(raw)) unclear.add('a path is escaped or holds control characters');
  const path = resolvePath(canonicalText(raw, plainReading).replace(/^\/+/, ''), 'resolve');
  if (path === '..' || path.startsWith('../')) unclear.add('a path climbs out of the repository');
  return path;
}
