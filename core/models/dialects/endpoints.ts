/**
 * Endpoints of OpenAI beside chat that the gateway passes on [passthrough.governed]: each request is read as a chat call, so that
 * keys, limits, filters, reviews and evidence are those of chat, and goes to a provider that has the endpoint.
 */
import type { EndpointName } from '#core/contracts/chat.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, isObject, objectsOf } from '#core/kernel/narrow.ts';
import { hasEachPlace, isEmbeddings, textCount } from './embedding-vectors.ts';

interface Endpoint {
  /** The member with the text that the model works on. */
  readonly field: 'input' | 'prompt';
  /** Multipart form data, where the endpoint takes files. */
  readonly form?: true;
  /** Used where the request names none. */
  readonly model?: string;
  /** It answers with bytes, which say what the request holds: `Speech` stands for them. */
  readonly speech?: true;
  /** It puts out no tokens that cost anything. */
  readonly silent?: true;
  /** Whether a reply is one: anything else is a fault of the provider. */
  isReply(reply: JsonObject, body: JsonObject): boolean;
}

/** Sound as it passes through the pipeline. */
export interface Speech {
  readonly media_type: string;
  readonly base64: string;
}

/** For each prompt as many choices as were asked for. */
const isCompletion = ({ choices }: JsonObject, { prompt, n }: JsonObject): boolean =>
  hasEachPlace(objectsOf(choices), textCount(prompt) * (countOf(n) ?? 1));

/** A result for each text, or one for texts and pictures that belong together. */
function isModeration({ results }: JsonObject, { input }: JsonObject): boolean {
  const isOne = Array.isArray(input) && input.every(isObject);
  return objectsOf(results).length === (isOne ? 1 : textCount(input));
}

/** Providers may hold back single pictures: the answer shows how many there are, and more than were asked for are an error. */
function areImages({ data }: JsonObject, { n }: JsonObject): boolean {
  const count = objectsOf(data).length;
  // A form has texts.
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

/** `/images/generations`: below the version, with the gateway as with providers. */
export const pathOfEndpoint = (name: EndpointName): string => `/${name.replace('.', '/')}`;
