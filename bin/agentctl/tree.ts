/** Prints any response as indented `name: value` lines, including unknown fields. */
import { type Output, oneLineText } from './output.ts';

export function showTree(out: Output, value: unknown, indent = ''): void {
  if (typeof value !== 'object' || value === null) {
    out.line(`${indent}${oneLineText(value)}`);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    if (Array.isArray(member)) showList(out, name, member, indent);
    else if (typeof member === 'object' && member !== null) {
      out.line(`${indent}${name}:${Object.keys(member).length === 0 ? ' none' : ''}`);
      showTree(out, member, `${indent}  `);
    } else out.line(`${indent}${name}: ${oneLineText(member)}`);
  }
}

/** Prints one line per item. */
function showList(out: Output, name: string, items: readonly unknown[], indent: string): void {
  out.line(`${indent}${name}: ${items.length === 0 ? 'none' : ''}`.trimEnd());
  for (const item of items) out.line(`${indent}  - ${oneLine(item)}`);
}

function oneLine(item: unknown): string {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return oneLineText(item);
  return Object.entries(item)
    .map(([name, value]) => `${name} ${oneLineText(value)}`)
    .join(', ');
}
