/** One JSON log line. Whatever a caller passes, no secret is written and nothing is thrown. */
import { secretRanges } from '#core/evidence/secret-formats.ts';
import { secrecyOf } from '#core/evidence/secret-names.ts';

export interface LineHead {
  readonly ts: string;
  readonly level: string;
  readonly msg: string;
  readonly service: string;
  readonly trace_id?: string;
}

const maxDepth = 6;
const withheld = '[withheld]';

/** The line's own fields stand first and win: a field named `msg` cannot pass itself off as the message. */
export function logLine(head: LineHead, fields: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ ...head, ...(safe(fields, 0) as object), ...head });
}

function safe(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return masked(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return `${value.name}: ${masked(value.message)}`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === maxDepth) return '[deeper]';
  if (Array.isArray(value)) return value.map((item) => safe(item, depth + 1));
  const members: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(value)) members[name] = member(name, (value as Record<string, unknown>)[name], depth);
  return members;
}

/** Names of our own fields come again and again. */
const known = new Map<string, ReturnType<typeof secrecyOf>>();
const maxCached = 1_000;

function secrecyOfName(name: string): ReturnType<typeof secrecyOf> {
  let secrecy = known.get(name);
  if (secrecy === undefined) {
    secrecy = secrecyOf(name);
    if (known.size < maxCached) known.set(name, secrecy);
  }
  return secrecy;
}

function member(name: string, value: unknown, depth: number): unknown {
  const secrecy = secrecyOfName(name);
  if (value === undefined || secrecy === 'none') return safe(value, depth + 1);
  return secrecy === 'whole' || typeof value === 'string' ? withheld : safe(value, depth + 1);
}

/** Short words, numbers, UUIDs and hashes: no format that is looked for. */
const harmless = /^(?:[\w.-]{0,12}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}|[0-9a-f]{64})$/;

/** Recognised token formats inside text, e.g. in the message of another system's error. */
function masked(text: string): string {
  if (harmless.test(text)) return text;
  let kept = '';
  let from = 0;
  for (const [start, end] of secretRanges(text)) {
    kept += text.slice(from, start) + withheld;
    from = end;
  }
  return kept + text.slice(from);
}
