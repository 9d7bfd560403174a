/**
 * OpenAI endpoints other than chat that the gateway forwards [passthrough.governed]. Each request is treated as a chat
 * call, with the same keys, limits, filters, reviews and evidence, and goes to a provider that supports the endpoint.
 */
import type { EndpointName } from '#core/contracts/chat.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, isObject, objectsOf } from '#core/kernel/narrow.ts';
import { hasEachPlace, isEmbeddings, textCount } from './embedding-vectors.ts';

interface Endpoint {
  /** Member that contains the text the model works on. */
  readonly field: 'input' | 'prompt';
  /** Set if the endpoint accepts files as multipart form data. */
  readonly form?: true;
  /** Model used if the request does not specify one. */
  readonly model?: string;
  /** Set if the response is the request's text as audio, which is represented as `Speech`. */
  readonly speech?: true;
  /** Set if the endpoint has no billable output tokens. */
  readonly silent?: true;
  /** Checks whether a reply is valid; an invalid one is a provider fault. */
  isReply(reply: JsonObject, body: JsonObject): boolean;
}

/** Audio that passes through the pipeline. */
export interface Speech {
  readonly media_type: string;
  readonly base64: string;
}

/** Checks that a completion has the requested number of choices per prompt. */
const isCompletion = ({ choices }: JsonObject, { prompt, n }: JsonObject): boolean =>
  hasEachPlace(objectsOf(choices), textCount(prompt) * (countOf(n) ?? 1));

/** Checks that there is one result per text, or a single result for text and images that belong together. */
function isModeration({ results }: JsonObject, { input }: JsonObject): boolean {
  const isOne = Array.isArray(input) && input.every(isObject);
  return objectsOf(results).length === (isOne ? 1 : textCount(input));
}

/** Checks the number of images: providers may withhold some, but more images than requested are an error. */
function areImages({ data }: JsonObject, { n }: JsonObject): boolean {
  const count = objectsOf(data).length;
  // Form values are strings.
  return count > 0 && count <= (countOf(typeof n === 'string' ? Number(n) : n) ?? 1);
}

const hasText = ({ text }: JsonObject) => typeof text === 'string';

export const endpoints: Readonly<Record<EndpointName, Endpoint>> = {
  embeddings: { field: 'input', silent: true, isReply: isEmbeddings },
  completions: { field: 'prompt', isReply: isCompletion },
  moderations: { field: 'input', silent: true, model: 'omni-moderation-latest', isReply: isModeration },
  'images.generations': { field: 'prompt', isReply: areImages },
  'images.edits': { field: 'prompt', form: true, isReply: areImages },
  'audio.transcriptions': { field: 'prompt', form: true, isReply: hasText },
  'audio.translations': { field: 'prompt', form: true, isReply: hasText },
  'audio.speech': { field: 'input', speech: true, isReply: ({ base64 }) => typeof base64 === 'string' },
};

export const isEndpoint = (operation: string): operation is EndpointName => Object.hasOwn(endpoints, operation);

/** Returns a path such as `/images/generations`, relative to the version prefix of the gateway and of providers. */
export const pathOfEndpoint = (name: EndpointName): string => `/${name.replace('.', '/')}`;
