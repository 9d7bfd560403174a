/**
 * Parses multipart/form-data (RFC 7578) in one pass over its bytes. Parts are counted as they are found, so parsing
 * stops at the first part that exceeds the limit.
 */
import { type GatewayError, invalidRequest } from '#core/kernel/errors.ts';

export interface FormPart {
  readonly name: string;
  /** Set for a file; may be empty. */
  readonly filename?: string;
  /** Content type of the part; empty if it does not specify one. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

const maxLookAlikes = 100_000;
const maxHeadBytes = 16 * 1024;

/** Boundary as defined in RFC 2046, section 5.1.1. */
const boundaryParameter = /;\s*boundary=(?:"([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])"|([\w'+./-]{1,70}))\s*(?:;|$)/i;

/** Parses the parts of multipart form data. @throws GatewayError `invalid_request`. */
export function formParts(type: string, body: Uint8Array, maxParts: number): FormPart[] {
  const [, quoted, plain] = boundaryParameter.exec(type) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw invalidRequest('Content-Type names no boundary of 1 to 70 characters. Add it.');
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const parts: FormPart[] = [];
  const opening = Buffer.from(`--${boundary}`);
  let found = delimiterFrom(bytes, opening, 0);
  while (found && !found.last) {
    const next = delimiterFrom(bytes, opening, found.end);
    if (!next) break;
    if (parts.length === maxParts)
      throw invalidRequest(`The form has more than ${maxParts} fields; at most ${maxParts} are accepted. Send fewer.`);
    parts.push(partOf(bytes.subarray(found.end, next.start)));
    found = next;
  }
  if (!found?.last) throw notMultipart();
  return parts;
}

interface Delimiter {
  /** End of the preceding part. */
  readonly start: number;
  /** Start of the following part. */
  readonly end: number;
  readonly last: boolean;
}

const lineEnd = '\r\n';
const [cr, lf, dash, space, tab] = [0x0d, 0x0a, 0x2d, 0x20, 0x09];

/**
 * Returns the first delimiter at or after `from`: a whole line `--boundary`. Within a line, the same characters are
 * content. If they occur more often than they would by chance, the form is refused, because each occurrence must be
 * checked.
 */
function delimiterFrom(bytes: Buffer, opening: Buffer, from: number): Delimiter | undefined {
  let seen = 0;
  for (let at = bytes.indexOf(opening, from); at >= 0; at = bytes.indexOf(opening, at + 1)) {
    if (++seen > maxLookAlikes) throw invalidRequest('The boundary occurs in a part too often. Choose a longer one.');
    const beginsLine = at === 0 || (bytes[at - 2] === cr && bytes[at - 1] === lf);
    if (!beginsLine) continue;
    const start = Math.max(at - lineEnd.length, from);
    let end = at + opening.length;
    if (bytes[end] === dash && bytes[end + 1] === dash) return { start, end, last: true };
    while (bytes[end] === space || bytes[end] === tab) end++;
    if (bytes[end] === cr && bytes[end + 1] === lf) return { start, end: end + lineEnd.length, last: false };
  }
  return undefined;
}

function partOf(bytes: Buffer): FormPart {
  const headEnd = bytes.subarray(0, maxHeadBytes).indexOf(lineEnd + lineEnd);
  if (headEnd < 0) throw notMultipart();
  const head = partHeaders(bytes.toString('utf8', 0, headEnd));
  const { name, filename } = dispositionOf(head.get('content-disposition') ?? '');
  if (name === undefined) throw notMultipart();
  return {
    name,
    ...(filename !== undefined && { filename }),
    type: head.get('content-type') ?? '',
    bytes: bytes.subarray(headEnd + 2 * lineEnd.length),
  };
}

function partHeaders(head: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of head.split(lineEnd)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (colon < 1 || fields.has(name)) throw notMultipart();
    fields.set(name, line.slice(colon + 1).trim());
  }
  return fields;
}

/**
 * Parameter in which backslashes are part of the name, as browsers write it, except before a quotation mark in the
 * name.
 */
const parameter = /;[ \t]*([a-z*]+)=(?:"((?:[^"]|(?<=\\)"(?![ \t]*(?:;|$)))*)"|([^\s;"]+))[ \t]*/iy;

/**
 * Returns the parameters `name` and `filename`. Each may occur only once, because different readers could pick
 * different duplicates.
 */
function dispositionOf(value: string): { readonly name?: string; readonly filename?: string } {
  const kind = 'form-data';
  if (value.slice(0, kind.length).toLowerCase() !== kind) throw notMultipart();
  const found: Record<string, string> = Object.create(null);
  parameter.lastIndex = kind.length;
  for (let match = parameter.exec(value); match; match = parameter.exec(value)) {
    const name = match[1]!.toLowerCase();
    if (name in found) throw notMultipart();
    found[name] = match[2] === undefined ? match[3]! : unescapeQuotes(match[2]);
    if (parameter.lastIndex === value.length) return found;
  }
  throw notMultipart();
}

/** Unescapes quotation marks, which browsers write as `%22` and other clients as `\"`. */
const unescapeQuotes = (text: string): string =>
  text
    .replaceAll('\\"', '"')
    .replace(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

const notMultipart = (): GatewayError =>
  invalidRequest('The body is not multipart form data with the boundary of its Content-Type.');
