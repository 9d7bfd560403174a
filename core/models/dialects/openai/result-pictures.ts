/** Moves images out of tool results, because tool messages in chat completions carry text only. */
import type { JsonObject } from '#core/kernel/json.ts';
import { objectsOf } from '#core/kernel/narrow.ts';

/**
 * Returns the body with images from tool results moved to a user message after the results of their turn. Responses
 * requests allow images within a result, but chat completion servers refuse them there.
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

/** Adds text to a result that consists only of images, to state where they are. */
const withText = (message: JsonObject): JsonObject =>
  message.role === 'tool' && Array.isArray(message.content) && message.content.length === 0
    ? { ...message, content: 'The result is shown in the next message.' }
    : message;
