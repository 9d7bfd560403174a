/** Converts a provider's refusal into a fault, limited in length and without the key used for the call. */

import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { mask, maskSecrets } from '#core/text/secrets/masked.ts';
import type { HttpReply } from './http.ts';
import { ProviderFault } from './ports.ts';
import { reasonOf } from './reply.ts';

/** Maximum number of bytes of an error body that are read. */
const maxRefusalBytes = 64 * 1024;
const maxTold = 500;
/** Statuses about the caller's own request. */
const aboutTheRequest: ReadonlySet<number> = new Set([400, 413, 422]);

interface Refusal {
  readonly provider: string;
  readonly status: number;
  readonly retryAfterSeconds?: number | undefined;
  /** Error type, e.g. `overloaded_error`. */
  readonly type?: string | undefined;
  /** Error code, e.g. `insufficient_quota`. */
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** Member named by the error. */
  readonly param?: string | undefined;
  readonly requestId?: string | undefined;
  /** Key used for the call, so that it can be withheld. */
  readonly key?: string | undefined;
}

/**
 * Returns the fault. Errors about the caller's own request are reported to the caller but not logged, because they may
 * quote the prompt.
 */
export function refusalFault(refusal: Refusal): ProviderFault {
  const { provider, status, retryAfterSeconds, type, code, key, requestId } = refusal;
  const said = cleanText(refusal.message ?? '', key);
  const toCaller = aboutTheRequest.has(status);
  const kind = type === undefined ? '' : ` (${cleanText(type, key).slice(0, 64)})`;
  const detail = said === '' || toCaller ? '' : `: ${said}`;
  return new ProviderFault(provider, 'status', `${provider} answered ${status}${kind}${detail}`, {
    status,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(toCaller && said !== '' && { shown: said, param: refusal.param ?? leading.exec(said)?.[1] }),
    ...(code !== undefined && /^[a-z][\w.-]{2,63}$/i.test(code) && cleanText(code, key) === code && { code }),
    reason: reasonOf([type, code]) ?? (status === 404 && /^model\b/i.test(said) ? 'no_model' : undefined),
    requestId,
  });
}

/** Path at the start of a provider's message: `tools.0.custom.input_schema: …`. */
const leading = /^([a-z_]+(?:\.\w+|\[\d+\])*): /;

/** Reads the body of an HTTP error; if it cannot be read, only the message is lost. */
export async function readRefusal(provider: string, reply: HttpReply, key: string | undefined): Promise<ProviderFault> {
  const text = await reply.text(maxRefusalBytes).catch(() => '');
  const { status, retryAfterSeconds } = reply;
  const requestId = requestIdOf(reply.headers, key);
  return refusalFault({ provider, status, retryAfterSeconds, key, requestId, ...errorOfProvider(text) });
}

/** Headers that contain the provider's call id. */
const requestIdHeaders = ['x-request-id', 'request-id', 'x-amzn-requestid'] as const;

/**
 * Returns the call id if it has a valid format, because the provider controls this header and it is sent to the caller.
 */
export function requestIdOf(headers: HttpReply['headers'], key: string | undefined): string | undefined {
  const ids = requestIdHeaders.map((name) => headers[name]);
  return ids.find((id) => id !== undefined && /^[\w.:-]{4,128}$/.test(id) && withoutKey(id, key) === id);
}

/** Parses providers' error bodies: `{error: {message, type}}`, `{error: "…"}`, `{message}` and `{detail}`. */
function errorOfProvider(text: string): Pick<Refusal, 'type' | 'code' | 'message' | 'param'> {
  let body: Json;
  try {
    body = JSON.parse(text) as Json;
  } catch {
    return {};
  }
  // Gemini sends its errors in an array.
  const [first = null] = Array.isArray(body) ? body : [body];
  if (!isObject(first)) return {};
  const { error } = first;
  return typeof error === 'string' ? { message: error } : readError(isObject(error) ? error : first);
}

/** Reads the members of an error object. */
export function readError(from: JsonObject): Pick<Refusal, 'type' | 'code' | 'message' | 'param'> {
  const message = from.message ?? from.detail;
  return {
    type: typeof from.type === 'string' ? from.type : undefined,
    code: typeof from.code === 'string' ? from.code : undefined,
    message: typeof message === 'string' ? message : undefined,
    param: typeof from.param === 'string' && /^[\w.[\]]{1,128}$/.test(from.param) ? from.param : undefined,
  };
}

/**
 * Short placeholder keys for servers that do not require a key (`none`, `ollama`). They also occur in ordinary
 * responses.
 */
const placeholder = /^(?:[A-Za-z]{0,7}|.{0,3})$/s;

/** Returns the text without the key, which some providers echo. */
export const withoutKey = (text: string, key: string | undefined): string =>
  key !== undefined && !placeholder.test(key) && text.includes(key) ? text.replaceAll(key, mask) : text;

function cleanText(text: string, key: string | undefined): string {
  const own = maskSecrets(withoutKey(text, key).slice(0, 4 * maxTold));
  const line = own.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length <= maxTold ? line : `${line.slice(0, maxTold - 1).toWellFormed()}…`;
}
