/** Words that a filter blocks, and every place in requests and replies that can contain them. */
import type { ContentFilter } from '#core/contracts/config.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { context, policyOf } from '../../../support/content-policy.ts';

export const words = 'forbidden words';
const filter: ContentFilter = { name: 'words', type: 'keyword', action: 'block', keywords: [words] };
export const policy = policyOf({ input: [filter], output: [filter] });
export const { openai, anthropic } = dialects;

export const decisionOnRequest = async (dialect: keyof typeof dialects, body: JsonObject) =>
  (await policy.checkInput(dialects[dialect].requestTexts(structuredClone(body)), context)).decision;

export const user = (content: Json): JsonObject => ({ model: 'm', messages: [{ role: 'user', content }] });
export const text = (text: string): JsonObject => ({ type: 'text', text });
export const base64 = (value: string) => Buffer.from(value).toString('base64');
/** A picture whose comment contains the words; its bytes do not count as text. */
export const picture = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]), Buffer.from(words)]).toString(
  'base64',
);

export const block = (content_block: JsonObject): JsonObject[] => [
  { type: 'content_block_start', index: 0, content_block },
  { type: 'content_block_stop', index: 0 },
];
