/** Plans, writes and reverts the change to one of a client's files [cli.setup]. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { fileTrouble, UsageError } from '#agentctl/failure.ts';
import { readJsonFile } from '#agentctl/local-run.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { type JsonChange, withChange, withoutChange } from './json-file.ts';

export type FilePlan = { readonly file: string } & (
  | ({ readonly kind: 'json' } & JsonChange)
  | { readonly kind: 'toml'; readonly lines: readonly string[] }
);

/** Current and planned contents of a file. */
export interface FileEdit {
  readonly file: string;
  readonly before: string | undefined;
  /** Planned contents, or undefined if the file is to be deleted. */
  readonly after: string | undefined;
}

/** Record saved next to a file as long as the gateway is set up in that file. */
interface SetupRecord {
  /** The original contents, or undefined if there was no file. */
  readonly text?: string;
  /** Digest of the written file, used to detect later changes. */
  readonly written_sha256: string;
}

const keptFile = (file: string): string => `${file}.before-agentctl`;

export function setUp(plan: FilePlan): FileEdit {
  const before = readIfPresent(plan.file);
  return { file: plan.file, before, after: withPlannedChange(plan, before ?? '') };
}

/** Restores the original text if the file has not changed since. Otherwise, removes only the added settings. */
export function undoPlan(plan: FilePlan): FileEdit {
  const { file } = plan;
  const now = readIfPresent(file);
  if (now === undefined) return { file, before: undefined, after: undefined };
  const kept = keptOf(file);
  if (kept?.written_sha256 === sha256(now)) return { file, before: now, after: kept.text };
  const rest = plan.kind === 'toml' ? withoutBlock(now) : withoutChange(now, kept?.text ?? '', plan, file);
  const isEmpty = /^\s*(\{\s*\})?\s*$/.test(rest);
  return { file, before: now, after: isEmpty && kept?.text === undefined ? undefined : rest };
}

const withPlannedChange = (plan: FilePlan, text: string): string =>
  plan.kind === 'toml' ? withBlock(text, plan.lines, plan.file) : withChange(text, plan, plan.file);

/** Saves the original text the first time, and replaces the file atomically. */
export function write({ file, before, after }: FileEdit): void {
  if (after === undefined) return;
  const known = keptOf(file);
  const former = known ? known.text : before;
  const kept: SetupRecord = { ...(former !== undefined && { text: former }), written_sha256: sha256(after) };
  try {
    mkdirSync(dirname(file), { recursive: true });
    replace(keptFile(file), JSON.stringify(kept));
    replace(file, after);
  } catch (cause) {
    throw fileTrouble('write', file, cause);
  }
}

export function restore({ file, after }: FileEdit): void {
  try {
    if (after === undefined) rmSync(file, { force: true });
    else replace(file, after);
    rmSync(keptFile(file), { force: true });
  } catch (cause) {
    throw fileTrouble('write', file, cause);
  }
}

/** Replaces a file, keeping its mode. A link remains a link. */
function replace(file: string, text: string): void {
  const target = existsSync(file) ? realpathSync(file) : file;
  const mode = existsSync(target) ? statSync(target).mode & 0o777 : 0o600;
  const partial = `${target}.${process.pid}.part`;
  writeFileSync(partial, text, { mode: 0o600, flag: 'wx' });
  chmodSync(partial, mode);
  renameSync(partial, target);
}

function keptOf(file: string): SetupRecord | undefined {
  const { text, written_sha256 } = readJsonFile(keptFile(file)) ?? {};
  if (typeof written_sha256 !== 'string') return undefined;
  return { written_sha256, ...(typeof text === 'string' && { text }) };
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw fileTrouble('read', file, cause);
  }
}

const begin = '# agent-governance-gateway: written by agentctl setup';
const end = '# agent-governance-gateway: end';
const block = new RegExp(`\\n?${begin}\\n[^]*?${end}\\n`);

/** Writes the block. @throws UsageError if the file has a table with the same name outside the block. */
function withBlock(text: string, lines: readonly string[], file: string): string {
  const rest = withoutBlock(text);
  // A table in double brackets appends to an array, so it cannot collide.
  const taken = lines.find((line) => /^\[(?!\[)/.test(line) && rest.split(/\r?\n/).some((one) => one.trim() === line));
  if (taken !== undefined) throw new UsageError(`${file} has a table ${taken} already; remove it first.`);
  const before = rest === '' || rest.endsWith('\n') ? rest : `${rest}\n`;
  return `${before}${before === '' ? '' : '\n'}${[begin, ...lines, end].join('\n')}\n`;
}

const withoutBlock = (text: string): string => text.replace(block, '');
