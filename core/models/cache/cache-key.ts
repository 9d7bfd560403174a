/** Identifies chat calls that ask the same question: builds the key for exact hits and the frame for semantic hits. */

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
  /** Betas requested from the provider, which affect the response. */
  readonly betas?: readonly string[];
  /** Restricts the key to one caller, if replies depend on the caller. */
  readonly keyId?: string;
}

/** Members that concern delivery or the caller and do not affect the response. */
const ignored: ReadonlySet<string> = new Set(['model', 'stream', 'stream_options', 'user', 'metadata']);

/** Maximum question length. Longer questions may differ in one decisive word and still have similar embeddings. */
const semanticCharacters = 500;

export const cacheKey = (parts: CacheKeyParts): string => digestOf(questionOf(parts));

/**
 * Returns the last user message and a digest of the rest. Returns undefined if the last message is from another role,
 * contains more than text, or is longer than a sentence or two.
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

/** Returns content as plain text if it is a string or a single text part without additional members. */
function onlyText(content: Json | undefined): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content) || content.length !== 1) return undefined;
  const [part] = content;
  if (!isObject(part) || part.type !== 'text' || typeof part.text !== 'string') return undefined;
  return Object.keys(part).length === 2 ? part.text : undefined;
}
