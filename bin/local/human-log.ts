/** Formats log lines for a person at a terminal: time, level, message, fields. Programs get JSON [local.ready]. */
import { fields } from '#core/kernel/json-fields.ts';
import { jsonOrUndefined } from '#core/kernel/json-or-undefined.ts';
import { visibleText } from '#core/text/secrets/visible-text.ts';

const colours: Readonly<Record<string, number>> = { error: 31, warn: 33, debug: 2 };
/** Fields that are the same in every line, or printed at its beginning. */
const head: ReadonlySet<string> = new Set(['ts', 'level', 'msg', 'service']);
/** Maximum length of a value, because callers may send long ones. The JSON form contains the whole line. */
const longestValue = 300;

/** @param line one JSON log line; any other text is returned unchanged except for unsafe characters. */
export function humanLine(line: string, coloured: boolean): string {
  const painted = (code: number | undefined, text: string) =>
    coloured && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text;
  const dim = (text: string) => painted(2, text);
  const { ts, level, msg, ...rest } = fields(jsonOrUndefined(line));
  if (typeof ts !== 'string' || typeof msg !== 'string') return visibleText(line);
  const others = Object.entries(rest)
    .filter(([name]) => !head.has(name))
    .map(([name, value]) => dim(`${visibleText(name)}=${formatValue(value)}`));
  const name = visibleText(String(level));
  return [dim(clockTime(ts)), painted(colours[name], name.padEnd(5)), visibleText(msg), ...others].join(' ');
}

function formatValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const whole = visibleText(text);
  const cut = whole.length > longestValue ? `${whole.slice(0, longestValue).replace(/[\ud800-\udbff]$/, '')}…` : whole;
  return typeof value === 'string' && /[\s"=]/.test(cut) ? JSON.stringify(cut) : cut;
}

/** Returns the time of day in the reader's time zone. */
export function clockTime(iso: string): string {
  const at = new Date(iso);
  const two = (part: number) => String(part).padStart(2, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}
