/** Formats a JSON log line. Never writes a secret and never throws. */
import { bareObject } from '#core/kernel/bare-object.ts';
import { mask, maskSecrets } from '#core/text/secrets/masked.ts';
import { secrecyOfMember } from '#core/text/secrets/secret-names.ts';

interface LineHead {
  readonly ts: string;
  readonly level: string;
  readonly msg: string;
  readonly service: string;
  readonly trace_id?: string;
}

const maxDepth = 6;

/**
 * Returns the line. The gateway's own fields come first and take precedence, so a field named `msg` cannot replace the
 * message.
 */
export function logLine(head: LineHead, fields: Readonly<Record<string, unknown>>): string {
  const line = Object.assign(bareObject<unknown>(), head);
  for (const name of Object.keys(fields)) if (!(name in line)) line[name] = member(name, fields[name], 0);
  return JSON.stringify(line);
}

function safe(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskSecrets(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return `${value.name}: ${maskSecrets(value.message)}`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return '[deeper]';
  if (Array.isArray(value)) return value.map((item) => safe(item, depth + 1));
  const members = bareObject<unknown>();
  for (const name of Object.keys(value)) members[name] = member(name, (value as Record<string, unknown>)[name], depth);
  return members;
}

function member(name: string, value: unknown, depth: number): unknown {
  const secrecy = secrecyOfMember(name);
  if (value === undefined || secrecy === 'none') return safe(value, depth + 1);
  return secrecy === 'whole' || typeof value === 'string' ? mask : safe(value, depth + 1);
}
