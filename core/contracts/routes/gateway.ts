/** Routes for clients of models. */
import { type Route, route } from '../route.ts';

/** Agents may call the gateway. A role that may run actions may also chat. */
const gateway = { surface: 'gateway', agents: 'yes' } as const;
const counted = { ...gateway, counts: true } as const;
/** Query parameters of OpenAI's paged lists. */
const kept = ['purpose', 'limit', 'after', 'order'] as const;
/** Query parameter of Anthropic's beta clients (`?beta=true`). Only the header `anthropic-beta` has an effect. */
const anthropicQuery = ['beta'] as const;
export const gatewayRoutes: readonly Route[] = [
  route('GET /health', 'models', 'open', 'health', 'Health and version', gateway),
  route('GET /', 'models', 'open', 'reachable', 'Clients ask by HEAD whether the address answers', gateway),
  route('POST /v1/chat/completions', 'chat-completions', 'operator', 'chatCompletions', 'A chat completion', gateway),
  route(
    'POST /v1/responses',
    'chat-completions',
    'operator',
    'responses',
    'A response, as OpenAI clients ask for it',
    gateway,
  ),
  route(
    'GET /v1/responses/{id}',
    'chat-completions',
    'operator',
    'retrieveResponse',
    'A response of the caller that its provider keeps',
    counted,
  ),
  route(
    'DELETE /v1/responses/{id}',
    'chat-completions',
    'operator',
    'deleteResponse',
    'Delete a response of the caller',
    counted,
  ),
  route(
    'GET /v1/responses/{id}/input_items',
    'chat-completions',
    'operator',
    'responseItems',
    'Input items of a response of the caller',
    { ...counted, query: ['limit', 'after', 'order'] },
  ),
  route('POST /v1/embeddings', 'chat-completions', 'operator', 'embeddings', 'Embeddings of texts', gateway),
  route('POST /v1/completions', 'chat-completions', 'operator', 'completions', 'A completion of a prompt', gateway),
  route('POST /v1/moderations', 'chat-completions', 'operator', 'moderations', 'A judgement of texts', gateway),
  route('POST /v1/images/generations', 'chat-completions', 'operator', 'images', 'Images of a prompt', gateway),
  route('POST /v1/images/edits', 'chat-completions', 'operator', 'imageEdits', 'Images of images (multipart)', gateway),
  route(
    'POST /v1/audio/transcriptions',
    'chat-completions',
    'operator',
    'transcriptions',
    'Transcribe speech (multipart)',
    gateway,
  ),
  route(
    'POST /v1/audio/translations',
    'chat-completions',
    'operator',
    'translations',
    'Translate speech to English text (multipart)',
    gateway,
  ),
  route('POST /v1/audio/speech', 'chat-completions', 'operator', 'speech', 'Speech of a text', gateway),
  route(
    'POST /v1/files',
    'chat-completions',
    'operator',
    'createFile',
    'Upload the calls of a batch (multipart)',
    gateway,
  ),
  route('GET /v1/files', 'chat-completions', 'operator', 'listFiles', 'Files of the caller, newest first', {
    ...counted,
    query: kept,
  }),
  route('GET /v1/files/{id}', 'chat-completions', 'operator', 'retrieveFile', 'One file of the caller', counted),
  route('GET /v1/files/{id}/content', 'chat-completions', 'operator', 'fileContent', 'Results of a batch', counted),
  route('DELETE /v1/files/{id}', 'chat-completions', 'operator', 'deleteFile', 'Delete a file of the caller', counted),
  route('POST /v1/batches', 'chat-completions', 'operator', 'createBatch', 'Run the calls of a file', gateway),
  route('GET /v1/batches', 'chat-completions', 'operator', 'listBatches', 'Batches of the caller, newest first', {
    ...counted,
    query: ['limit', 'after'],
  }),
  route('GET /v1/batches/{id}', 'chat-completions', 'operator', 'retrieveBatch', 'One batch of the caller', counted),
  route('POST /v1/batches/{id}/cancel', 'chat-completions', 'operator', 'cancelBatch', 'Cancel a batch', counted),
  route('POST /v1/messages', 'messages', 'operator', 'messages', 'A messages call, as Anthropic clients send it', {
    ...gateway,
    query: anthropicQuery,
  }),
  route('POST /v1/messages/count_tokens', 'count-tokens', 'operator', 'countTokens', 'Estimate of input tokens', {
    ...counted,
    query: anthropicQuery,
  }),
  route(
    'POST /v1/requests/{id}/cancel',
    'models',
    'operator',
    'cancelRequest',
    'Cancel a running request of the same key',
    gateway,
  ),
  route('GET /v1/models', 'models', 'viewer', 'listModels', 'Models the tenant may use', counted),
  route('GET /v1/models/{id}', 'models', 'viewer', 'getModel', 'One model the tenant may use', counted),
];
