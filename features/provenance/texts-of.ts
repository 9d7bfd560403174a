/** Extracts the text from a result or message: all leaves, including those of JSON inside a string, up to a limit. */
import { jsonIn } from '#core/text/decode/encodings.ts';
import { formsOf } from './forms.ts';

const maxCharacters = 64 * 1024;
const maxForms = 16 * 1024;
const maxLevels = 64;

interface RememberedTexts {
  readonly forms: ReadonlySet<string>;
  /** Whether a part was not recorded. */
  readonly gap: boolean;
}

/** Reports whether a binary resource contains text, unlike images and sound. */
const isText = (mimeType: unknown): boolean =>
  typeof mimeType === 'string' && /^text\/|[/+](?:json|xml|yaml)\b/i.test(mimeType);

/** Returns the forms of all strings and numbers in a value. */
export function formsOfValue(value: unknown): RememberedTexts {
  const forms = new Set<string>();
  let left = maxCharacters;
  let gap = false;
  const add = (leaf: unknown, level: number): void => {
    if (left <= 0 || forms.size >= maxForms || level > maxLevels) {
      gap = true;
      return;
    }
    if (typeof leaf === 'string') {
      const inside = jsonIn(leaf);
      if (inside !== null && typeof inside === 'object') {
        add(inside, level + 1);
        return;
      }
      if (leaf.length > left) gap = true;
      formsOf(leaf.slice(0, left), forms);
      left -= leaf.length;
    } else if (typeof leaf === 'number') formsOf(String(leaf), forms);
    else if (leaf !== null && typeof leaf === 'object') {
      const { mimeType } = leaf as { readonly mimeType?: unknown };
      for (const [name, member] of Object.entries(leaf)) {
        if (mimeType === undefined || !['data', 'blob'].includes(name)) add(member, level + 1);
        else if (isText(mimeType) && typeof member === 'string')
          add(Buffer.from(member, 'base64').toString(), level + 1);
      }
    }
  };
  add(value, 0);
  return { forms, gap };
}
