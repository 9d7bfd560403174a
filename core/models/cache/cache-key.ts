/** Determines which chat calls ask the same question: the key of an exact hit, the frame of a semantic one. */

import type { DialectName } from '#core/contracts/chat.ts';
import { digestOf } from '#core/kernel/canonical.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';

export interface CacheKeyParts {
  readonly tenant: string;
  /** Model name after alias resolution. */
  readonly model: string;
  readonly dialect: DialectName;
  readonly body: JsonObject;
  readonly policyVersion: number;
  /** Betas requested from the provider, which change the answer. */
  readonly betas?: readonly string[];
  /** Restricts the key to one caller, if replies depend on the caller. */
  readonly keyId?: string;
}

/** Members about delivery and the caller, which do not change the answer. */
const ignored: ReadonlySet<string> = new Set(['model', 'stream', 'stream_options', 'user', 'metadata']);

/** Maximum length: longer texts may differ in one decisive word and still be close in every embedding. */
const semanticCharacters = 500;

export const cacheKey = (parts: CacheKeyParts): string => digestOf(questionOf(parts));

/**
 * Returns the last user text and a digest of the rest. Undefined if no text represents the question: another role spoke
 * last, the message has more than text, or it is longer than a sentence or two.
 */
export function semanticQuestion(parts: CacheKeyParts): { readonly frame: string; readonly text: string } | undefined {
  const messages = parts.body.messages;
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!Array.isArray(messages) || !isObject(last) || last.role !== 'user') return undefined;
  const text = onlyText(last.content);
  if (text === undefined || text.trim() === '' || text.length > semanticCharacters) return undefined;
  const framed = { ...parts.body, messages: [...messages.slice(0, -1), { ...last, content: null }] };
  return { frame: digestOf(questionOf({ ...parts, body: framed })), text };
}

function questionOf({ tenant, model, dialect, body, policyVersion, keyId, betas = [] }: CacheKeyParts): object {
  const request = Object.fromEntries(Object.entries(body).filter(([name]) => !ignored.has(name)));
  return {
    tenant,
    model,
    dialect,
    policy_version: policyVersion,
    key_id: keyId,
    ...(betas.length > 0 && { betas }),
    request,
  };
}

/** Returns content as plain text: a string, or a single text part without marks of its own. */
function onlyText(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content) || content.length !== 1) return undefined;
  const [part] = content;
  if (!isObject(part) || part.type !== 'text' || typeof part.text !== 'string') return undefined;
  return Object.keys(part).length === 2 ? part.text : undefined;
}
