/** Hints on client settings, for wrong paths that client libraries produce [error.not-found-hint]. */

const served =
  'The gateway serves chat/completions, responses, messages, models, embeddings, files, batches, completions, moderations, images/generations, images/edits, audio/transcriptions, audio/translations and audio/speech';

/** Returns the hints; the first match is used. A function, so that a bundle without a router drops it. */
const hints = (): readonly (readonly [path: RegExp, hint: string])[] => [
  [
    /^\/(openai\/|v1\/engines\/|engines\/)/,
    'The gateway has no paths of Azure OpenAI: use the client for OpenAI with the base URL that ends with /v1, the key as Authorization: Bearer or X-API-Key, and the name of the model in the body.',
  ],
  [/^(\/v1)?\/chats?(\/completion)?\/?$/, 'Chat completions are at POST /v1/chat/completions.'],
  [/^(\/v1)?\/message\/?$/, 'Messages are at POST /v1/messages.'],
  [
    /^(\/v1)?\/complet(e|ion)\/?$/,
    'Chat completions are at POST /v1/chat/completions, completions of one text at POST /v1/completions.',
  ],
  [
    /^(\/v1)?\/(response|embedding|model|moderation|file|batch)(\/|$)/,
    'Paths are in the plural: /v1/responses, /v1/embeddings, /v1/models, /v1/moderations, /v1/files, /v1/batches.',
  ],
  [/^\/v1\/.*\/$/, 'Leave out the slash at the end of the path.'],
  [/^\/v1\/v1\//, 'The client adds /v1 itself: leave /v1 out of its base URL.'],
  [
    /^\/(chat\/completions|completions|responses|embeddings|moderations|images|audio|files|batches|messages|models)(\/|$)/,
    'The base URL of this client ends with /v1: add it.',
  ],
  [
    /^\/v1\/responses\/(input_tokens|compact)$/,
    'The gateway does not count or compact responses: let the client estimate tokens and shorten the conversation itself.',
  ],
  [
    /^\/v1\/responses\/[^/]+\/cancel$/,
    'No response runs in the background here, so there is none to cancel: close the stream to end one.',
  ],
  [
    /^\/v1\/conversations(\/|$)/,
    'The gateway keeps no conversations: continue a response by previous_response_id where a provider keeps responses, or send the whole input.',
  ],
  [
    /^\/v1\/messages\/batches(\/|$)/,
    'The gateway has batches in the form of OpenAI: use /v1/files and /v1/batches, send the calls one by one, or point the client to the provider for its batches.',
  ],
  [
    /^\/v1\/uploads(\/|$)/,
    'The gateway takes files whole, at /v1/files, for batches alone: put other content into the request (image, file and document parts), or point the client to the provider for its files.',
  ],
  [
    /^\/v1beta\//,
    'The gateway does not speak the form of Gemini: use a client of OpenAI (base URL with /v1) or of Anthropic (without).',
  ],
  [
    /^\/v1\/(audio|images|assistants|threads|fine_tuning|vector_stores|realtime|rerank|containers|evals|videos)(\/|$)/,
    `${served}: set the client to one of these, or point it to the provider for this endpoint.`,
  ],
];

/** Returns a hint with a leading space, or an empty text. */
export function hintOf(path: string): string {
  const hint = hints().find(([pattern]) => pattern.test(path))?.[1];
  return hint === undefined ? '' : ` ${hint}`;
}
