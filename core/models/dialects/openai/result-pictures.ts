/** Moves pictures in tool results, because tool messages of chat completions carry text only. */
import type { JsonObject } from '#core/kernel/json.ts';
import { objectsOf } from '#core/kernel/narrow.ts';

/**
 * Returns the body with pictures of results in a user message after the results of their turn. A responses request may
 * have them within a result, but servers of chat completions refuse them there.
 */
export function picturesAfterResults(body: JsonObject): JsonObject {
  const messages = objectsOf(body.messages);
  if (!messages.some(({ role, content }) => role === 'tool' && objectsOf(content).some(isPicture))) return body;
  const moved: JsonObject[] = [];
  let pictures: JsonObject[] = [];
  const show = () => {
    if (pictures.length > 0) moved.push({ role: 'user', content: pictures });
    pictures = [];
  };
  for (const message of messages) {
    if (message.role !== 'tool') show();
    const parts = message.role === 'tool' ? objectsOf(message.content) : [];
    const shown = parts.filter(isPicture);
    pictures.push(...shown);
    moved.push(shown.length === 0 ? message : { ...message, content: parts.filter((part) => !isPicture(part)) });
  }
  show();
  return { ...body, messages: moved.map(withText) };
}

const isPicture = ({ type }: JsonObject): boolean => type === 'image_url' || type === 'file';

/** Adds a text to a result that consists of pictures, to state where they are. */
const withText = (message: JsonObject): JsonObject =>
  message.role === 'tool' && Array.isArray(message.content) && message.content.length === 0
    ? { ...message, content: 'The result is shown in the next message.' }
    : message;
