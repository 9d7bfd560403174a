/** Estimated tokens, where the provider reports none: characters / 4, and a fixed charge for what is not text. */
import { chatSizes, type DialectName } from '#core/contracts/chat.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import * as anthropicTexts from './anthropic/texts.ts';
import * as openaiTexts from './openai/texts.ts';

/** Tokens of one image, file or recording: what the providers charge for a picture of a million pixels. */
const attachmentTokens = 1600;

const texts = { openai: openaiTexts, anthropic: anthropicTexts } as const satisfies Record<DialectName, unknown>;

/** Members the model reads as JSON: what tools there are and what answer is wanted. */
const definitions = ['tools', 'functions', 'response_format', 'output_config'] as const;

/** Input tokens of a request: over every text the model reads, tool definitions included. */
export function estimateTokens(dialect: DialectName, body: JsonObject): number {
  let characters = 0;
  for (const slot of texts[dialect].messageTexts(body)) characters += slot.text.length;
  for (const name of definitions) if (isDefined(body[name])) characters += JSON.stringify(body[name]).length;
  return tokensOf(characters) + attachments(body.messages) * attachmentTokens;
}

/** Output tokens of a text. */
export const estimateOutput = (text: string): number => tokensOf(text.length);

/** Tokens of so many characters. */
export const tokensOf = (characters: number): number => Math.ceil(characters / chatSizes.charactersPerToken);

const isDefined = (value: Json | undefined): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== null;

const attached = new Set(['image_url', 'image', 'input_audio', 'file', 'document']);

/** Attachments in messages, in the parts of messages, and in the parts of tool results. */
function attachments(value: Json | undefined): number {
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + attachments(item), 0);
  if (!isObject(value)) return 0;
  const isAttachment = typeof value.type === 'string' && attached.has(value.type) && !hasTextSource(value);
  return (isAttachment ? 1 : 0) + attachments(value.content);
}

const hasTextSource = ({ source }: JsonObject): boolean =>
  isObject(source) && (source.type === 'text' || source.type === 'content');
