/** An embeddings request as messages: what is embedded is read like what is asked. */
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';

/** As OpenAI takes them. */
const mostTexts = 2048;

/** @throws GatewayError `invalid_request`. */
export function readEmbeddingsRequest(request: JsonObject): JsonObject {
  const { model, input, ...more } = request;
  for (const name of Object.keys(more))
    if (!known.has(name)) throw refused(name, 'is not a member of this request', [...known].join(', '));
  if (more.encoding_format !== undefined && more.encoding_format !== 'float' && more.encoding_format !== 'base64')
    throw refused('encoding_format', 'is of another form', 'float, base64');
  const messages = textsOf(input).map((content) => ({ role: 'user', content }));
  // An embedding has no output tokens; a chat call reserves at least one.
  return { ...(model !== undefined && { model }), messages, max_completion_tokens: 1, ...more };
}

const known: ReadonlySet<string> = new Set(['dimensions', 'encoding_format', 'user']);

function textsOf(input: Json | undefined): string[] {
  const texts = typeof input === 'string' ? [input] : Array.isArray(input) ? input : [];
  if (texts.length === 0 || texts.length > mostTexts)
    throw refused('input', 'has no text, or too many', `1 to ${mostTexts} texts`);
  return texts.map((text, at) => {
    if (typeof text === 'string' && text !== '') return text;
    throw refused(
      `input[${at}]`,
      typeof text === 'string' ? 'is empty' : 'is not a text',
      'a text; filters cannot read tokens, so have the client send texts (LangChain in Python: check_embedding_ctx_length=False)',
    );
  });
}

const refused = (path: string, found: string, allowed: string) =>
  invalidRequest(`${path} ${found}; allowed: ${allowed}.`, { param: path });
