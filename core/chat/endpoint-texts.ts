/** Finds text in replies from endpoints other than chat. */

import type { JsonObject } from '#core/kernel/json.ts';
import { objectsOf } from '#core/kernel/narrow.ts';
import type { TextSlot } from '#core/models/dialects/dialect.ts';
import { leaves } from '#core/models/dialects/leaves.ts';
import { addText } from '#core/models/dialects/slots.ts';

/** Returns all text in a reply. Running text is rewritten as in chats. */
export function endpointTexts(reply: JsonObject): TextSlot[] {
  const slots: TextSlot[] = [];
  // Segments and words repeat the transcript, so they are dropped when the transcript changes.
  const forgetSegments = () => {
    delete reply.segments;
    delete reply.words;
  };
  addText(slots, 'text', 'text', reply, 'text')?.afterChange(forgetSegments);
  for (const [at, choice] of objectsOf(reply.choices).entries()) {
    // Log probabilities repeat the text, so they are dropped when the text changes.
    const forgetTokens = () => {
      if (choice.logprobs) choice.logprobs = null;
    };
    addText(slots, `${at}:text`, 'text', choice, 'text')?.afterChange(forgetTokens);
  }
  return [...slots, ...leaves(reply, 'reply', slots)];
}
