/**
 * Finds sentences in a definition that the word classes do not cover: those in other scripts, and those in other
 * languages, recognised by their function words. Their meaning is unclear, so a human reviews new ones [guard.changes].
 */

/**
 * Function words of German, French, Spanish, Italian, Portuguese, Dutch, Polish, Turkish, Swedish and Indonesian that
 * are not English words.
 */
const small = new Set(
  `und oder nicht wird werden mit von zum zur dem eine einen einer eines auch immer bitte wenn dann alle ihre wie auf
  les des du une avec dans aussi toujours vous votre qui que sur au aux cette mais leur puis chaque
  el los las una para por siempre su sus del como antes esta este cada todo todos debe
  il gli della delle degli sempre anche tutti nel nella alla questo questa prima ogni di che
  os uma com sempre ao aos pelo pela isto este deve
  het een van voor altijd ook niet naar deze wordt alle
  nie jest oraz przed zawsze ktory dla przez tego
  ve bir bu icin her zaman ile olarak
  och att det som inte alltid detta
  yang untuk selalu dengan dan sebelum ini itu`.split(/\s+/),
);
const otherLetters = /(?![A-Za-z])[\p{L}\p{M}]/u;
const words = /[a-z]+/g;
const maxSentences = 2_000;

/**
 * Returns the unread sentences. Works on the original text, because folding would make letters of other scripts look
 * Latin.
 */
export function unreadSentences(text: string): string[] {
  return text
    .split(/[.!?;:\n。！？；：]+/u, maxSentences)
    .map((sentence) => sentence.replace(/\s+/g, ' ').trim())
    .filter((sentence) => otherLetters.test(sentence) || hasSmallWords(sentence));
}

/** Reports whether a sentence has two function words. A single one may be a name or a language code. */
function hasSmallWords(sentence: string): boolean {
  const found = new Set<string>();
  for (const [word] of sentence.toLowerCase().matchAll(words)) if (small.has(word)) found.add(word);
  return found.size > 1;
}
