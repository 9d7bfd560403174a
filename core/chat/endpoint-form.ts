/**
 * Requests with files: parses multipart form data into members for filters and digests, and builds the form data for
 * the provider.
 */
import { asText } from '#core/kernel/as-text.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import { requireUtf8 } from '#core/kernel/charset.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import type { ProviderForm } from '#core/models/providers/ports.ts';
import { type FormPart, formParts } from './multipart.ts';

/** A request's files by SHA-256. Filters do not read their bytes, as with images in chats. */
export type FormFiles = ReadonlyMap<string, File>;

const maxFields = 64;
const fieldName = /^[A-Za-z][A-Za-z0-9_]{0,63}(\[\])?$/;
/** Fields that JSON would express as numbers or booleans, so that they are validated as such. */
const numbers: ReadonlySet<string> = new Set(['n', 'temperature']);
const truths: ReadonlyMap<string, boolean> = new Map(Object.entries({ true: true, false: false }));

/**
 * Parses a form.
 * @param bytes bytes held in memory, so the caller must limit their number.
 * @throws GatewayError `unsupported_media_type`, `invalid_request`.
 */
export function readForm(type: string | undefined, bytes: Uint8Array) {
  if (!/^multipart\/form-data\s*;/i.test(type ?? '')) {
    const found = type === undefined ? 'missing' : JSON.stringify(type.slice(0, 64));
    throw new GatewayError('unsupported_media_type', `Content-Type is ${found}; send multipart/form-data.`);
  }
  const files = new Map<string, File>();
  const members = new Map<string, Json>();
  for (const { name, ...part } of formParts(type!, bytes, maxFields)) {
    if (!fieldName.test(name))
      throw invalidRequest('A field of the form has a name that is not a word of letters, digits and "_".');
    const member = part.filename === undefined ? memberOf(name, textOf(name, part)) : describeFile(part, files);
    const before = members.get(name);
    if (name.endsWith('[]')) members.set(name, [...((before as Json[] | undefined) ?? []), member]);
    else if (before === undefined) members.set(name, member);
    else
      throw invalidRequest(`The field ${name} is given more than once; write ${name}[] for a list.`, { param: name });
  }
  return { body: Object.fromEntries(members), files };
}

function textOf(name: string, { type, bytes }: Omit<FormPart, 'name'>): string {
  requireUtf8(type);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidRequest(`The field ${name} is not valid UTF-8. Send text encoded in UTF-8.`, { param: name });
  }
}

const memberOf = (name: string, text: string): Json => {
  if (name === 'stream') return truths.get(text) ?? text;
  return numbers.has(name) && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
};

/** Describes a file in the request: filters read its name, and its digest is part of the request digest. */
function describeFile({ filename = '', type, bytes }: Omit<FormPart, 'name'>, files: Map<string, File>): JsonObject {
  const file = new File([bytes as Uint8Array<ArrayBuffer>], filename, { type: type || 'application/octet-stream' });
  const digest = sha256(bytes);
  files.set(digest, file);
  return { filename, media_type: file.type, bytes: file.size, sha256: digest };
}

/** Builds the provider's form from the filtered request. */
export async function formOf(body: JsonObject, files: FormFiles | undefined): Promise<ProviderForm> {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      const { sha256: digest, filename } = (typeof each === 'object' && each !== null ? each : {}) as Record<
        string,
        string
      >;
      const file = files?.get(digest ?? '');
      if (file) form.append(name, new File([file], filename ?? file.name, { type: file.type }));
      else form.append(name, asText(each));
    }
  }
  const encoded = new Response(form);
  return { type: encoded.headers.get('content-type') ?? '', bytes: new Uint8Array(await encoded.arrayBuffer()) };
}
