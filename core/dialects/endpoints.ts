/**
 * Endpoints of OpenAI beside chat that the gateway passes on [passthrough.governed]: each request is read as a chat call, so that
 * keys, limits, filters, reviews and evidence are those of chat, and goes to a provider that has the endpoint.
 */
import type { EndpointName } from '#core/contracts/chat.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { isEmbeddings } from './embedding-vectors.ts';
import { objectsOf } from './wire.ts';

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

const hasRows = (name: string) => (reply: JsonObject) => objectsOf(reply[name]).length > 0;
const hasText = ({ text }: JsonObject) => typeof text === 'string';

export const endpoints: Readonly<Record<EndpointName, Endpoint>> = {
  embeddings: { field: 'input', silent: true, isReply: isEmbeddings },
  completions: { field: 'prompt', isReply: hasRows('choices') },
  moderations: { field: 'input', silent: true, model: 'omni-moderation-latest', isReply: hasRows('results') },
  'images.generations': { field: 'prompt', isReply: hasRows('data') },
  'images.edits': { field: 'prompt', form: true, isReply: hasRows('data') },
  'audio.transcriptions': { field: 'prompt', form: true, isReply: hasText },
  'audio.translations': { field: 'prompt', form: true, isReply: hasText },
  'audio.speech': { field: 'input', speech: true, isReply: ({ base64 }) => typeof base64 === 'string' },
};

export const isEndpoint = (operation: string): operation is EndpointName => Object.hasOwn(endpoints, operation);

/** `/images/generations`: below the version, with the gateway as with providers. */
export const pathOfEndpoint = (name: EndpointName): string => `/${name.replace('.', '/')}`;
