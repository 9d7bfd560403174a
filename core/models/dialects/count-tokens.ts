/** Estimates tokens if the provider reports none: characters / 4, plus a fixed number per attachment. */
import { chatSizes, type DialectName } from '#core/contracts/chat.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import * as anthropicTexts from './anthropic/texts.ts';
import type { TextSlot } from './dialect.ts';
import * as openaiTexts from './openai/texts.ts';

/** Tokens per image, file or recording, based on what providers charge for a one-megapixel image. */
const attachmentTokens = 1600;

const texts = { openai: openaiTexts, anthropic: anthropicTexts } as const satisfies Record<DialectName, unknown>;

/** Members that the model reads as JSON: tools and the required response format. */
const definitions = ['tools', 'functions', 'response_format', 'output_config'] as const;

/**
 * Estimates a request's input tokens from all text the model reads, including tool definitions.
 * @param messages text of the conversation, if already known.
 */
export function estimateTokens(
  dialect: DialectName,
  body: JsonObject,
  messages: readonly TextSlot[] = texts[dialect].messageTexts(body),
): number {
  let characters = 0;
  for (const slot of messages) characters += slot.text.length;
  for (const name of definitions) if (isDefined(body[name])) characters += JSON.stringify(body[name]).length;
  return tokensOf(characters) + attachments(body.messages) * attachmentTokens;
}

/** Estimates the number of output tokens in a text. */
export const estimateOutput = (text: string): number => tokensOf(text.length);

/** Estimates the number of tokens from a number of characters. */
export const tokensOf = (characters: number): number => Math.ceil(characters / chatSizes.charactersPerToken);

const isDefined = (value: Json | undefined): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;

const attached = new Set(['image_url', 'image', 'input_audio', 'file', 'document']);

/** Counts attachments in messages, in their parts, and in parts of tool results. */
function attachments(value: Json | undefined): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + attachments(item), 0);
  if (!isObject(value)) return 0;
  const isAttachment = typeof value.type === 'string' && attached.has(value.type) && !hasTextSource(value);
  return (isAttachment ? 1 : 0) + attachments(value.content);
}

const hasTextSource = ({ source }: JsonObject): boolean =>
  isObject(source) && (source.type === 'text' || source.type === 'content');
