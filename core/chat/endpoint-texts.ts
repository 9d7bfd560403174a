/** Where the replies of endpoints beside chat keep their texts. */

import type { JsonObject } from '#core/kernel/json.ts';
import { objectsOf } from '#core/kernel/narrow.ts';
import type { TextSlot } from '#core/models/dialects/dialect.ts';
import { leaves } from '#core/models/dialects/leaves.ts';
import { addText } from '#core/models/dialects/slots.ts';

/** Every text of a reply; running text is rewritten like that of chats. */
export function endpointTexts(reply: JsonObject): TextSlot[] {
  const slots: TextSlot[] = [];
  // Segments and words spell a transcript out once more: they go when it changes.
  const forgetSegments = () => {
    delete reply.segments;
    delete reply.words;
  };
  addText(slots, 'text', 'text', reply, 'text')?.afterChange(forgetSegments);
  for (const [at, choice] of objectsOf(reply.choices).entries()) {
    // Log probabilities spell the text out once more: they go when it changes.
    const forgetTokens = () => {
      if (choice.logprobs) choice.logprobs = null;
    };
    addText(slots, `${at}:text`, 'text', choice, 'text')?.afterChange(forgetTokens);
  }
  return [...slots, ...leaves(reply, 'reply', slots)];
}
